//! The node authorizer: a node's own objects, and the objects that its pods need.

use crate::bootstrap::nodes_may;
use crate::user::split_node;
use crate::{Attributes, Decision, NODES, Resource};
use alloc::format;
use alloc::string::String;
use ratchet_net::Quoted;
use ratchet_object::selector::{FieldOp, FieldSelector};

/// Decides an attempt of a node. `related` is whether the object of the attempt is related
/// to the node: a pod that runs there, or a secret, config map, claim, volume, service
/// account … that such a pod uses, as [`crate::NodeGraph::is_related`] decides. A caller that always
/// returns true lets a node read these objects of every node.
///
/// Nodes are the users `system:node:<name>` of the group `system:nodes`; others get no opinion.
pub fn decide_node(
    attributes: &Attributes<'_>,
    related: &dyn Fn(&str, &Resource<'_>) -> bool,
) -> Decision {
    if !attributes.user.is_in(NODES) || !attributes.user.name.starts_with("system:node:") {
        return no_opinion("");
    }
    let Some(node) = split_node(&attributes.user.name) else {
        return no_opinion(format!("unknown node for user {}", Quoted(&attributes.user.name)));
    };
    let Some(target) = attributes.resource() else { return by_rules(attributes) };
    let node_attempt = NodeAttempt { node, verb: attributes.verb, target, related };
    let row = ROWS.iter().find(|row| (row.group, row.resource) == (target.group, target.resource));
    match row {
        Some(row) => (row.check)(&node_attempt),
        None => by_rules(attributes),
    }
}

/// A resource that the rules of nodes allow too widely, and its stricter check.
struct Row {
    group: &'static str,
    resource: &'static str,
    check: fn(&NodeAttempt<'_>) -> Decision,
}

const fn row(
    group: &'static str,
    resource: &'static str,
    check: fn(&NodeAttempt<'_>) -> Decision,
) -> Row {
    Row { group, resource, check }
}

const ROWS: [Row; 13] = [
    row("", "secrets", read_related),
    row("", "configmaps", read_related),
    row("", "persistentvolumeclaims", claim),
    row("", "persistentvolumes", get),
    row("resource.k8s.io", "resourceclaims", get),
    row("storage.k8s.io", "volumeattachments", get),
    row("", "serviceaccounts", service_account),
    row("coordination.k8s.io", "leases", lease),
    row("storage.k8s.io", "csinodes", csi_node),
    row("resource.k8s.io", "resourceslices", resource_slice),
    row("", "nodes", nodes),
    row("", "pods", pods),
    row("certificates.k8s.io", "podcertificaterequests", |_| no_opinion("")),
];

/// An attempt of a node on a resource.
struct NodeAttempt<'a> {
    node: &'a str,
    verb: &'a str,
    target: &'a Resource<'a>,
    related: &'a dyn Fn(&str, &Resource<'_>) -> bool,
}

/// Read access to objects that the node's pods need, one by one.
fn read_related(attributes: &NodeAttempt<'_>) -> Decision {
    match (attributes.verb, attributes.target.subresource, attributes.target.namespace) {
        ("get" | "list" | "watch", "", "") => {
            no_opinion("can only read namespaced object of this type")
        }
        ("get" | "list" | "watch", "", _) => attributes.related(),
        ("get" | "list" | "watch", _, _) => no_opinion("cannot read subresource"),
        _ => no_opinion("can only read resources of this type"),
    }
}

fn get(attributes: &NodeAttempt<'_>) -> Decision {
    match (attributes.verb, attributes.target.subresource) {
        ("get", "") => attributes.related(),
        ("get", _) => no_opinion("cannot get subresource"),
        _ => no_opinion("can only get individual resources of this type"),
    }
}

fn claim(attributes: &NodeAttempt<'_>) -> Decision {
    match (attributes.target.subresource, attributes.verb) {
        ("status", "update" | "patch") => attributes.related(),
        ("status", _) => no_opinion("can only get/update/patch this type"),
        _ => get(attributes),
    }
}

fn service_account(attributes: &NodeAttempt<'_>) -> Decision {
    match (attributes.verb, attributes.target.subresource) {
        ("get", "") => read_related(attributes),
        ("create", "token") if !attributes.target.name.is_empty() => attributes.related(),
        ("create", _) if !attributes.target.name.is_empty() => {
            no_opinion("can only create token subresource of serviceaccount")
        }
        _ => no_opinion("can only create tokens for individual service accounts"),
    }
}

fn lease(attributes: &NodeAttempt<'_>) -> Decision {
    if !attributes.is_maintenance() {
        return no_opinion("can only get, create, update, patch, or delete a node lease");
    }
    if attributes.target.namespace != "kube-node-lease" {
        return no_opinion("can only access leases in the \"kube-node-lease\" system namespace");
    }
    attributes.own("can only access node lease with the same name as the requesting node")
}

fn csi_node(attributes: &NodeAttempt<'_>) -> Decision {
    if !attributes.is_maintenance() {
        return no_opinion("can only get, create, update, patch, or delete a CSINode");
    }
    if !attributes.target.subresource.is_empty() {
        return no_opinion("cannot authorize CSINode subresources");
    }
    attributes.own("can only access CSINode with the same name as the requesting node")
}

fn resource_slice(attributes: &NodeAttempt<'_>) -> Decision {
    if !attributes.target.subresource.is_empty() {
        return no_opinion("cannot authorize ResourceSlice subresources");
    }
    match attributes.verb {
        "create" => allow(),
        "get" | "update" | "patch" | "delete" => attributes.related(),
        "watch" | "list" | "deletecollection" if attributes.selects("spec.nodeName") => allow(),
        "watch" | "list" | "deletecollection" => no_opinion(
            "can only list/watch/deletecollection resourceslices with nodeName field selector",
        ),
        _ => no_opinion(
            "only the following verbs are allowed for a ResourceSlice: get, watch, list, \
             create, update, patch, delete, deletecollection",
        ),
    }
}

fn nodes(attributes: &NodeAttempt<'_>) -> Decision {
    let node = attributes.node;
    match (attributes.target.subresource, attributes.verb, attributes.target.name) {
        ("", "create" | "update" | "patch", _) | ("status", "update" | "patch", _) => allow(),
        ("", "get" | "list" | "watch", name) if name == node => allow(),
        ("", "get" | "list" | "watch", "") => {
            no_opinion(format!("node '{node}' cannot read all nodes, only its own Node object"))
        }
        ("", "get" | "list" | "watch", name) => {
            no_opinion(format!("node '{node}' cannot read '{name}', only its own Node object"))
        }
        _ => no_opinion(""),
    }
}

fn pods(attributes: &NodeAttempt<'_>) -> Decision {
    match (attributes.target.subresource, attributes.verb) {
        ("", "get") => get(attributes),
        ("", "list" | "watch") if attributes.selects("spec.nodeName") => allow(),
        ("", "list" | "watch") if !attributes.target.name.is_empty() => attributes.related(),
        ("", "list" | "watch") => {
            no_opinion("can only list/watch pods with spec.nodeName field selector")
        }
        ("", "create" | "delete") | ("status", "update" | "patch") | ("eviction", "create") => {
            allow()
        }
        _ => no_opinion(""),
    }
}

impl NodeAttempt<'_> {
    /// Whether the verb is one that a node needs to maintain its own objects.
    fn is_maintenance(&self) -> bool {
        matches!(self.verb, "get" | "create" | "update" | "patch" | "delete")
    }

    /// Objects with the node's name. A new one has no name yet; admission checks it.
    fn own(&self, otherwise: &str) -> Decision {
        let own = self.verb == "create" || self.target.name == self.node;
        if own { allow() } else { no_opinion(otherwise) }
    }

    /// Whether the field selector requires `field` to be the node.
    fn selects(&self, field: &str) -> bool {
        // Parsed as the list request parses it: a value may hold an escaped comma and what looks like another term.
        let selector = FieldSelector::parse(self.target.field_selector).unwrap_or_default();
        let mut terms = selector.terms().iter();
        terms.any(|term| {
            term.field == field && term.op == FieldOp::Equals && term.value == self.node
        })
    }

    fn related(&self) -> Decision {
        if self.target.name.is_empty() {
            return no_opinion("No Object name found");
        }
        if (self.related)(self.node, self.target) {
            return allow();
        }
        no_opinion(format!("no relationship found between node '{}' and this object", self.node))
    }
}

