//! Index of the namespaces in the input, whose labels decide about the objects in them.

use ratchet_manifests::{DocumentRef, objects_in};
use ratchet_object::{Limits, Node, Object, decode};
use std::collections::BTreeMap;

/// The namespaces that the input defines.
#[derive(Debug, Default)]
pub(crate) struct NamespaceIndex {
    namespaces: BTreeMap<String, Node<'static>>,
}

impl NamespaceIndex {
    /// The namespaces of a document, by name; documents that do not mention one are not decoded.
    pub(crate) fn find_all(document: &DocumentRef<'_>) -> Vec<(String, Node<'static>)> {
        let is_listed = document.list.is_some_and(|head| head.kind == "Namespace");
        let Ok(text) = document.text else { return Vec::new() };
        if !is_listed && !mentions_namespaces(text.as_bytes()) {
            return Vec::new();
        }
        let Ok(decoded) = decode(text, Limits::DEFAULT) else { return Vec::new() };
        objects_in(document, decoded.documents)
            .into_iter()
            .map(Object::new)
            .filter(|object| object.kind_name() == "Namespace")
            .map(|object| (object.name().to_owned(), object.into_node().into_owned()))
            .collect()
    }

    pub(crate) fn insert(&mut self, name: String, namespace: Node<'static>) {
        self.namespaces.insert(name, namespace);
    }

    /// The labels of a namespace, if the input defines it.
    pub(crate) fn labels(&self, namespace: &str) -> Option<&Node<'static>> {
        self.namespaces.get(namespace)?.get("metadata")?.get("labels")
    }

    /// A namespace, if the input defines it.
    pub(crate) fn namespace(&self, name: &str) -> Option<&Node<'static>> {
        self.namespaces.get(name)
    }
}

/// Whether a text has the word `Namespace`; `Namespaced`, as every other definition has it, does not count.
fn mentions_namespaces(text: &[u8]) -> bool {
    const WORD: &[u8] = b"Namespace";
    memchr::memmem::find_iter(text, WORD).any(|at| text.get(at + WORD.len()) != Some(&b'd'))
}
