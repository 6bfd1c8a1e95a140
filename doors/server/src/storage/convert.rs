//! Conversion between the served versions and the storage version.

mod devices;
mod metrics;
mod scale;
mod scaler;

pub(crate) use scale::{SCALE, scale_from};

use ratchet_object::{Node, complete, schema};

/// The renamed fields of Events: `events.k8s.io`, core.
const EVENT: &[(&str, &str)] = &[
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

/// The version of devices that is not like those after it.
const DEVICES_V1BETA1: &str = "resource.k8s.io/v1beta1";

/// What leads to the requests of a claim, and to those of a template.
const CLAIM: &[&str] = &["spec", "devices"];
const TEMPLATE: &[&str] = &["spec", "spec", "devices"];

/// Converts from `api_version` of `kind` to the storage version.
pub(crate) fn to_stored(node: &mut Node<'static>, api_version: &str, kind: &str) {
    match (api_version, kind) {
        ("events.k8s.io/v1", "Event") => {
            rename(node, EVENT.iter().copied());
            complete_as(node, "", "v1", kind);
        }
        ("autoscaling/v1", "HorizontalPodAutoscaler") => {
            scaler::to_v2(node);
            complete_as(node, "autoscaling", "v2", kind);
        }
        (DEVICES_V1BETA1, _) => {
            match kind {
                "ResourceClaim" => devices::requests_to_v1(node, CLAIM),
                "ResourceClaimTemplate" => devices::requests_to_v1(node, TEMPLATE),
                "ResourceSlice" => devices::devices_to_v1(node),
                _ => {}
            }
            complete_as(node, "resource.k8s.io", "v1", kind);
        }
        _ => {}
    }
}

/// Converts from the storage version to `api_version` of `kind`.
pub(crate) fn from_stored(node: &mut Node<'static>, api_version: &str, kind: &str) {
    match (api_version, kind) {
        ("events.k8s.io/v1", "Event") => {
            rename(node, EVENT.iter().map(|(new, old)| (*old, *new)));
            complete_as(node, "events.k8s.io", "v1", kind);
        }
        ("autoscaling/v1", "HorizontalPodAutoscaler") => {
            scaler::to_v1(node);
            complete_as(node, "autoscaling", "v1", kind);
        }
        (DEVICES_V1BETA1, _) => {
            match kind {
                "ResourceClaim" => devices::requests_from_v1(node, CLAIM),
                "ResourceClaimTemplate" => devices::requests_from_v1(node, TEMPLATE),
                "ResourceSlice" => devices::devices_from_v1(node),
                _ => {}
            }
            complete_as(node, "resource.k8s.io", "v1beta1", kind);
        }
        _ => {}
    }
}

/// Converts an object of `kind` from its own version to `api_version`.
pub(crate) fn between(mut node: Node<'static>, api_version: &str, kind: &str) -> Node<'static> {
    let own = node.text_at(&["apiVersion"]).to_owned();
    if own != api_version {
        to_stored(&mut node, &own, kind);
        from_stored(&mut node, api_version, kind);
        node.set("apiVersion", Node::string(api_version.to_owned()));
    }
    node
}

/// The name in the storage version of a field that objects are selected by; none if it has the same.
pub(crate) fn stored_field(name: &str, group: &str, kind: &str) -> Option<String> {
    let ("events.k8s.io", "Event") = (group, kind) else { return None };
    let (first, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
    let (_, stored) = EVENT.iter().find(|(new, _)| *new == first)?;
    Some(format!("{stored}{rest}"))
}

/// Adds the fields that the target version always writes.
fn complete_as(node: &mut Node<'static>, group: &str, version: &str, kind: &str) {
    if let Some(row) = schema::kind(group, version, kind) {
        complete(node, row.ty);
    }
}

fn rename(node: &mut Node<'static>, names: impl Iterator<Item = (&'static str, &'static str)>) {
    for (from, to) in names {
        if let Some(value) = node.remove(from) {
            node.set(to, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn events_have_two_vocabularies() {
        let mut event = node("{note: hello, regarding: {name: a}, reason: r}");
        to_stored(&mut event, "events.k8s.io/v1", "Event");
        let fields = |event: &Node<'_>, text: &str, object: &str| {
            let text = event.text_at(&[text]).to_owned();
            (text, event.text_at(&[object, "name"]).to_owned())
        };
        let expected = ("hello".to_owned(), "a".to_owned());
        assert_eq!(fields(&event, "message", "involvedObject"), expected);
        assert!(event.get("note").is_none() && event.get("firstTimestamp").is_some());
        from_stored(&mut event, "events.k8s.io/v1", "Event");
        assert_eq!(fields(&event, "note", "regarding"), expected);
        assert!(event.get("message").is_none() && event.get("firstTimestamp").is_none());
    }
}
