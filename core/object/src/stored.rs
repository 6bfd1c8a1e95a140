//! The JSON that objects are stored as; a tree is refused if it would not decode to the same tree again.

use crate::members::are_unique;
use crate::{DecodeError, Limits, Node, Value, decode_json, depth};
use alloc::format;
use alloc::string::String;

/// A stored object may be as large as a request, and a little deeper.
const LIMITS: Limits = Limits { depth: depth::MAX_STORED_DEPTH, ..Limits::STORED };

/// Decodes one stored object.
pub fn decode_stored(text: &str) -> Result<Node<'_>, DecodeError> {
    let mut documents = decode_json(text, LIMITS)?.documents;
    match (documents.pop(), documents.is_empty()) {
        (Some(node), true) if matches!(node.value, Value::Map(_)) => Ok(node),
        _ => Err(DecodeError::new("not one object", 0)),
    }
}

/// Encodes an object for storage, or explains why it must not be stored.
pub fn stored_json(node: &Node<'_>) -> Result<String, String> {
    let depth = node.depth();
    if depth > LIMITS.depth {
        return Err(format!("it is nested {depth} levels deep, more than {}", LIMITS.depth));
    }
    if !matches!(node.value, Value::Map(_)) {
        return Err("it cannot be read back: not one object".into());
    }
    if !is_json(node) {
        return Err("it is read back as another object".into());
    }
    let text = node.to_json();
    debug_assert!(decode_stored(&text).is_ok_and(|again| round_trips(node, &again)), "{text}");
    Ok(text)
}

/// Whether JSON can tell a tree from every other one: it has no endless numbers, and of members with the same key only
/// one is read. The tree is not deep.
fn is_json(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => true,
        Value::Float(number) => number.is_finite(),
        Value::List(items) => items.iter().all(is_json),
        Value::Map(entries) => {
            are_unique(entries) && entries.iter().all(|entry| is_json(&entry.node))
        }
    }
}

/// Whether `decoded` equals `original`, with members in the same order and numbers compared by value, for JSON does
/// not tell `1.0` from `1`.
fn round_trips(original: &Node<'_>, decoded: &Node<'_>) -> bool {
    match (&original.value, &decoded.value) {
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| round_trips(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            let same = |(a, b): (&crate::Entry<'_>, &crate::Entry<'_>)| {
                a.key == b.key && round_trips(&a.node, &b.node)
            };
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        (Value::Float(a), Value::Int(b)) => *a == *b as f64,
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entry, decode};
    use alloc::vec;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn nested(levels: usize) -> Node<'static> {
        (0..levels).fold(Node::empty_map(), |inner, _| Node::map([("a", inner)]))
    }

    #[test]
    fn what_cannot_be_read_back_is_not_written() {
        assert_eq!(stored_json(&nested(2)).as_deref(), Ok(r#"{"a":{"a":{}}}"#));
        assert!(stored_json(&nested(depth::MAX_STORED_DEPTH)).is_ok());
        let error = stored_json(&nested(depth::MAX_STORED_DEPTH + 1)).unwrap_err();
        assert_eq!(error, "it is nested 271 levels deep, more than 270");
        // Deep, but not so deep that this test could not drop it.
        assert!(stored_json(&nested(2_000)).is_err());
        let twice = vec![Entry::new("a", Node::int(1)), Entry::new("a", Node::int(2))];
        let error = stored_json(&Node::new(Value::Map(twice))).unwrap_err();
        assert_eq!(error, "it is read back as another object");
        let endless = Node::map([("a", Node::new(Value::Float(f64::INFINITY)))]);
        assert_eq!(stored_json(&endless).unwrap_err(), "it is read back as another object");
        assert_eq!(
            stored_json(&Node::int(1)).unwrap_err(),
            "it cannot be read back: not one object"
        );
    }

    #[test]
    fn only_one_object_is_a_stored_object() {
        for text in ["", "{} {}", "[]", "1", "{", "a: 1", "{a: 1}", "{\"a\":1}x"] {
            assert!(decode_stored(text).is_err(), "{text}");
        }
        assert!(decode_stored(" {\"a\":1}\n").is_ok());
    }

    fn any_tree() -> impl Strategy<Value = Node<'static>> {
        let leaf = prop_oneof![
            Just(Node::new(Value::Null)),
            any::<bool>().prop_map(Node::bool),
            any::<i64>().prop_map(Node::int),
            any::<f64>()
                .prop_filter("JSON has no others", |number| number.is_finite())
                .prop_map(|number| Node::new(Value::Float(number))),
            (-1e22..1e22).prop_map(|number: f64| Node::new(Value::Float(number.trunc()))),
            any::<String>().prop_map(Node::string),
        ];
        leaf.prop_recursive(8, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Node::list),
                prop::collection::btree_map(any::<String>(), inner, 0..6).prop_map(Node::map),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_tree_is_read_back(tree in any_tree()) {
            let object = Node::map([("a", tree)]);
            let stored = |node: &Node<'_>| stored_json(node).map_err(TestCaseError::fail);
            let decode = |text| {
                decode_stored(text).map_err(|error| TestCaseError::fail(error.message))
            };
            let text = stored(&object)?;
            prop_assert!(round_trips(&object, &decode(&text)?));
            // After the first round trip the text is stable; `-0` is `0` from then on.
            let once = stored(&decode(&text)?)?;
            prop_assert_eq!(&stored(&decode(&once)?)?, &once);
            prop_assert_eq!(once, text.replace("-0}", "0}").replace("-0,", "0,").replace("-0]", "0]"));
        }

        #[test]
        fn every_body_that_is_read_can_be_stored(text in body()) {
            let Ok(decoded) = decode(&text, Limits::DEFAULT) else { return Ok(()) };
            for node in decoded.documents {
                prop_assert!(node.depth() <= depth::MAX_REQUEST_DEPTH);
                if matches!(node.value, Value::Map(_)) {
                    prop_assert!(stored_json(&node).is_ok(), "{}", text);
                }
            }
        }
    }

    /// YAML and JSON with anchors, merges, repeated names, odd numbers and depth.
    fn body() -> impl Strategy<Value = String> {
        let part = prop::sample::select(
            &[
                "a",
                "b",
                ": ",
                "\n",
                "\n  ",
                "- ",
                "[",
                "]",
                "{",
                "}",
                "&x ",
                "*x",
                "<<: *x",
                ", ",
                "1e400",
                "-0.0",
                "1.0",
                "0x1F",
                "1_000",
                "~",
                "\"\\ud800\"",
                "\"",
                "'",
                "!!binary aA==",
                "|",
                "é",
                "\u{0}",
                "\u{feff}",
                "? ",
                "18446744073709551616",
            ][..],
        );
        let parts_text = prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat());
        let deep = (0..300_usize, 1..6_usize).prop_map(|(brackets, anchors)| {
            let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
            let lines: Vec<String> = (0..anchors)
                .map(|at| match at {
                    0 => format!("a0: &a0 {open}1{close}\n"),
                    at => format!("a{at}: &a{at} {open}*a{}{close}\n", at - 1),
                })
                .collect();
            lines.concat()
        });
        prop_oneof![3 => parts_text, 1 => deep]
    }
}