fn by_rules(attributes: &Attributes<'_>) -> Decision {
    if nodes_may(attributes) { allow() } else { no_opinion("") }
}

fn allow() -> Decision {
    Decision::Allow { reason: String::new() }
}

fn no_opinion(reason: impl Into<String>) -> Decision {
    Decision::NoOpinion { reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{attributes, user};
    use crate::{Target, User};

    fn node() -> User {
        user("system:node:n1", &["system:nodes", "system:authenticated"])
    }

    fn decide(verb: &str, resource: &str, namespace: &str, name: &str) -> Decision {
        let user = node();
        let related = |node: &str, target: &Resource<'_>| node == "n1" && target.name == "mine";
        decide_node(&attributes(&user, verb, resource, namespace, name), &related)
    }

    #[test]
    fn a_node_does_its_work() {
        let cases = [
            ("create", "nodes", "", ""),
            ("get", "nodes", "", "n1"),
            ("patch", "nodes/status", "", "n1"),
            ("get", "secrets", "a", "mine"),
            ("watch", "configmaps", "a", "mine"),
            ("get", "persistentvolumes", "", "mine"),
            ("patch", "persistentvolumeclaims/status", "a", "mine"),
            ("create", "serviceaccounts/token", "a", "mine"),
            ("get", "serviceaccounts", "a", "mine"),
            ("update", "coordination.k8s.io:leases", "kube-node-lease", "n1"),
            ("create", "coordination.k8s.io:leases", "kube-node-lease", ""),
            ("get", "storage.k8s.io:csinodes", "", "n1"),
            ("create", "resource.k8s.io:resourceslices", "", ""),
            ("get", "pods", "a", "mine"),
            ("watch", "pods", "a", "mine"),
            ("create", "pods/eviction", "a", "any"),
            ("list", "services", "", ""),
            ("create", "certificates.k8s.io:certificatesigningrequests", "", ""),
            ("watch", "node.k8s.io:runtimeclasses", "", ""),
            ("create", "events", "a", ""),
        ];
        for (verb, resource, namespace, name) in cases {
            let decision = decide(verb, resource, namespace, name);
            assert!(decision.is_allowed(), "{verb} {resource}: {decision:?}");
        }
    }

    #[test]
    fn a_node_does_nothing_else() {
        let cases = [
            ("get", "nodes", "", "n2", "node 'n1' cannot read 'n2', only its own Node object"),
            ("list", "nodes", "", "", "node 'n1' cannot read all nodes, only its own Node object"),
            ("delete", "nodes", "", "n1", ""),
            ("get", "secrets", "a", "x", "no relationship found between node 'n1' and this object"),
            ("list", "secrets", "a", "", "No Object name found"),
            ("list", "secrets", "", "", "can only read namespaced object of this type"),
            ("create", "secrets", "a", "", "can only read resources of this type"),
            ("list", "persistentvolumes", "", "", "can only get individual resources of this type"),
            (
                "update",
                "coordination.k8s.io:leases",
                "kube-node-lease",
                "n2",
                "can only access node lease with the same name as the requesting node",
            ),
            (
                "update",
                "coordination.k8s.io:leases",
                "a",
                "n1",
                "can only access leases in the \"kube-node-lease\" system namespace",
            ),
            ("list", "pods", "", "", "can only list/watch pods with spec.nodeName field selector"),
            (
                "create",
                "serviceaccounts",
                "a",
                "",
                "can only create tokens for individual service accounts",
            ),
            ("list", "apps:deployments", "a", "", ""),
        ];
        for (verb, resource, namespace, name, reason) in cases {
            let decision = decide(verb, resource, namespace, name);
            assert_eq!(decision, no_opinion(reason), "{verb} {resource}");
        }
    }

    #[test]
    fn pods_are_listed_by_node() {
        let user = node();
        for (field_selector, allowed) in [
            ("spec.nodeName=n1", true),
            ("status.phase!=Failed,spec.nodeName==n1", true),
            ("spec.nodeName=n2", false),
            ("spec.nodeName!=n1", false),
            // One term, whose value looks like another: it selects the pods of every node.
            ("metadata.name!=a\\,spec.nodeName=n1", false),
            ("spec.nodeName=n1,nonsense", false),
            ("spec.nodeName=n2,spec.nodeName=n1", true),
            ("", false),
        ] {
            let target = Resource { resource: "pods", field_selector, ..Resource::default() };
            let list = Attributes { user: &user, verb: "list", target: Target::Resource(target) };
            assert_eq!(decide_node(&list, &|_, _| true).is_allowed(), allowed, "{field_selector}");
        }
    }

    #[test]
    fn others_are_not_nodes() {
        for (user, reason) in [
            (user("system:node:n1", &[]), ""),
            (user("alice", &["system:nodes"]), ""),
            (user("system:node:", &["system:nodes"]), "unknown node for user \"system:node:\""),
        ] {
            let get = attributes(&user, "get", "nodes", "", "n1");
            assert_eq!(decide_node(&get, &|_, _| true), no_opinion(reason));
        }
    }
}
