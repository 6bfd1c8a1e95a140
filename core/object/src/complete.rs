//! Completion of objects with the fields that Go always encodes: empty structs, zeros and nulls.

use crate::proto::{Emptiness, presences};
use crate::schema::{FieldRow, Shape};
use crate::{Node, Value};

/// Adds the fields that Go types without `omitempty` always encode: clients expect `status: {}` and
/// `resources: {}` when they compare an object with what they sent.
pub fn complete(node: &mut Node<'_>, type_index: u16) {
    if !matches!(node.value, Value::Map(_)) {
        return;
    }
    for (field, emptiness) in presences(type_index) {
        match node.get_mut(field.name) {
            Some(member) if !member.is_null() => complete_value(member, &field.shape),
            member => {
                if !is_encoded(field, emptiness) {
                    continue;
                }
                let value = absent_value(field, emptiness);
                match member {
                    Some(member) => member.value = value.value,
                    None => node.set(field.name, value),
                }
            }
        }
    }
}

fn complete_value(node: &mut Node<'_>, shape: &'static Shape) {
    let Some(shape) = shape.resolve(&node.value) else { return };
    match shape {
        Shape::Object(type_index) => complete(node, *type_index),
        Shape::List(inner) if contains_objects(inner) => {
            for item in node.items_mut().into_iter().flatten() {
                complete_value(item, inner);
            }
        }
        Shape::Map(inner) if contains_objects(inner) => {
            for entry in node.entries_mut().into_iter().flatten() {
                complete_value(&mut entry.node, inner);
            }
        }
        _ => {}
    }
}

fn contains_objects(shape: &Shape) -> bool {
    match shape {
        Shape::Object(_) => true,
        Shape::List(inner) | Shape::Map(inner) => contains_objects(inner),
        Shape::OneOf(shapes) => shapes.iter().any(contains_objects),
        _ => false,
    }
}

/// Whether Go encodes an absent field.
pub(crate) fn is_encoded(field: &FieldRow, emptiness: Emptiness) -> bool {
    match emptiness {
        Emptiness::Always | Emptiness::NullPointer => true,
        Emptiness::OmitEmpty => is_structure(&field.shape),
        Emptiness::Pointer | Emptiness::OmitZero => false,
    }
}

/// The value that Go encodes for an absent field.
pub(crate) fn absent_value(field: &'static FieldRow, emptiness: Emptiness) -> Node<'static> {
    match emptiness {
        Emptiness::NullPointer => Node::new(Value::Null),
        _ => zero(&field.shape),
    }
}

/// Whether a shape is a struct in Go: `omitempty` never omits one.
pub(crate) fn is_structure(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Object(_)
            | Shape::Time
            | Shape::MicroTime
            | Shape::Quantity
            | Shape::IntOrString
            | Shape::Any
            | Shape::OneOf(_)
    )
}

/// The zero value of a shape, as Go encodes it.
pub(crate) fn zero(shape: &'static Shape) -> Node<'static> {
    match shape {
        Shape::String => Node::string(""),
        Shape::Quantity => Node::string("0"),
        Shape::Int32 | Shape::Int64 | Shape::Float | Shape::IntOrString => Node::int(0),
        Shape::Bool => Node::bool(false),
        Shape::Object(type_index) => {
            let mut node = Node::empty_map();
            complete(&mut node, *type_index);
            node
        }
        Shape::Bytes
        | Shape::Time
        | Shape::MicroTime
        | Shape::Any
        | Shape::OneOf(_)
        | Shape::List(_)
        | Shape::Map(_) => Node::new(Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode, schema};
    use alloc::string::String;

    fn completed(group: &str, version: &str, kind: &str, text: &str) -> String {
        let mut node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        complete(&mut node, schema::kind(group, version, kind).unwrap().ty);
        node.to_json()
    }

    #[test]
    fn structs_are_written_even_when_empty() {
        assert_eq!(
            completed("", "v1", "Pod", "{metadata: {}, spec: {containers: [{name: a}]}}"),
            r#"{"metadata":{},"spec":{"containers":[{"name":"a","resources":{}}]},"status":{}}"#
        );
        assert_eq!(
            completed(
                "discovery.k8s.io",
                "v1",
                "EndpointSlice",
                "{metadata: {}, addressType: IPv4, endpoints: [{addresses: [a]}], ports: []}"
            ),
            r#"{"metadata":{},"addressType":"IPv4","endpoints":[{"addresses":["a"],"conditions":{}}],"ports":[]}"#
        );
    }

    #[test]
    fn numbers_without_omitempty_are_written_as_zero() {
        let text = completed("apps", "v1", "ReplicaSet", "{metadata: {}, spec: {selector: {}}}");
        assert!(text.contains(r#""status":{"replicas":0}"#), "{text}");
        let text = completed("", "v1", "Node", "{metadata: {}, status: null}");
        assert!(text.contains(r#""daemonEndpoints":{"kubeletEndpoint":{"Port":0}}"#), "{text}");
    }

    #[test]
    fn pointers_and_what_is_misshapen_stay_as_they_are() {
        assert_eq!(
            completed("", "v1", "ConfigMap", "{metadata: {}, data: {a: b}}"),
            r#"{"metadata":{},"data":{"a":"b"}}"#
        );
        assert_eq!(completed("", "v1", "Pod", "[a]"), r#"["a"]"#);
        let text = completed("", "v1", "Pod", "{spec: {containers: 7}, status: {}}");
        assert!(text.contains(r#""containers":7"#), "{text}");
    }

    #[test]
    fn to_complete_twice_changes_nothing() {
        for row in schema::KINDS {
            let mut once = Node::empty_map();
            complete(&mut once, row.ty);
            let mut twice = once.clone();
            complete(&mut twice, row.ty);
            assert_eq!(once, twice, "{}", row.kind);
        }
    }
}
