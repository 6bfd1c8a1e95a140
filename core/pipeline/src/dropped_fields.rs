//! Fields that the API still has and no longer stores: writes of them are dropped before validation.

use ratchet_object::{Equality, Node, equal_at};

const TOPOLOGY: &str = "deprecatedTopology";

/// Drops where a Node has its kubelet's configuration from, unless the stored one says it.
pub(crate) fn from_node(new: &mut Node<'_>, old: Option<&Node<'_>>) {
    let source = ["spec", "configSource"];
    let is_used = |node: &Node<'_>| node.find(&source).is_some_and(|source| !source.is_null());
    if !old.is_some_and(is_used)
        && let Some(spec) = new.get_mut("spec")
    {
        spec.remove("configSource");
    }
    if old.is_none()
        && let Some(status) = new.get_mut("status")
    {
        status.remove("config");
    }
}

/// Drops the topology of endpoints, unless they are as they are stored.
pub(crate) fn from_endpoint_slice(new: &mut Node<'_>, old: Option<&Node<'_>>) {
    if old.is_some_and(|old| equal_at(new, old, &["endpoints"], Equality::Semantic)) {
        return;
    }
    let endpoints = new.get_mut("endpoints").and_then(Node::items_mut);
    for endpoint in endpoints.into_iter().flatten() {
        endpoint.remove(TOPOLOGY);
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
    fn what_is_stored_stays_while_nothing_changes() {
        let slice = "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, endpoints: [{addresses: [192.0.2.1], deprecatedTopology: {a: b}}]}";
        let stored = node(slice);
        let mut same = node(slice);
        from_endpoint_slice(&mut same, Some(&stored));
        assert_eq!(same.to_json(), stored.to_json());
        from_endpoint_slice(&mut same, None);
        assert!(!same.to_json().contains(TOPOLOGY));
        let mut host = node("{spec: {configSource: {}}, status: {config: {}}}");
        from_node(&mut host, Some(&node("{spec: {configSource: {}}}")));
        assert_eq!(host.to_json(), r#"{"spec":{"configSource":{}},"status":{"config":{}}}"#);
        from_node(&mut host, None);
        assert_eq!(host.to_json(), r#"{"spec":{},"status":{}}"#);
    }
}
