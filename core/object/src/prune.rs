//! Pruning as decoding into Go's types does it: unknown fields go, and `null` items become zero values.

use crate::base64;
use crate::complete::zero;
use crate::schema::{self, Shape};
use crate::{Node, Value};

/// Drops unknown fields and `null` members from an object of the type at `type_index`; a `null` item of a list or
/// value of a map becomes the zero value of its type.
pub fn prune(node: &mut Node<'_>, type_index: u16) {
    let row = schema::type_of(type_index);
    let Some(entries) = node.entries_mut() else { return };
    entries.retain_mut(|entry| {
        let Some(field) = row.field(&entry.key).filter(|_| !entry.node.is_null()) else {
            return false;
        };
        value(&mut entry.node, &field.shape);
        !entry.node.is_null()
    });
}

fn value(node: &mut Node<'_>, shape: &'static Shape) {
    let Some(shape) = shape.resolve(&node.value) else {
        node.value = Value::Null;
        return;
    };
    match shape {
        Shape::Object(type_index) => prune(node, *type_index),
        Shape::List(inner) => {
            node.items_mut().into_iter().flatten().for_each(|item| element(item, inner));
        }
        Shape::Map(inner) => {
            let entries = node.entries_mut().into_iter().flatten();
            entries.for_each(|entry| element(&mut entry.node, inner));
        }
        Shape::Bytes => {
            if let Some(bytes) = base64::of_numbers(node.items())
                && matches!(node.value, Value::List(_))
            {
                *node = Node::string(base64::encode(&bytes));
            }
        }
        _ => {}
    }
}

fn element(node: &mut Node<'_>, shape: &'static Shape) {
    match (&node.value, shape) {
        // An empty struct: the fields that are always encoded are added later.
        (Value::Null, Shape::Object(_)) => *node = Node::empty_map(),
        // Protobuf cannot express absent bytes in a list.
        (Value::Null, Shape::Bytes) => *node = Node::string(""),
        (Value::Null, _) => *node = zero(shape),
        _ => value(node, shape),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn nothing_in_a_list_or_a_map_is_the_zero_of_its_type() {
        let pruned = |group: &str, kind: &str, text: &str| {
            let mut node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
            prune(&mut node, schema::kind(group, "v1", kind).unwrap().ty);
            node.to_json()
        };
        assert_eq!(
            pruned("", "ConfigMap", "{data: {a: null}, binaryData: {b: null}, other: 1}"),
            r#"{"data":{"a":""},"binaryData":{"b":""}}"#
        );
        assert_eq!(
            pruned("", "Secret", "{data: {a: [], b: [97, 98]}}"),
            r#"{"data":{"a":"","b":"YWI="}}"#
        );
        assert_eq!(
            pruned("", "Pod", "{spec: {containers: [null, {args: [null], image: null}]}}"),
            r#"{"spec":{"containers":[{},{"args":[""]}]}}"#
        );
        let schema = |text: &str| {
            let text = format!("{{spec: {{versions: [{{schema: {{openAPIV3Schema: {text}}}}}]}}}}");
            let pruned = pruned("apiextensions.k8s.io", "CustomResourceDefinition", &text);
            let start = r#"{"spec":{"versions":[{"schema":{"openAPIV3Schema":"#;
            pruned
                .strip_prefix(start)
                .and_then(|rest| rest.strip_suffix("}}]}}"))
                .unwrap()
                .to_string()
        };
        assert_eq!(schema("{items: {type: a, nope: 1}}"), r#"{"items":{"type":"a"}}"#);
        assert_eq!(
            schema("{items: true, additionalProperties: true}"),
            r#"{"additionalProperties":true}"#
        );
        assert_eq!(
            pruned("", "ResourceQuota", "{spec: {hard: {pods: null}}}"),
            r#"{"spec":{"hard":{"pods":"0"}}}"#
        );
    }
}
