//! Fuzz target `selectors`: label and field selectors are parsed or refused, and parse back from their own text.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_object::selector::{FieldSelector, LabelSelector, selectable};
use ratchet_object::{Limits, decode};

const WORDS: &[&str] = &[
    "a",
    "b",
    "app",
    "example.com/x",
    "in",
    "notin",
    " in ",
    " notin ",
    "(",
    ")",
    "()",
    ",",
    "!",
    "=",
    "==",
    "!=",
    ">",
    "<",
    " ",
    "\t",
    "1",
    "-1",
    "metadata.name",
    "metadata.namespace",
    "spec.nodeName",
    "status.phase",
    "\\,",
    "\\=",
    "\\\\",
    "\\",
    "/",
    "-",
    "é",
    "\u{0}",
];

#[test]
fn selectors() {
    ratchet_fuzz::fuzz!("selectors", WORDS, check);
}

fn check(text: &str) {
    check_labels(text);
    check_fields(text);
    if let Ok(decoded) = decode(text, Limits { nodes: 500, ..Limits::DEFAULT }) {
        for node in &decoded.documents {
            if let Ok(selector) = LabelSelector::from_tree(Some(node)) {
                let _ = selector.matches_object(node);
            }
        }
    }
}

fn check_labels(text: &str) {
    match LabelSelector::parse(text) {
        Err(why) => assert!(why.contains("expected") || why.contains("Invalid value"), "{why}"),
        Ok(selector) => {
            let written = selector.to_string();
            assert_eq!(LabelSelector::parse(&written).as_ref(), Ok(&selector), "{written:?}");
            let one_by_one = |value: Option<&'static str>| {
                selector.requirements().iter().all(|requirement| requirement.holds(value))
            };
            for value in [None, Some(""), Some("a"), Some("1")] {
                assert_eq!(selector.matches(|_| value), one_by_one(value));
            }
        }
    }
}

fn check_fields(text: &str) {
    let Ok(selector) = FieldSelector::parse(text) else { return };
    let written = selector.to_string();
    let again = FieldSelector::parse(&written).unwrap();
    assert_eq!(again.terms().len(), selector.terms().len(), "{written:?}");
    for (group, kind) in [("", "Pod"), ("", "Node"), ("batch", "Job"), ("apps", "Deployment")] {
        let fields = selectable(group, kind);
        let is_known = |name: &str| fields.iter().any(|field| field.key == name);
        let result = selector.check(group, "v1", kind);
        assert_eq!(result.is_ok(), selector.terms().iter().all(|term| is_known(&term.field)));
    }
}
