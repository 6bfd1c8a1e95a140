//! The JSON that objects are stored as; a tree is refused if it would not decode to the same tree again.

use crate::members::are_unique;
use crate::write::{push_key, push_text, write_entries, write_value};
use crate::{DecodeError, Entry, Limits, Node, Value, decode_json, depth};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

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
    check(node)?;
    let text = node.to_json();
    debug_assert!(decode_stored(&text).is_ok_and(|again| round_trips(node, &again)), "{text}");
    Ok(text)
}

/// The same as a store has it: metadata first, with `managedFields` last, without `resourceVersion` and `kind`, and with
/// an `apiVersion` behind everything only if one is given. An object without metadata gets an empty one.
pub fn stored_object(object: &Node<'_>, api_version: Option<&str>) -> Result<StoredText, String> {
    check(object)?;
    if object.get("metadata").is_some_and(|metadata| !matches!(metadata.value, Value::Map(_))) {
        return Err("its metadata is no object".into());
    }
    let stored = stored_text(object, api_version);
    let text = &stored.text;
    debug_assert!(decode_stored(text).is_ok_and(|again| is_stored(object, &again)), "{text}");
    Ok(stored)
}

/// An object as a store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredText {
    /// Its JSON.
    pub text: String,
    /// Where in the text each of its `managedFields` stands; they stand side by side.
    pub managed_fields: Vec<Range<usize>>,
}

/// The same for an object that is not stored but served, of which nothing is checked.
pub fn stored_text(object: &Node<'_>, api_version: Option<&str>) -> StoredText {
    let metadata = object.get("metadata").map(Node::entries).unwrap_or_default();
    let is_last = |entry: &&Entry<'_>| entry.key == MANAGED_FIELDS;
    let is_first = |entry: &&Entry<'_>| !is_last(entry) && entry.key != "resourceVersion";
    let mut text = String::with_capacity(1024);
    text.push_str("{\"metadata\":{");
    let start = text.len();
    write_entries(&mut text, metadata.iter().filter(is_first));
    let mut managed_fields = Vec::new();
    for entry in metadata.iter().filter(is_last) {
        push_key(&mut text, start, MANAGED_FIELDS);
        managed_fields = write_items(&mut text, &entry.node);
    }
    text.push('}');
    for entry in object.entries().iter().filter(|entry| !is_arranged(&entry.key)) {
        push_key(&mut text, start, &entry.key);
        write_value(&mut text, &entry.node.value);
    }
    if let Some(api_version) = api_version {
        push_key(&mut text, start, "apiVersion");
        push_text(&mut text, api_version);
    }
    text.push('}');
    StoredText { text, managed_fields }
}

/// Appends a list, and returns where each of its items stands.
fn write_items(text: &mut String, list: &Node<'_>) -> Vec<Range<usize>> {
    let Value::List(items) = &list.value else {
        write_value(text, &list.value);
        return Vec::new();
    };
    text.push('[');
    let mut places = Vec::with_capacity(items.len());
    for item in items {
        if !places.is_empty() {
            text.push(',');
        }
        let start = text.len();
        write_value(text, &item.value);
        places.push(start..text.len());
    }
    text.push(']');
    places
}

const MANAGED_FIELDS: &str = "managedFields";

/// Whether a member is not written where it stands.
fn is_arranged(name: &str) -> bool {
    matches!(name, "metadata" | "kind" | "apiVersion")
}

/// Whether what was decoded is the object, but for what is not stored.
fn is_stored(object: &Node<'_>, decoded: &Node<'_>) -> bool {
    let [mut one, mut other] = [object, decoded].map(Node::clone);
    for node in [&mut one, &mut other] {
        ["kind", "apiVersion"].into_iter().for_each(|name| drop(node.remove(name)));
        let mut metadata = node.remove("metadata").unwrap_or_else(Node::empty_map);
        metadata.remove("resourceVersion");
        if let Some(entries) = metadata.remove(MANAGED_FIELDS) {
            metadata.set(MANAGED_FIELDS, entries);
        }
        node.set("metadata", metadata);
    }
    round_trips(&one, &other)
}

/// Explains why a tree must not be stored, if that is so.
fn check(node: &Node<'_>) -> Result<(), String> {
    let is_map = matches!(node.value, Value::Map(_));
    if is_map && is_json(node, LIMITS.depth) {
        return Ok(());
    }
    let depth = node.depth();
    Err(match is_map {
        _ if depth > LIMITS.depth => {
            format!("it is nested {depth} levels deep, more than {}", LIMITS.depth)
        }
        false => "it cannot be read back: not one object".into(),
        true => "it is read back as another object".into(),
    })
}

/// Whether a tree has no more levels than these below it, and JSON can tell it from every other one: it has no endless
/// numbers, and of members with the same key only one is read.
fn is_json(node: &Node<'_>, levels: usize) -> bool {
    let is_inner = |inner: &Node<'_>| levels > 0 && is_json(inner, levels - 1);
    match &node.value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => true,
        Value::Float(number) => number.is_finite(),
        Value::List(items) => items.iter().all(is_inner),
        Value::Map(entries) => {
            are_unique(entries) && entries.iter().all(|entry| is_inner(&entry.node))
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
            let same =
                |(a, b): (&Entry<'_>, &Entry<'_>)| a.key == b.key && round_trips(&a.node, &b.node);
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        (Value::Float(a), Value::Int(b)) => *a == *b as f64,
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;
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
    fn a_stored_object_begins_with_its_metadata() {
        let node = |text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let text = "{apiVersion: v1, data: {a: '1<'}, kind: ConfigMap, metadata: {managedFields: [{}], name: x, resourceVersion: '7', uid: u}, z: 1}";
        let stored = r#"{"metadata":{"name":"x","uid":"u","managedFields":[{}]},"data":{"a":"1\u003c"},"z":1}"#;
        let first = stored_object(&node(text), None).unwrap();
        assert_eq!(first.text, stored);
        let entries: Vec<&str> = first.managed_fields.into_iter().map(|at| &stored[at]).collect();
        assert_eq!(entries, ["{}"]);
        let versioned = stored_object(&node("{spec: {}}"), Some("a.b/v1")).unwrap();
        assert_eq!(versioned.text, r#"{"metadata":{},"spec":{},"apiVersion":"a.b/v1"}"#);
        assert_eq!(versioned.managed_fields, []);
        let only = "{metadata: {managedFields: [{a: 1}, {b: [2]}]}}";
        let only = stored_object(&node(only), None).unwrap();
        assert_eq!(only.text, r#"{"metadata":{"managedFields":[{"a":1},{"b":[2]}]}}"#);
        let entries: Vec<&str> =
            only.managed_fields.iter().map(|at| &only.text[at.clone()]).collect();
        assert_eq!(entries, [r#"{"a":1}"#, r#"{"b":[2]}"#]);
        let odd = stored_object(&node("{metadata: {managedFields: x}}"), None).unwrap();
        assert_eq!(
            (odd.text.as_str(), odd.managed_fields.len()),
            (r#"{"metadata":{"managedFields":"x"}}"#, 0)
        );
        let odd = stored_object(&node("{metadata: [], spec: {}}"), None);
        assert_eq!(odd.unwrap_err(), "its metadata is no object");
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
