//! Objects that are served in another version than they are stored in.

mod metrics;
mod scaler;

use ratchet_object::Node;

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
        ("events.k8s.io/v1", "Event") => rename(node, EVENT.iter().copied()),
        ("autoscaling/v1", "HorizontalPodAutoscaler") => scaler::to_v2(node),
        _ => {}
    }
}

/// A stored object as it is served in the version `api_version` of `kind`.
pub(crate) fn from_stored(node: &mut Node<'static>, api_version: &str, kind: &str) {
    match (api_version, kind) {
        ("events.k8s.io/v1", "Event") => {
            rename(node, EVENT.iter().map(|(new, old)| (*old, *new)));
        }
        ("autoscaling/v1", "HorizontalPodAutoscaler") => scaler::to_v1(node),
        _ => {}
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
        assert_eq!(event, node("{message: hello, involvedObject: {name: a}, reason: r}"));
        from_stored(&mut event, "events.k8s.io/v1", "Event");
        assert_eq!(event, node("{note: hello, regarding: {name: a}, reason: r}"));
    }
}
