//! The default roles and bindings of Kubernetes 1.36 with its default feature gates.

mod bindings;
mod components;
mod controllers;
mod namespaces;
mod people;
mod row;

use crate::{Attributes, Rule};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::{Node, Value};
use row::{Binding, Role, Row, Subject};

/// The API group of all these objects.
const GROUP: &str = "rbac.authorization.k8s.io";
/// The prefix of the names of controllers' roles.
const CONTROLLER: &str = "system:controller:";
/// The prefix of aggregation labels.
const AGGREGATE_TO: &str = "rbac.authorization.k8s.io/aggregate-to-";

/// All default objects: cluster roles, cluster role bindings, then the roles and bindings of
/// `kube-public` and `kube-system`. The rules of `admin`, `edit` and `view` are `null`:
/// [`crate::aggregate`] computes them.
pub fn bootstrap_objects() -> Vec<Node<'static>> {
    let roles = people::ROLES.iter().chain(components::ROLES);
    let mut objects: Vec<_> = roles.map(|role| role_object(role, "", "")).collect();
    objects.extend(controllers::ROLES.iter().map(|role| role_object(role, CONTROLLER, "")));
    objects.extend(bindings::BINDINGS.iter().map(|binding| binding_object(binding, "")));
    objects.extend(controllers::ROLES.iter().map(controller_binding));
    for namespace in namespaces::NAMESPACES {
        objects.extend(namespace.roles.iter().map(|role| role_object(role, "", namespace.name)));
        let bindings = namespace.bindings.iter();
        objects.extend(bindings.map(|binding| binding_object(binding, namespace.name)));
    }
    objects
}

/// Whether the rules of the cluster role `system:node` allow the attempt.
pub(crate) fn nodes_may(attributes: &Attributes<'_>) -> bool {
    let node = components::ROLES.iter().filter(|role| role.name == "system:node");
    let mut rows = node.flat_map(|role| role.rules);
    rows.any(|row| {
        row.verbs.split(' ').any(|verb| verb == attributes.verb) && rule(row).allows(attributes)
    })
}

fn role_object(role: &Role, prefix: &str, namespace: &'static str) -> Node<'static> {
    let kind = if namespace.is_empty() { "ClusterRole" } else { "Role" };
    let mut object = header(kind, format!("{prefix}{}", role.name), namespace);
    if !role.aggregated_to.is_empty() {
        let label = format!("{AGGREGATE_TO}{}", role.aggregated_to);
        object.map_mut("metadata").map_mut("labels").set(label, Node::string("true"));
    }
    if role.is_aggregated {
        let labels = Node::map([(format!("{AGGREGATE_TO}{}", role.name), Node::string("true"))]);
        let selector = Node::map([("matchLabels", labels)]);
        let rule = Node::map([("clusterRoleSelectors", Node::list(vec![selector]))]);
        object.set("rules", Node::new(Value::Null));
        object.set("aggregationRule", rule);
    } else {
        let rules = role.rules.iter().map(|row| rule(row).to_node()).collect();
        object.set("rules", Node::list(rules));
    }
    object
}

fn binding_object(binding: &Binding, namespace: &'static str) -> Node<'static> {
    let (kind, role) = match namespace {
        "" => ("ClusterRoleBinding", "ClusterRole"),
        _ => ("RoleBinding", "Role"),
    };
    let subjects = binding.subjects.iter().map(|subject| subject_node(*subject));
    bound(header(kind, binding.name, namespace), role, binding.role.into(), subjects.collect())
}

/// The binding of a controller to the role of its name.
fn controller_binding(role: &Role) -> Node<'static> {
    let name = format!("{CONTROLLER}{}", role.name);
    let subject = subject_node(row::account("kube-system", role.name));
    bound(header("ClusterRoleBinding", name.clone(), ""), "ClusterRole", name, vec![subject])
}

fn bound(
    mut object: Node<'static>,
    kind: &'static str,
    role: String,
    subjects: Vec<Node<'static>>,
) -> Node<'static> {
    let role = [
        ("apiGroup", Node::string(GROUP)),
        ("kind", Node::string(kind)),
        ("name", Node::string(role)),
    ];
    if !subjects.is_empty() {
        object.set("subjects", Node::list(subjects));
    }
    object.set("roleRef", Node::map(role));
    object
}

fn subject_node(subject: Subject) -> Node<'static> {
    let mut node = Node::map([("kind", Node::string(subject.kind))]);
    if subject.namespace.is_empty() {
        node.set("apiGroup", Node::string(GROUP));
    }
    node.set("name", Node::string(subject.name));
    if !subject.namespace.is_empty() {
        node.set("namespace", Node::string(subject.namespace));
    }
    node
}

fn header(kind: &'static str, name: impl ToString, namespace: &'static str) -> Node<'static> {
    let mut metadata = Node::map([("name", Node::string(name.to_string()))]);
    if !namespace.is_empty() {
        metadata.set("namespace", Node::string(namespace));
    }
    let labels = [("kubernetes.io/bootstrapping", Node::string("rbac-defaults"))];
    metadata.set("labels", Node::map(labels));
    let update = [("rbac.authorization.kubernetes.io/autoupdate", Node::string("true"))];
    metadata.set("annotations", Node::map(update));
    Node::map([
        ("kind", Node::string(kind)),
        ("apiVersion", Node::string("rbac.authorization.k8s.io/v1")),
        ("metadata", metadata),
    ])
}

fn rule(row: &Row) -> Rule {
    Rule {
        verbs: split_list(row.verbs),
        groups: split_list(row.groups),
        resources: split_list(row.resources),
        names: split_list(row.names),
        urls: split_list(row.urls),
    }
}

/// Splits a row's text at spaces; `core` becomes the empty group.
fn split_list(text: &str) -> Vec<String> {
    let item = |item: &str| if item == row::CORE { String::new() } else { item.into() };
    text.split_ascii_whitespace().map(item).collect()
}

#[cfg(test)]
mod tests;
