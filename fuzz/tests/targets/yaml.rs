//! Fuzz target `yaml`: YAML is decoded or refused within its limits, with spans in its text, and JSON is decoded as
//! JSON.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_fuzz::{Choices, tree};
use ratchet_object::{
    DecodeError, Decoded, Format, Limits, Node, Value, decode, decode_without_shortcut,
};

const WORDS: &[&str] = &[
    "a: 1\n",
    "- ",
    "- a\n",
    "  ",
    "    ",
    "\n",
    "? ",
    ": ",
    ":",
    "key",
    "&a ",
    "*a",
    "<<: *a",
    "<<",
    "|\n",
    ">-\n",
    "|2-\n",
    "'",
    "\"",
    "\\x41",
    "\\u00e9",
    "{",
    "}",
    "[",
    "]",
    ",",
    "# c",
    "%YAML 1.1\n",
    "---\n",
    "...\n",
    "!!int ",
    "!!binary ",
    "!x ",
    "! ",
    "yes",
    "~",
    "0777",
    "0o17",
    ".inf",
    "1_000",
    "\t",
    "é",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "@",
    "`",
    "a: &a [*b, *b]\n",
    "b: *a\n",
    "-- -",
];

/// Few values, so that aliases reach the limit.
const LIMITS: Limits = Limits { bytes: 1 << 16, depth: 60, nodes: 2_000 };

#[test]
fn yaml() {
    ratchet_fuzz::fuzz!("yaml", WORDS, check);
}

fn check(text: &str) {
    check_one(text);
    // Behind a comment nothing looks like JSON, so the YAML reader reads it first.
    let behind = format!("#\n{text}");
    assert_eq!(Format::guess(&behind), Format::Yaml);
    check_one(&behind);
    if is_plain(text) && serde_json::from_str::<serde_json::Value>(text).is_ok() {
        assert_same(text);
    }
    assert_same(&tree::made(&mut Choices::hashed(text.as_bytes()), WORDS));
}

/// On its way to JSON, YAML's `8.0` becomes `8`; in a JSON text it stays what it is.
fn round(node: &mut Node<'_>) {
    match &mut node.value {
        Value::Float(number)
            if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0 =>
        {
            node.value = Value::Int(*number as i64);
        }
        Value::List(items) => items.iter_mut().for_each(round),
        Value::Map(entries) => entries.iter_mut().for_each(|entry| round(&mut entry.node)),
        _ => {}
    }
}

/// Asserts that the shortcut for plain YAML reads what the whole reader reads, spans included.
fn check_shortcut(text: &str) {
    let format = |decoded: &Result<Decoded<'_>, DecodeError>| format!("{decoded:?}");
    let (one, other) = (decode(text, LIMITS), decode_without_shortcut(text, LIMITS));
    assert_eq!(format(&one), format(&other), "the shortcut differs");
}

fn check_one(text: &str) {
    check_shortcut(text);
    match decode(text, LIMITS) {
        Ok(decoded) => {
            let nodes: usize = decoded.documents.iter().map(tree::count).sum();
            assert!(nodes <= LIMITS.nodes, "{nodes} values");
            decoded.documents.iter().for_each(|node| tree::assert_depth(node, LIMITS.depth));
            decoded.documents.iter().for_each(|node| tree::assert_spans(text, node));
            decoded.repeated.iter().for_each(|member| tree::assert_span(text, member.span));
        }
        Err(why) => tree::assert_error(text, &why),
    }
}

/// JSON without escapes, and without letters that YAML wants to be escaped.
fn is_plain(text: &str) -> bool {
    let is_odd = |letter: char| {
        matches!(letter, '\\' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' | '\u{2028}' | '\u{2029}')
            || (letter.is_control() && letter != '\n')
    };
    text.trim_start().starts_with(['{', '[']) && text.len() < 500 && !text.contains(is_odd)
}

/// Asserts that a JSON document is the same document to the YAML reader.
fn assert_same(json: &str) {
    let yaml = format!("#\n{json}");
    let mut one = decode(json, Limits::DEFAULT).unwrap();
    one.documents.iter_mut().for_each(round);
    let other = decode(&yaml, Limits::DEFAULT).unwrap_or_else(|why| panic!("{why}: {json}"));
    assert_eq!(one.documents, other.documents, "{json}");
    let paths = |repeated: &[ratchet_object::Repeated]| {
        repeated.iter().map(|member| member.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&one.repeated), paths(&other.repeated), "{json}");
}
