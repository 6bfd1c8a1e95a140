//! Objects that are served in another version than they are stored in.

mod metrics;
mod scaler;

use ratchet_object::{Node, complete, schema};

/// What an Event of `events.k8s.io` calls what an Event of the core group calls differently.
const EVENT: &[(&str, &str)] = &[
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

/// An object as it is stored; `node` is in the version `api_version` of `kind`.
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
        _ => {}
    }
}

/// A stored object as it is served in the version `api_version` of `kind`.
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
        _ => {}
    }
}

/// The versions differ in what they always write.
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
        let told = |event: &Node<'_>, text: &str, object: &str| {
            let text = event.text_at(&[text]).to_owned();
            (text, event.text_at(&[object, "name"]).to_owned())
        };
        let said = ("hello".to_owned(), "a".to_owned());
        assert_eq!(told(&event, "message", "involvedObject"), said);
        assert!(event.get("note").is_none() && event.get("firstTimestamp").is_some());
        from_stored(&mut event, "events.k8s.io/v1", "Event");
        assert_eq!(told(&event, "note", "regarding"), said);
        assert!(event.get("message").is_none() && event.get("firstTimestamp").is_none());
    }
}
