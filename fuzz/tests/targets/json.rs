//! Fuzz target `json`: text that looks like JSON is decoded or refused, and what is decoded can be encoded again.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like a test"
)]

use ratchet_fuzz::tree;
use ratchet_object::{Decoded, Limits, Node, Value, decode};
use serde_json::Value as Json;

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\"a\"",
    "\"a\":",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1e5",
    "1.5",
    "-",
    "1e999",
    "01",
    "9223372036854775808",
    "\\u00e9",
    "\\ud83d",
    "\\ude00",
    "\\u12",
    "\\",
    "\\n",
    "\\/",
    "\\x",
    " ",
    "\n",
    "{}",
    "[]",
    "\"kind\": \"Pod\"",
    "é",
    "[[[[[[[[",
    "]]]]]]]]",
];

const LIMITS: Limits = Limits { nodes: 10_000, ..Limits::DEFAULT };

#[test]
fn json() {
    ratchet_fuzz::fuzz!("json", WORDS, check);
}

fn check(text: &str) {
    check_one(text);
    // A brace in front of anything makes it look like JSON.
    check_one(&format!("[{text}]"));
    check_one(&format!("{{\"a\":{text}"));
}

fn check_one(text: &str) {
    let decoded = decode(text, LIMITS);
    match &decoded {
        Ok(Decoded { documents, repeated }) => {
            documents.iter().for_each(|node| check_tree(text, node));
            repeated.iter().for_each(|member| tree::assert_span(text, member.span));
        }
        Err(why) => tree::assert_error(text, why),
    }
    if text.trim_start().starts_with(['{', '['])
        && let Ok(other) = serde_json::from_str::<Json>(text)
    {
        let documents = decoded.unwrap().documents;
        assert!(documents.len() == 1 && is_same(&documents[0], &other), "{documents:?}");
    }
}

fn check_tree(text: &str, node: &Node<'_>) {
    tree::assert_spans(text, node);
    assert!(tree::count(node) <= LIMITS.nodes);
    tree::assert_depth(node, LIMITS.depth);
    // In brackets, because what does not begin with one is read as YAML.
    let written = format!("[{}]", tree::json(node));
    let deeper = Limits { depth: LIMITS.depth + 2, ..Limits::DEFAULT };
    let again = decode(&written, deeper).unwrap();
    assert_eq!(again.documents.len(), 1);
    assert_eq!(again.documents[0].items(), std::slice::from_ref(node), "{written}");
    assert!(again.repeated.is_empty(), "names are unique: {:?}", again.repeated);
    assert_eq!(&node.clone().into_owned(), node);
}

/// Whether another reader found the same; it reads floats a little less exactly.
fn is_same(node: &Node<'_>, other: &Json) -> bool {
    match (&node.value, other) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(one), Json::Bool(other)) => one == other,
        (Value::Int(one), Json::Number(other)) => Some(*one) == other.as_i64() || *one == 0,
        (Value::Float(one), Json::Number(other)) => {
            other.as_f64().is_some_and(|other| (one - other).abs() <= one.abs() * 1e-15)
        }
        (Value::Text(one), Json::String(other)) => one == other,
        (Value::List(one), Json::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Map(one), Json::Object(other)) => {
            let same = |name, node| other.get(name).is_some_and(|other| is_same(node, other));
            one.len() == other.len() && one.iter().all(|entry| same(&*entry.key, &entry.node))
        }
        _ => false,
    }
}
