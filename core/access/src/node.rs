//! What a node may do: its own objects, and what its pods need.

use crate::bootstrap::nodes_may;
use crate::quote::quoted;
use crate::user::split_node;
use crate::{Attempt, Decision, NODES, Resource};
use alloc::format;
use alloc::string::String;
use ratchet_object::selector::{FieldOp, FieldSelector};

/// Whether the attempt of a node is allowed. `related` says whether the object of the attempt
/// belongs to the node: a pod that runs there, or a secret, config map, claim, volume, service
/// account … that such a pod uses; [`crate::NodeGraph::is_related`] can tell. A caller that always
/// answers yes lets a node read these objects of every node.
///
/// Nodes are the users `system:node:<name>` of the group `system:nodes`; others get no opinion.
pub fn decide_node(
    attempt: &Attempt<'_>,
    related: &dyn Fn(&str, &Resource<'_>) -> bool,
) -> Decision {
    if !attempt.user.is_in(NODES) || !attempt.user.name.starts_with("system:node:") {
        return no("");
    }
    let Some(node) = split_node(&attempt.user.name) else {
        return no(format!("unknown node for user {}", quoted(&attempt.user.name)));
    };
    let Some(target) = attempt.resource() else { return by_rules(attempt) };
    let asks = Asks { node, verb: attempt.verb, target, related };
    let row = ROWS.iter().find(|row| (row.group, row.resource) == (target.group, target.resource));
    match row {
        Some(row) => (row.judge)(&asks),
        None => by_rules(attempt),
    }
}

/// Resources that the rules of nodes open too wide, and who looks closer.
struct Row {
    group: &'static str,
    resource: &'static str,
    judge: fn(&Asks<'_>) -> Decision,
}

const fn row(group: &'static str, resource: &'static str, judge: fn(&Asks<'_>) -> Decision) -> Row {
    Row { group, resource, judge }
}

const ROWS: [Row; 13] = [
    row("", "secrets", read),
    row("", "configmaps", read),
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
    row("certificates.k8s.io", "podcertificaterequests", |_| no("")),
];

/// An attempt on a resource, by a node.
struct Asks<'a> {
    node: &'a str,
    verb: &'a str,
    target: &'a Resource<'a>,
    related: &'a dyn Fn(&str, &Resource<'_>) -> bool,
}

/// Objects that the node's pods need, one by one.
fn read(asks: &Asks<'_>) -> Decision {
    match (asks.verb, asks.target.subresource, asks.target.namespace) {
        ("get" | "list" | "watch", "", "") => no("can only read namespaced object of this type"),
        ("get" | "list" | "watch", "", _) => asks.related(),
        ("get" | "list" | "watch", _, _) => no("cannot read subresource"),
        _ => no("can only read resources of this type"),
    }
}

fn get(asks: &Asks<'_>) -> Decision {
    match (asks.verb, asks.target.subresource) {
        ("get", "") => asks.related(),
        ("get", _) => no("cannot get subresource"),
        _ => no("can only get individual resources of this type"),
    }
}

fn claim(asks: &Asks<'_>) -> Decision {
    match (asks.target.subresource, asks.verb) {
        ("status", "update" | "patch") => asks.related(),
        ("status", _) => no("can only get/update/patch this type"),
        _ => get(asks),
    }
}

fn service_account(asks: &Asks<'_>) -> Decision {
    match (asks.verb, asks.target.subresource) {
        ("get", "") => read(asks),
        ("create", "token") if !asks.target.name.is_empty() => asks.related(),
        ("create", _) if !asks.target.name.is_empty() => {
            no("can only create token subresource of serviceaccount")
        }
        _ => no("can only create tokens for individual service accounts"),
    }
}

fn lease(asks: &Asks<'_>) -> Decision {
    if !asks.is_upkeep() {
        return no("can only get, create, update, patch, or delete a node lease");
    }
    if asks.target.namespace != "kube-node-lease" {
        return no("can only access leases in the \"kube-node-lease\" system namespace");
    }
    asks.own("can only access node lease with the same name as the requesting node")
}

fn csi_node(asks: &Asks<'_>) -> Decision {
    if !asks.is_upkeep() {
        return no("can only get, create, update, patch, or delete a CSINode");
    }
    if !asks.target.subresource.is_empty() {
        return no("cannot authorize CSINode subresources");
    }
    asks.own("can only access CSINode with the same name as the requesting node")
}

fn resource_slice(asks: &Asks<'_>) -> Decision {
    if !asks.target.subresource.is_empty() {
        return no("cannot authorize ResourceSlice subresources");
    }
    match asks.verb {
        "create" => yes(),
        "get" | "update" | "patch" | "delete" => asks.related(),
        "watch" | "list" | "deletecollection" if asks.selects("spec.nodeName") => yes(),
        "watch" | "list" | "deletecollection" => {
            no("can only list/watch/deletecollection resourceslices with nodeName field selector")
        }
        _ => no("only the following verbs are allowed for a ResourceSlice: get, watch, list, \
             create, update, patch, delete, deletecollection"),
    }
}

fn nodes(asks: &Asks<'_>) -> Decision {
    let node = asks.node;
    match (asks.target.subresource, asks.verb, asks.target.name) {
        ("", "create" | "update" | "patch", _) | ("status", "update" | "patch", _) => yes(),
        ("", "get" | "list" | "watch", name) if name == node => yes(),
        ("", "get" | "list" | "watch", "") => {
            no(format!("node '{node}' cannot read all nodes, only its own Node object"))
        }
        ("", "get" | "list" | "watch", name) => {
            no(format!("node '{node}' cannot read '{name}', only its own Node object"))
        }
        _ => no(""),
    }
}

fn pods(asks: &Asks<'_>) -> Decision {
    match (asks.target.subresource, asks.verb) {
        ("", "get") => get(asks),
        ("", "list" | "watch") if asks.selects("spec.nodeName") => yes(),
        ("", "list" | "watch") if !asks.target.name.is_empty() => asks.related(),
        ("", "list" | "watch") => no("can only list/watch pods with spec.nodeName field selector"),
        ("", "create" | "delete") | ("status", "update" | "patch") | ("eviction", "create") => {
            yes()
        }
        _ => no(""),
    }
}

impl Asks<'_> {
    /// The verbs that a node needs for what it keeps about itself.
    fn is_upkeep(&self) -> bool {
        matches!(self.verb, "get" | "create" | "update" | "patch" | "delete")
    }

    /// Objects named as the node. A new one has no name yet; admission looks at it.
    fn own(&self, otherwise: &str) -> Decision {
        let own = self.verb == "create" || self.target.name == self.node;
        if own { yes() } else { no(otherwise) }
    }

    /// Whether the field selector demands that `field` is the node.
    fn selects(&self, field: &str) -> bool {
        // Read as the list reads it: a value may hold an escaped comma and what looks like another term.
        let selector = FieldSelector::parse(self.target.field_selector).unwrap_or_default();
        let mut terms = selector.terms().iter();
        terms.any(|term| {
            term.field == field && term.op == FieldOp::Equals && term.value == self.node
        })
    }

    fn related(&self) -> Decision {
        if self.target.name.is_empty() {
            return no("No Object name found");
        }
        if (self.related)(self.node, self.target) {
            return yes();
        }
        no(format!("no relationship found between node '{}' and this object", self.node))
    }
}

fn by_rules(attempt: &Attempt<'_>) -> Decision {
    if nodes_may(attempt) { yes() } else { no("") }
}

fn yes() -> Decision {
    Decision::Allow { reason: String::new() }
}

fn no(reason: impl Into<String>) -> Decision {
    Decision::NoOpinion { reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{attempt, user};
    use crate::{Target, User};

    fn node() -> User {
        user("system:node:n1", &["system:nodes", "system:authenticated"])
    }

    fn says(verb: &str, resource: &str, namespace: &str, name: &str) -> Decision {
        let user = node();
        let related = |node: &str, target: &Resource<'_>| node == "n1" && target.name == "mine";
        decide_node(&attempt(&user, verb, resource, namespace, name), &related)
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
            let decision = says(verb, resource, namespace, name);
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
            let decision = says(verb, resource, namespace, name);
            assert_eq!(decision, no(reason), "{verb} {resource}");
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
            let list = Attempt { user: &user, verb: "list", target: Target::Resource(target) };
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
            let get = attempt(&user, "get", "nodes", "", "n1");
            assert_eq!(decide_node(&get, &|_, _| true), no(reason));
        }
    }
}
