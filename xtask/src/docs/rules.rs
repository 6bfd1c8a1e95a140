//! Generator of `docs/reference/rules/`: a page for every rule, and an index.

use super::document::Document;
use super::markdown::table;
use ratchet_engine::Rule;

const ABOUT: &str = "\
# Rules

Every rule has a permanent id. `ratchet explain <id>` tells the same.
";

/// The index of the pages.
pub(super) fn index(rules: &[&Rule]) -> Document {
    let heads = ["Rule", "Title", "Comes from", "May stay on update"];
    let rows = rules.iter().map(|rule| {
        [
            format!("[{0}]({0}.md)", rule.id),
            rule.title.to_owned(),
            rule.origin.to_string(),
            rule.ratchet.label().to_owned(),
        ]
    });
    Document::new("docs/reference/rules/README.md", &format!("{ABOUT}\n{}", table(heads, rows)))
}

/// The page of one rule.
pub(super) fn page(rule: &Rule) -> Document {
    let Rule { id, title, origin, demands, why, fix, ratchet, versions, fields: _ } = rule;
    let fields: String = rule.all_fields().map(|field| format!("- `{field}`\n")).collect();
    let text = format!(
        "\
# {id}: {title}

- Comes from: {origin}
- In force: {versions}

## What it demands

{demands}

## Why

{why}

## How to put things right

{fix}

## What is stored already

{ratchet_meaning}

## Fields

{fields}
## Cases

[cases/{id}](../../../cases/{id}) holds objects that it lets pass and objects that it catches.
",
        ratchet_meaning = ratchet.meaning(),
    );
    Document::new(format!("docs/reference/rules/{id}.md"), &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_engine::{Origin, Ratchet};

    const RULE: Rule = Rule {
        id: "RTC-X-001",
        fields: &["Y x[]"],
        title: "no x",
        origin: Origin::Kep(4858),
        demands: "No x in y.",
        why: "X breaks z.",
        fix: "Write w.",
        ratchet: Ratchet::ByValue,
        versions: "Since 1.33.",
    };

    #[test]
    fn a_page_holds_every_column_of_the_row() {
        let page = page(&RULE);
        assert_eq!(page.path, "docs/reference/rules/RTC-X-001.md");
        for want in [
            "# RTC-X-001: no x\n",
            "\n- Comes from: KEP-4858\n- In force: Since 1.33.\n",
            "\nNo x in y.\n",
            "\nX breaks z.\n",
            "\nWrite w.\n",
            "may stay",
            "(../../../cases/RTC-X-001)",
        ] {
            assert!(page.text.contains(want), "{want} is not in {}", page.text);
        }
    }

    #[test]
    fn the_index_links_to_the_page() {
        let text = index(&[&RULE]).text;
        assert!(
            text.contains("| [RTC-X-001](RTC-X-001.md) | no x | KEP-4858 | by value |"),
            "{text}"
        );
    }
}
