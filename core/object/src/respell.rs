//! An object as the API writes it again: members that say nothing are left out, amounts are canonical,
//! and what the API always tells is told.

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
            Emptiness::Omitted => !is_empty(&entry.node) || is_structure(&field.shape),
            Emptiness::OmittedWhole => !is_empty(&entry.node),
        }
    });
    tell(node, place);
}

/// Adds what is absent and yet always told: members without `omitempty`, and those that are
/// structures in Go, which `omitempty` does not leave out.
fn tell(node: &mut Node<'_>, place: u16) {
    for field in schema::type_of(place).fields {
        let is_told = match emptiness(place, field.name) {
            Emptiness::Told => true,
            Emptiness::Omitted => is_structure(&field.shape),
            Emptiness::Said | Emptiness::OmittedWhole => false,
        };
        if is_told && node.get(field.name).is_none() {
            node.set(field.name, nothing(&field.shape));
        }
    }
}

fn is_structure(shape: &Shape) -> bool {
    matches!(
        shape,
        Shape::Object(_) | Shape::Quantity | Shape::IntOrString | Shape::Time | Shape::MicroTime
    )
}

/// How Go writes a value that nobody has set.
fn nothing(shape: &Shape) -> Node<'static> {
    match shape {
        Shape::String => Node::string(""),
        Shape::Int32 | Shape::Int64 | Shape::Float | Shape::IntOrString => Node::int(0),
        Shape::Bool => Node::bool(false),
        Shape::Quantity => Node::string("0"),
        Shape::Object(place) => {
            let mut node = Node::empty_map();
            tell(&mut node, *place);
            node
        }
        Shape::Bytes
        | Shape::Time
        | Shape::MicroTime
        | Shape::Any
        | Shape::List(_)
        | Shape::Map(_) => Node::new(Value::Null),
    }
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
            r#"{"spec":{"clusterIP":"x"},"metadata":{},"status":{"loadBalancer":{}}}"#
        );
        assert_eq!(
            respelled(
                "apps",
                "v1",
                "Deployment",
                "{metadata: {}, spec: {replicas: 0, paused: false, selector: {}, template: {spec: {containers: []}}}, status: {}}"
            ),
            r#"{"metadata":{},"spec":{"replicas":0,"selector":{},"template":{"spec":{"containers":null},"metadata":{}},"strategy":{}},"status":{}}"#
        );
        assert_eq!(
            respelled(
                "networking.k8s.io",
                "v1",
                "NetworkPolicy",
                "{metadata: {}, spec: {podSelector: {}, ingress: [{from: []}]}}"
            ),
            r#"{"metadata":{},"spec":{"podSelector":{},"ingress":[{}]}}"#
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
            r#"{"endpoints":null,"addressType":"IPv4","metadata":{},"ports":null}"#
        );
    }

    #[test]
    fn amounts_are_canonical() {
        let text =
            "{spec: {containers: [{name: a, resources: {limits: {memory: 1024Mi, cpu: 1000m}}}]}}";
        assert_eq!(
            respelled("", "v1", "Pod", text),
            r#"{"spec":{"containers":[{"name":"a","resources":{"limits":{"memory":"1Gi","cpu":"1"}}}]},"metadata":{},"status":{}}"#
        );
    }

    #[test]
    fn what_is_always_told_is_told_where_nobody_said_it() {
        let told = |group, kind, text: &str| {
            let text = respelled(group, "v1", kind, text);
            let status = text.find(r#""status":"#).map_or("", |at| &text[at..]);
            alloc::string::String::from(status)
        };
        assert_eq!(
            told("policy", "PodDisruptionBudget", "{metadata: {}, spec: {}}"),
            r#""status":{"currentHealthy":0,"desiredHealthy":0,"disruptionsAllowed":0,"expectedPods":0}}"#
        );
        assert_eq!(
            told("networking.k8s.io", "Ingress", "{metadata: {}, spec: {}}"),
            r#""status":{"loadBalancer":{}}}"#
        );
        let divisor = "{metadata: {}, spec: {containers: [{name: a, env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}]}}";
        let pod = respelled("", "v1", "Pod", divisor);
        assert!(pod.contains(r#"{"resource":"limits.cpu","divisor":"0"}"#), "{pod}");
        assert!(pod.contains(r#""resources":{}"#), "{pod}");
        // Pointers are told only if they were set.
        assert!(!pod.contains("securityContext"), "{pod}");
    }
}
