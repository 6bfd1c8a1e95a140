//! The cluster state that policies can read, as far as files define it.

use super::PolicySet;
use super::stored_form::{as_stored, split};
use crate::against::StoredObjects;
use crate::namespaces::NamespaceIndex;
use ratchet_object::{Node, Object, Scope, find};
use ratchet_policy::{ClusterReader, GroupVersionKind, Served};

/// A cluster whose namespaces and parameters come from files.
pub(crate) struct FileCluster<'a> {
    pub(crate) policy_set: &'a PolicySet,
    pub(crate) namespaces: &'a NamespaceIndex,
    pub(crate) stored: Option<&'a StoredObjects>,
}

/// A custom kind, from its CustomResourceDefinition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CustomKind {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) namespaced: bool,
}

impl CustomKind {
    /// Reads a CustomResourceDefinition.
    pub(crate) fn from_definition(definition: &Node<'_>) -> Self {
        let text = |names: &[&str]| definition.text_at(names).to_owned();
        Self {
            group: text(&["spec", "group"]),
            kind: text(&["spec", "names", "kind"]),
            plural: text(&["spec", "names", "plural"]),
            namespaced: definition.text_at(&["spec", "scope"]) != "Cluster",
        }
    }
}

impl PolicySet {
    /// Whether a kind is namespaced; `None` for an unknown kind.
    pub(crate) fn is_namespaced(&self, kind: &GroupVersionKind<'_>) -> Option<bool> {
        let api_version = api_version(kind);
        if let Some(row) = find(&api_version, kind.kind) {
            return Some(row.scope == Scope::Namespaced);
        }
        if let Some(custom) = self.custom(kind.group, kind.kind) {
            return Some(custom.namespaced);
        }
        let mut own = self.parameters.iter().filter(|node| is_of(node, kind)).peekable();
        own.peek()?;
        Some(own.any(|node| !node.text_at(&["metadata", "namespace"]).is_empty()))
    }

    /// A custom kind, if a file defines it.
    pub(crate) fn custom(&self, group: &str, kind: &str) -> Option<&CustomKind> {
        self.custom_kinds.iter().find(|row| row.group == group && row.kind == kind)
    }
}

fn api_version(kind: &GroupVersionKind<'_>) -> String {
    match kind.group {
        "" => kind.version.to_owned(),
        group => format!("{group}/{}", kind.version),
    }
}

/// Whether an object is of a kind.
pub(crate) fn is_of(node: &Node<'_>, kind: &GroupVersionKind<'_>) -> bool {
    let (group, version) = split(node.text_at(&["apiVersion"]));
    (group, version, node.text_at(&["kind"])) == (kind.group, kind.version, kind.kind)
}

fn is_in(node: &Node<'_>, kind: &GroupVersionKind<'_>, namespace: &str) -> bool {
    is_of(node, kind) && node.text_at(&["metadata", "namespace"]) == namespace
}

impl ClusterReader for FileCluster<'_> {
    fn namespace(&self, name: &str) -> Option<Node<'static>> {
        let given = self
            .policy_set
            .namespaces
            .get(name)
            .or_else(|| self.namespaces.namespace(name))
            .cloned();
        let known = given.or_else(|| self.stored?.namespace(name));
        let namespace = known.unwrap_or_else(|| {
            self.policy_set.remember_unknown(name);
            Node::map([("metadata", Node::map([("name", Node::string(name.to_owned()))]))])
        });
        let mut namespace = namespace;
        namespace.set("apiVersion", Node::string("v1"));
        namespace.set("kind", Node::string("Namespace"));
        Some(as_stored(&Object::new(namespace), None))
    }

    /// Always true: manifests do not say which namespaces exist.
    fn has_namespace(&self, _: &str) -> bool {
        true
    }

    fn served(&self, kind: &GroupVersionKind<'_>) -> Option<Served> {
        self.policy_set.is_namespaced(kind).map(|namespaced| Served { namespaced })
    }

    fn parameter(
        &self,
        kind: &GroupVersionKind<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let is_it = |node: &&Node<'static>| {
            is_in(node, kind, namespace) && node.text_at(&["metadata", "name"]) == name
        };
        self.policy_set.parameters.iter().find(is_it).cloned()
    }

    fn parameters(&self, kind: &GroupVersionKind<'_>, namespace: &str) -> Vec<Node<'static>> {
        let is_there = |node: &&Node<'static>| is_in(node, kind, namespace);
        self.policy_set.parameters.iter().filter(is_there).cloned().collect()
    }
}
