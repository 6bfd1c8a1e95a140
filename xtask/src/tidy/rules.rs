//! Checks that every rule has a valid id, cases on both sides and a page.

use crate::violation::Violation;
use std::collections::BTreeSet;

/// Compares the ids in the table of rules with the files under `cases/` and `docs/reference/rules/`.
pub(super) fn check(ids: &[&str], paths: &[String]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for id in ids {
        if !is_id(id) {
            found.push(in_table(id, "is no id; write RTC-, capital letters, a dash, three digits"));
        }
        if !known.insert(*id) {
            found.push(in_table(
                id,
                "stands there twice, and ids are permanent; take a free number",
            ));
        }
    }
    for id in &known {
        found.extend(missing_files(id, paths));
    }
    let mut orphans = BTreeSet::new();
    for path in paths {
        let folder = path.strip_prefix("cases/").and_then(|rest| rest.split_once('/'));
        if let Some((id, _)) = folder.filter(|(id, _)| !known.contains(id)) {
            orphans.insert((format!("cases/{id}"), id.to_owned()));
        }
        let page =
            path.strip_prefix("docs/reference/rules/").and_then(|rest| rest.strip_suffix(".md"));
        if let Some(id) = page.filter(|id| *id != "README" && !known.contains(id)) {
            orphans.insert((path.clone(), id.to_owned()));
        }
    }
    found.extend(orphans.into_iter().map(|(path, id)| {
        Violation::new(path, 1, format!("no rule is called {id}; delete it, or add the rule"))
    }));
    found
}

fn missing_files(id: &str, paths: &[String]) -> Vec<Violation> {
    let cases = format!("cases/{id}");
    let has_case = |prefixes: &[&str]| {
        paths
            .iter()
            .filter_map(|path| path.strip_prefix(&cases)?.strip_prefix('/')?.strip_suffix(".yaml"))
            .any(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
    };
    let mut found = Vec::new();
    if !has_case(&["admits-"]) {
        let what = format!("{id} has no case that it lets pass; add an admits-*.yaml");
        found.push(Violation::new(&cases, 1, what));
    }
    if !has_case(&["refuses-", "warns-"]) {
        let what =
            format!("{id} has no case that it catches; add a refuses-*.yaml or a warns-*.yaml");
        found.push(Violation::new(&cases, 1, what));
    }
    let page = format!("docs/reference/rules/{id}.md");
    if !paths.contains(&page) {
        let what = format!("{id} has no page; run `cargo xtask docs`");
        found.push(Violation::new(page, 1, what));
    }
    found
}

/// A violation in the table of rules, which has no single line per rule; the message names the rule.
fn in_table(id: &str, what: &str) -> Violation {
    Violation::new("core/engine/src/rules", 1, format!("{id:?} {what}"))
}

/// Whether a text is a rule id, like `RTC-IP-001`.
fn is_id(id: &str) -> bool {
    let parts = id.strip_prefix("RTC-").and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(topic, number)| {
        !topic.is_empty()
            && topic.bytes().all(|byte| byte.is_ascii_uppercase())
            && number.len() == 3
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "RTC-IP-001";

    fn found(ids: &[&str], paths: &[&str]) -> Vec<String> {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        check(ids, &paths).iter().map(ToString::to_string).collect()
    }

    const WHOLE: &[&str] = &[
        "cases/README.md",
        "cases/RTC-IP-001/admits-plain.yaml",
        "cases/RTC-IP-001/refuses-zeros.yaml",
        "docs/reference/rules/README.md",
        "docs/reference/rules/RTC-IP-001.md",
    ];

    #[test]
    fn a_rule_with_cases_on_both_sides_and_a_page_is_fine() {
        assert_eq!(found(&[ID], WHOLE), Vec::<String>::new());
        let warned: Vec<String> =
            WHOLE.iter().map(|path| path.replace("refuses-", "warns-")).collect();
        assert_eq!(check(&[ID], &warned), []);
    }

    #[test]
    fn each_missing_part_fails() {
        for (part, want) in [
            ("admits-", "cases/RTC-IP-001:1: RTC-IP-001 has no case that it lets pass"),
            ("refuses-", "cases/RTC-IP-001:1: RTC-IP-001 has no case that it catches"),
            ("001.md", "docs/reference/rules/RTC-IP-001.md:1: RTC-IP-001 has no page"),
        ] {
            let paths: Vec<&str> =
                WHOLE.iter().copied().filter(|path| !path.contains(part)).collect();
            let found = found(&[ID], &paths);
            assert_eq!(found.len(), 1, "{part}");
            assert!(found[0].starts_with(want), "{found:?}");
        }
    }

    #[test]
    fn a_case_needs_the_right_ending() {
        let paths: Vec<String> = WHOLE.iter().map(|path| path.replace(".yaml", ".yml")).collect();
        assert_eq!(check(&[ID], &paths).len(), 2);
    }

    #[test]
    fn cases_and_pages_without_a_rule_fail_once_each() {
        let orphans = [
            "cases/RTC-IP-009/a.yaml",
            "cases/RTC-IP-009/b.yaml",
            "docs/reference/rules/RTC-X-001.md",
        ];
        let found = found(&[ID], &[WHOLE, &orphans].concat());
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("cases/RTC-IP-009:1: no rule"), "{found:?}");
        assert!(found[1].starts_with("docs/reference/rules/RTC-X-001.md:1: no rule"), "{found:?}");
    }

    #[test]
    fn ids_are_unique_and_well_formed() {
        let found = found(&[ID, ID], WHOLE);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("stands there twice"), "{found:?}");
        assert!(["RTC-IP-001", "RTC-POD-999"].into_iter().all(is_id));
        let wrong =
            ["", "RTC-IP-1", "RTC-IP-0001", "RTC--001", "RTC-ip-001", "RTX-IP-001", "RTC-IP2-001"];
        assert!(!wrong.into_iter().any(is_id));
        assert!(check(&["RTC-ip-001"], &[])[0].to_string().contains("is no id"));
    }
}
