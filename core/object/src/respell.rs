//! An object as the API writes it again: members that say nothing are left out, amounts are canonical.

use crate::defaults::quantity::Quantity;
use crate::proto::{Emptiness, emptiness};
use crate::schema::{self, Shape};
use crate::{Node, Value};
use alloc::string::ToString;

/// Writes an object of the type at `place` as the API would: clients that compare what they sent
/// with what they got are used to it.
pub fn respell(node: &mut Node<'_>, place: u16) {
    let row = schema::type_of(place);
    let Some(entries) = node.entries_mut() else { return };
    entries.retain_mut(|entry| {
        let Some(field) = row.field(&entry.key) else { return true };
        value(&mut entry.node, &field.shape);
        match emptiness(place, &entry.key) {
            Emptiness::Said => true,
            Emptiness::Told => {
                // A list that must be told and holds nothing is told as nothing.
                if matches!(field.shape, Shape::List(_) | Shape::Map(_)) && is_empty(&entry.node) {
                    entry.node.value = Value::Null;
                }
                true
            }
            Emptiness::Omitted => !is_empty(&entry.node) || matches!(field.shape, Shape::Object(_)),
            Emptiness::OmittedWhole => !is_empty(&entry.node),
        }
    });
}

fn value(node: &mut Node<'_>, shape: &'static Shape) {
    match shape {
        Shape::Object(place) => respell(node, *place),
        Shape::List(inner) => {
            for item in node.items_mut().into_iter().flatten() {
                value(item, inner);
            }
        }
        Shape::Map(inner) => {
            for entry in node.entries_mut().into_iter().flatten() {
                value(&mut entry.node, inner);
            }
        }
        Shape::Quantity => {
            let text = match &node.value {
                Value::Text(text) => text.to_string(),
                Value::Int(_) | Value::Float(_) => node.to_json(),
                _ => return,
            };
            if let Some(amount) = Quantity::parse(&text) {
                node.value = Value::Text(amount.to_string().into());
            }
        }
        _ => {}
    }
}

fn is_empty(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Null | Value::Bool(false) | Value::Int(0) => true,
        Value::Bool(true) | Value::Int(_) => false,
        Value::Float(number) => *number == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};

    fn respelled(group: &str, version: &str, kind: &str, text: &str) -> alloc::string::String {
        let mut node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        respell(&mut node, schema::kind(group, version, kind).unwrap().ty);
        node.to_json()
    }

    #[test]
    fn what_says_nothing_is_left_out_and_what_was_said_on_purpose_stays() {
        assert_eq!(
            respelled(
                "",
                "v1",
                "Service",
                "{spec: {externalIPs: [], loadBalancerIP: '', clusterIP: x}}"
            ),
            r#"{"spec":{"clusterIP":"x"}}"#
        );
        assert_eq!(
            respelled(
                "apps",
                "v1",
                "Deployment",
                "{spec: {replicas: 0, paused: false}, status: {}}"
            ),
            r#"{"spec":{"replicas":0},"status":{}}"#
        );
        assert_eq!(
            respelled(
                "networking.k8s.io",
                "v1",
                "NetworkPolicy",
                "{spec: {ingress: [{from: []}]}}"
            ),
            r#"{"spec":{"ingress":[{}]}}"#
        );
    }

    #[test]
    fn a_list_that_must_be_told_is_told_as_nothing() {
        assert_eq!(
            respelled(
                "discovery.k8s.io",
                "v1",
                "EndpointSlice",
                "{endpoints: [], addressType: IPv4}"
            ),
            r#"{"endpoints":null,"addressType":"IPv4"}"#
        );
    }

    #[test]
    fn amounts_are_canonical() {
        let text =
            "{spec: {containers: [{name: a, resources: {limits: {memory: 1024Mi, cpu: 1000m}}}]}}";
        assert_eq!(
            respelled("", "v1", "Pod", text),
            r#"{"spec":{"containers":[{"name":"a","resources":{"limits":{"memory":"1Gi","cpu":"1"}}}]}}"#
        );
    }
}
