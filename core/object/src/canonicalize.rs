//! Canonical form of objects as the API server returns them: empty members are omitted, quantities, times and bytes
//! are canonical, and the fields that Go always encodes are present.
//!
//! This is the result of storing an object as protobuf and decoding it again: a pointer field stays if it is set, a
//! value field stays if it is not zero.

use crate::base64;
use crate::complete::{absent_value, complete, is_encoded, is_structure, zero};
use crate::proto::{Emptiness, Timestamp, presence, presences};
use crate::quantity::Quantity;
use crate::schema::Shape;
use crate::{Node, Value};
use alloc::string::ToString;

/// Rewrites an object of the type at `type_index` as the API server would: clients rely on it when they
/// compare what they sent with what they got.
pub fn canonicalize(node: &mut Node<'_>, type_index: u16) {
    canonicalize_members(node, type_index);
    debug_assert!(is_complete(node, type_index), "{node}");
}

/// Whether every field that Go always encodes is there.
fn is_complete(node: &Node<'_>, type_index: u16) -> bool {
    let mut completed = node.clone();
    complete(&mut completed, type_index);
    completed == *node
}

fn canonicalize_members(node: &mut Node<'_>, type_index: u16) {
    let Some(entries) = node.entries_mut() else { return };
    entries.retain_mut(|entry| {
        let Some((field, emptiness)) = presence(type_index, &entry.key) else { return true };
        if entry.node.is_null() {
            return false;
        }
        value(&mut entry.node, &field.shape);
        match emptiness {
            Emptiness::Pointer | Emptiness::NullPointer => true,
            // An empty list or map is nil once it was stored; the loop below encodes it as such.
            Emptiness::Always => {
                !matches!(field.shape, Shape::List(_) | Shape::Map(_)) || !is_empty(&entry.node)
            }
            Emptiness::OmitEmpty => is_structure(&field.shape) || !is_empty(&entry.node),
            Emptiness::OmitZero => !is_empty(&entry.node),
        }
    });
    for (field, emptiness) in presences(type_index) {
        if is_encoded(field, emptiness) && node.get(field.name).is_none() {
            node.set(field.name, absent_value(field, emptiness));
        }
    }
}

fn value(node: &mut Node<'_>, shape: &'static Shape) {
    let Some(shape) = shape.resolve(&node.value) else { return };
    match shape {
        Shape::Object(type_index) => canonicalize_members(node, *type_index),
        Shape::List(inner) => {
            node.items_mut()
                .into_iter()
                .flatten()
                .for_each(|item| canonicalize_element(item, inner));
        }
        Shape::Map(inner) => {
            let entries = node.entries_mut().into_iter().flatten();
            entries.for_each(|entry| canonicalize_element(&mut entry.node, inner));
        }
        Shape::Float => {
            // Go reads a number that is too long for a float as the nearest one.
            if let Value::Int(number) = node.value
                && number.unsigned_abs() > 1 << f64::MANTISSA_DIGITS
            {
                node.value = Value::Int(number as f64 as i64);
            }
        }
        Shape::Quantity => {
            if let Some(amount) = Quantity::of(node) {
                node.value = Value::Text(amount.to_string().into());
            }
        }
        Shape::Bytes | Shape::Time | Shape::MicroTime => {
            let Value::Text(text) = &node.value else { return };
            if matches!(shape, Shape::Time) && Timestamp::is_second_of_utc(text) {
                return;
            }
            let canonical = match shape {
                Shape::Bytes => base64::decode(text).ok().map(|bytes| base64::encode(&bytes)),
                Shape::Time => Timestamp::parse(text).and_then(Timestamp::to_rfc3339),
                _ => Timestamp::parse(text).and_then(Timestamp::to_rfc3339_micros),
            };
            if let Some(canonical) = canonical.filter(|canonical| *canonical != *text) {
                node.value = Value::Text(canonical.into());
            }
        }
        _ => {}
    }
}

