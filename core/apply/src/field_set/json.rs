//! `fieldsV1`: field sets as JSON.

use super::{FieldSet, SetBuilder};
use crate::path_element::{ElementError, PathElement};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Entry, Node, Value, field_key};

/// The member that says that the field itself is in the set, beside what is below it.
const SELF: &str = ".";

impl<'a> FieldSet<'a> {
    /// Reads the value of `fieldsV1`; `None` if it is malformed. Elements of unknown sorts are passed over.
    pub fn decode(fields: &'a Node<'_>) -> Option<Self> {
        Some(decode(fields)?.1)
    }

    /// The value of `fieldsV1`, in the order of the elements.
    #[must_use]
    pub fn encode(&self) -> Node<'static> {
        self.encode_with(false)
    }

    fn encode_with(&self, with_self: bool) -> Node<'static> {
        let mut entries = Vec::with_capacity(self.nodes.len() + usize::from(with_self));
        if with_self {
            entries.push(Entry::new(SELF, Node::empty_map()));
        }
        for node in &self.nodes {
            let with_self = node.is_member && !node.children.is_empty();
            entries.push(Entry::new(key(&node.element), node.children.encode_with(with_self)));
        }
        Node::new(Value::Map(entries))
    }
}

/// An element as the key of a member. Those of most fields are there already.
fn key(element: &PathElement<'_>) -> Cow<'static, str> {
    if let PathElement::Field(name) = element
        && let Some(key) = field_key(name)
    {
        return Cow::Borrowed(key);
    }
    let mut key = String::with_capacity(32);
    element.write(&mut key);
    Cow::Owned(key)
}

/// Whether the field itself is in the set, and the fields below it. What has nothing below it is in the set.
fn decode<'a>(fields: &'a Node<'_>) -> Option<(bool, FieldSet<'a>)> {
    let entries = match &fields.value {
        Value::Map(entries) => entries,
        Value::Null => return Some((true, FieldSet::EMPTY)),
        _ => return None,
    };
    let mut is_member = false;
    let mut builder = SetBuilder::default();
    for entry in entries {
        if entry.key == SELF {
            is_member = true;
            continue;
        }
        match PathElement::parse(&entry.key) {
            Ok(element) => {
                let (is_member, children) = decode(&entry.node)?;
                builder.push(element, is_member, children);
            }
            Err(ElementError::Unknown) => {}
            Err(ElementError::Malformed) => return None,
        }
    }
    let children = builder.build();
    Some((is_member || children.is_empty(), children))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use ratchet_object::{Limits, decode_json};

    fn round_trip(text: &str) -> Option<String> {
        let node = decode_json(text, Limits::DEFAULT).unwrap().documents.remove(0);
        Some(FieldSet::decode(&node)?.encode().to_json())
    }

    #[test]
    fn sets_are_read_and_written_alike() {
        for text in [
            "{}",
            r#"{"f:data":{".":{},"f:a":{},"f:b":{}}}"#,
            r#"{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}"#,
            r#"{"f:metadata":{"f:finalizers":{"v:\"a\"":{},"v:\"b\"":{}}}}"#,
            r#"{"f:a\u003cb":{}}"#,
        ] {
            assert_eq!(round_trip(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_written_is_sorted_and_short() {
        let text = r#"{"f:b":{},"i:0":{},"v:1":{},"f:a":{".":{}},"k:{\"a\":1}":{".":{}}}"#;
        let sorted = r#"{"f:a":{},"f:b":{},"k:{\"a\":1}":{},"v:1":{},"i:0":{}}"#;
        assert_eq!(round_trip(text).as_deref(), Some(sorted));
        // The next version may know what `x:` is; a member without anything that is known is in the set.
        let text = r#"{"f:a":{"x:b":{"f:c":7}},"f:d":null,".":{}}"#;
        assert_eq!(round_trip(text).as_deref(), Some(r#"{"f:a":{},"f:d":{}}"#));
    }

    #[test]
    fn what_is_malformed() {
        for text in ["7", "[]", r#"{"f:a":7}"#, r#"{"":{}}"#, r#"{"banana":{}}"#, r#"{"i:x":{}}"#] {
            assert_eq!(round_trip(text), None, "{text}");
        }
    }

    #[test]
    fn fields_are_visited_level_by_level() {
        let text = r#"{"f:a":{".":{},"f:b":{}},"f:c":{"v:\"x\"":{}}}"#;
        let node = decode_json(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let set = FieldSet::decode(&node).unwrap();
        let mut paths = Vec::new();
        set.for_each(&mut |path| paths.push(path.to_string()));
        assert_eq!(paths, [".a", ".a.b", r#".c[="x"]"#]);
        assert_eq!(set.len(), 3);
        assert!(set.has_names(&["a", "b"]) && !set.has_names(&["c"]) && !set.has_names(&[]));
    }
}
