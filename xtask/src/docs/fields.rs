//! Generator of `docs/reference/fields.md`: the fields that hold addresses and networks.

use super::document::Document;
use super::markdown::table;
use ratchet_engine::{Field, Ratchet};

const ABOUT: &str = "\
# Fields that hold addresses and networks

Numbers, kinds and paths are those of KEP-4858; `Pod` stands for every kind that has a pod or a pod
template in it.
";

/// The table of fields with its legend.
pub(super) fn document(fields: &[&Field]) -> Document {
    let heads = [
        "#",
        "Kind",
        "Path",
        "Read as",
        "May stay on update",
        "The same in released Kubernetes",
        "Written by",
        "Warns since",
    ];
    let rows = fields.iter().map(|field| {
        let Field {
            number,
            kind,
            path,
            class,
            ratchet,
            released_ratchet,
            writer,
            frozen_by,
            warns_since,
        } = field;
        [
            number.to_string(),
            (*kind).to_owned(),
            format!("`{path}`"),
            class.to_string(),
            ratchet.label().to_owned(),
            frozen_by.map_or_else(
                || released_ratchet.label().to_owned(),
                |row| format!("{} ({})", released_ratchet.label(), row.id),
            ),
            (*writer).to_owned(),
            warns_since.map_or_else(|| "never".to_owned(), |minor| format!("1.{minor}")),
        ]
    });
    let text = format!("{ABOUT}\n{}\n{}\n{}", table(heads, rows), readings(), legend(fields));
    Document::new("docs/reference/fields.md", &text)
}

fn readings() -> &'static str {
    "\
## How a field is read

- legacy address, legacy network: strictly only with `StrictIPCIDRValidation` on; IPv6 may be spelled
  in any of its valid ways.
- address, network: in canonical form, always.
- interface address: an address with the length of its network, in canonical form, always.
- follows: never by itself, because the field named there holds the same value.
"
}

/// The legend of the ratchets in the table.
fn legend(fields: &[&Field]) -> String {
    let is_used = |ratchet: &Ratchet| {
        fields.iter().any(|field| field.ratchet == *ratchet || field.released_ratchet == *ratchet)
    };
    let lines: String = Ratchet::ALL
        .into_iter()
        .filter(is_used)
        .map(|ratchet| format!("- {}: {}\n", ratchet.label(), ratchet.meaning()))
        .collect();
    format!("## What may stay on update\n\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_engine::Class;

    const FIELD: Field = Field {
        number: 7,
        kind: "Node",
        path: "spec.podCIDRs[]",
        class: Class::LegacyNetwork,
        ratchet: Ratchet::ByValue,
        released_ratchet: Ratchet::Never,
        writer: "a controller",
        frozen_by: None,
        warns_since: Some(33),
    };

    #[test]
    fn a_field_is_one_row() {
        let text = document(&[&FIELD]).text;
        let want = "| 7 | Node | `spec.podCIDRs[]` | legacy network | by value | never | a controller | 1.33 |";
        assert!(text.contains(want), "{text}");
    }

    #[test]
    fn a_field_that_follows_another_names_it_and_never_warns() {
        let field = Field { class: Class::Follows("spec.podCIDRs[]"), warns_since: None, ..FIELD };
        let text = document(&[&field]).text;
        assert!(text.contains("| follows spec.podCIDRs[] |"), "{text}");
        assert!(text.contains("| a controller | never |"), "{text}");
    }

    #[test]
    fn the_legend_holds_the_words_of_the_table_only() {
        let text = document(&[&FIELD]).text;
        assert!(text.contains("- by value: ") && text.contains("- never: "), "{text}");
        assert!(!text.contains("- whole field: "), "{text}");
    }
}
