//! The cluster that policies are told of: what the files say of it, and no more.

use super::PolicySet;
use super::ready::{as_stored, split};
use crate::against::Stored;
use crate::namespaces::NamespaceIndex;
use ratchet_object::{Node, Object, Scope, find};
use ratchet_policy::{KindName, Served, Surroundings};

/// The cluster as the files describe it.
pub(crate) struct Around<'a> {
    pub(crate) book: &'a PolicySet,
    pub(crate) lent: &'a NamespaceIndex,
    pub(crate) stored: Option<&'a Stored>,
}

/// A kind that is not built in, as its definition says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Custom {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) plural: String,
    pub(crate) namespaced: bool,
}

impl Custom {
    /// Reads a CustomResourceDefinition.
    pub(crate) fn read(definition: &Node<'_>) -> Self {
        let word = |names: &[&str]| definition.text_at(names).to_owned();
        Self {
            group: word(&["spec", "group"]),
            kind: word(&["spec", "names", "kind"]),
            plural: word(&["spec", "names", "plural"]),
            namespaced: definition.text_at(&["spec", "scope"]) != "Cluster",
        }
    }
}

impl PolicySet {
    /// Whether objects of a kind are in namespaces; none if nothing is known of the kind.
    pub(crate) fn is_namespaced(&self, kind: &KindName<'_>) -> Option<bool> {
        let written = api_version(kind);
        if let Some(row) = find(&written, kind.kind) {
            return Some(row.scope == Scope::Namespaced);
        }
        if let Some(custom) = self.custom(kind.group, kind.kind) {
            return Some(custom.namespaced);
        }
        let mut own = self.parameters.iter().filter(|node| is_of(node, kind)).peekable();
        own.peek()?;
        Some(own.any(|node| !node.text_at(&["metadata", "namespace"]).is_empty()))
    }

    /// The definition of a kind, if it is among the files.
    pub(crate) fn custom(&self, group: &str, kind: &str) -> Option<&Custom> {
        self.customs.iter().find(|row| row.group == group && row.kind == kind)
    }
}

fn api_version(kind: &KindName<'_>) -> String {
    match kind.group {
        "" => kind.version.to_owned(),
        group => format!("{group}/{}", kind.version),
    }
}

/// Whether an object is of a kind.
pub(crate) fn is_of(node: &Node<'_>, kind: &KindName<'_>) -> bool {
    let (group, version) = split(node.text_at(&["apiVersion"]));
    (group, version, node.text_at(&["kind"])) == (kind.group, kind.version, kind.kind)
}

fn is_in(node: &Node<'_>, kind: &KindName<'_>, namespace: &str) -> bool {
    is_of(node, kind) && node.text_at(&["metadata", "namespace"]) == namespace
}

impl Surroundings for Around<'_> {
    fn namespace(&self, name: &str) -> Option<Node<'static>> {
        let given = self.book.namespaces.get(name).or_else(|| self.lent.namespace(name)).cloned();
        let known = given.or_else(|| self.stored?.namespace(name));
        let namespace = known.unwrap_or_else(|| {
            self.book.remember_unknown(name);
            Node::map([("metadata", Node::map([("name", Node::string(name.to_owned()))]))])
        });
        let mut namespace = namespace;
        namespace.set("apiVersion", Node::string("v1"));
        namespace.set("kind", Node::string("Namespace"));
        Some(as_stored(&Object::new(namespace), None))
    }

    /// Every namespace is: which there are is not told in manifests.
    fn has_namespace(&self, _: &str) -> bool {
        true
    }

    fn served(&self, kind: &KindName<'_>) -> Option<Served> {
        self.book.is_namespaced(kind).map(|namespaced| Served { namespaced })
    }

    fn parameter(&self, kind: &KindName<'_>, namespace: &str, name: &str) -> Option<Node<'static>> {
        let is_it = |node: &&Node<'static>| {
            is_in(node, kind, namespace) && node.text_at(&["metadata", "name"]) == name
        };
        self.book.parameters.iter().find(is_it).cloned()
    }

    fn parameters(&self, kind: &KindName<'_>, namespace: &str) -> Vec<Node<'static>> {
        let is_there = |node: &&Node<'static>| is_in(node, kind, namespace);
        self.book.parameters.iter().filter(is_there).cloned().collect()
    }
}