/// Canonicalizes a list item or map value, which stays even if it is empty.
fn canonicalize_element(node: &mut Node<'_>, shape: &'static Shape) {
    match (&node.value, shape) {
        (Value::Null, Shape::Bytes) => node.value = Value::Text("".into()),
        (Value::Null, _) => node.value = zero(shape).value,
        (Value::List(items), Shape::List(_)) if items.is_empty() => node.value = Value::Null,
        _ => value(node, shape),
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
    use crate::{Limits, decode, schema};

    fn canonical(group: &str, version: &str, kind: &str, text: &str) -> alloc::string::String {
        let mut node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        canonicalize_members(&mut node, schema::kind(group, version, kind).unwrap().ty);
        node.to_json()
    }

    #[test]
    fn what_says_nothing_is_left_out_and_what_was_said_on_purpose_stays() {
        assert_eq!(
            canonical(
                "",
                "v1",
                "Service",
                "{spec: {externalIPs: [], loadBalancerIP: '', clusterIP: x}}"
            ),
            r#"{"spec":{"clusterIP":"x"},"metadata":{},"status":{"loadBalancer":{}}}"#
        );
        assert_eq!(
            canonical(
                "apps",
                "v1",
                "Deployment",
                "{metadata: {}, spec: {replicas: 0, paused: false, selector: {}, template: {spec: {containers: []}}}, status: {}}"
            ),
            r#"{"metadata":{},"spec":{"replicas":0,"selector":{},"template":{"spec":{"containers":null},"metadata":{}},"strategy":{}},"status":{}}"#
        );
        assert_eq!(
            canonical(
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
            canonical(
                "discovery.k8s.io",
                "v1",
                "EndpointSlice",
                "{endpoints: [], addressType: IPv4}"
            ),
            r#"{"addressType":"IPv4","endpoints":null,"metadata":{},"ports":null}"#
        );
    }

    #[test]
    fn amounts_are_canonical() {
        let text =
            "{spec: {containers: [{name: a, resources: {limits: {memory: 1024Mi, cpu: 1000m}}}]}}";
        assert_eq!(
            canonical("", "v1", "Pod", text),
            r#"{"spec":{"containers":[{"name":"a","resources":{"limits":{"memory":"1Gi","cpu":"1"}}}]},"metadata":{},"status":{}}"#
        );
    }

    #[test]
    fn what_is_always_told_is_told_where_nobody_said_it() {
        let canonical_json = |group, kind, text: &str| {
            let text = canonical(group, "v1", kind, text);
            let status = text.find(r#""status":"#).map_or("", |at| &text[at..]);
            alloc::string::String::from(status)
        };
        assert_eq!(
            canonical_json("policy", "PodDisruptionBudget", "{metadata: {}, spec: {}}"),
            r#""status":{"currentHealthy":0,"desiredHealthy":0,"disruptionsAllowed":0,"expectedPods":0}}"#
        );
        assert_eq!(
            canonical_json("networking.k8s.io", "Ingress", "{metadata: {}, spec: {}}"),
            r#""status":{"loadBalancer":{}}}"#
        );
        let divisor = "{metadata: {}, spec: {containers: [{name: a, env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}]}}";
        let pod = canonical("", "v1", "Pod", divisor);
        assert!(pod.contains(r#"{"resource":"limits.cpu","divisor":"0"}"#), "{pod}");
        assert!(pod.contains(r#""resources":{}"#), "{pod}");
        // Nil pointers are omitted.
        assert!(!pod.contains("securityContext"), "{pod}");
    }

    #[test]
    fn pointers_to_nothing_stay_and_values_of_nothing_go() {
        let network = "{metadata: {}, spec: {podSelector: {}, ingress: [{from: [{namespaceSelector: {}, podSelector: {matchLabels: {}}}], ports: []}], egress: []}}";
        assert_eq!(
            canonical("networking.k8s.io", "v1", "NetworkPolicy", network),
            r#"{"metadata":{},"spec":{"podSelector":{},"ingress":[{"from":[{"namespaceSelector":{},"podSelector":{}}]}]}}"#
        );
        assert_eq!(
            canonical(
                "",
                "v1",
                "ConfigMap",
                "{metadata: {labels: {a: ''}, annotations: {}}, data: {b: null, c: ''}}"
            ),
            r#"{"metadata":{"labels":{"a":""}},"data":{"b":"","c":""}}"#
        );
        let claim = "{metadata: {}, spec: {devices: {}}, status: {allocation: {devices: {}}}}";
        assert_eq!(
            canonical("resource.k8s.io", "v1", "ResourceClaim", claim),
            r#"{"metadata":{},"spec":{"devices":{"requests":null}},"status":{"allocation":{"devices":{}}}}"#
        );
        let claim = "{metadata: {}, spec: {}, status: {allocation: {}, reservedFor: []}}";
        assert_eq!(
            canonical("resource.k8s.io", "v1", "ResourceClaim", claim),
            r#"{"metadata":{},"spec":{"devices":{"requests":null}},"status":{"allocation":{"devices":{}}}}"#
        );
    }

    #[test]
    fn a_pointer_without_omitempty_is_written_as_null() {
        let claim = "{metadata: {}, spec: {dataSource: {kind: K, name: x}}, status: {}}";
        let claim = canonical("", "v1", "PersistentVolumeClaim", claim);
        assert!(claim.contains(r#"{"kind":"K","name":"x","apiGroup":null}"#), "{claim}");
    }

    #[test]
    fn times_and_bytes_are_canonical() {
        let lease = "{metadata: {}, spec: {renewTime: '2026-01-01T02:00:00+02:00'}}";
        assert_eq!(
            canonical("coordination.k8s.io", "v1", "Lease", lease),
            r#"{"metadata":{},"spec":{"renewTime":"2026-01-01T00:00:00.000000Z"}}"#
        );
        assert_eq!(
            canonical(
                "",
                "v1",
                "Secret",
                "{metadata: {}, data: {a: \"YW\\nJj\", b: 'YR==', c: ''}}"
            ),
            r#"{"metadata":{},"data":{"a":"YWJj","b":"YQ==","c":""}}"#
        );
        let revision = |data: &str| {
            canonical(
                "apps",
                "v1",
                "ControllerRevision",
                &alloc::format!("{{metadata: {{}}, revision: 1{data}}}"),
            )
        };
        assert_eq!(revision(", data: {}"), r#"{"metadata":{},"revision":1,"data":{}}"#);
        assert_eq!(revision(""), r#"{"metadata":{},"revision":1,"data":null}"#);
    }

    #[test]
    fn to_respell_twice_changes_nothing() {
        for row in schema::KINDS {
            let mut once = Node::empty_map();
            canonicalize_members(&mut once, row.ty);
            let mut twice = once.clone();
            canonicalize_members(&mut twice, row.ty);
            assert_eq!(once, twice, "{}", row.kind);
        }
    }
}
