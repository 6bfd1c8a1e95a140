//! An EndpointSlice: as it was found, and as it shall be.

use super::{Endpoint, Port};
use crate::Shared;
use crate::labels::{annotations, labels};
use ratchet_object::Node;
use std::collections::BTreeMap;

/// The parts of a slice that a controller sets.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    /// The slice in the API, if there is one.
    pub(crate) origin: Option<Shared>,
    pub(crate) address_type: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) ports: Vec<Port>,
    pub(crate) endpoints: Vec<Endpoint>,
}

impl Slice {
    /// Reads a slice.
    pub(crate) fn read(node: &Shared) -> Self {
        let endpoints = node.get("endpoints").map(Node::items).unwrap_or_default();
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self {
            origin: Some(node.clone()),
            address_type: node.text_at(&["addressType"]).to_owned(),
            labels: labels(node).map(owned).collect(),
            ports: Port::read_all(node),
            endpoints: endpoints.iter().map(Endpoint::read).collect(),
        }
    }

    /// Its name in the API; empty if it is not there yet.
    #[cfg(test)]
    pub(crate) fn name(&self) -> &str {
        self.origin.as_ref().map(|origin| origin.text_at(&["metadata", "name"])).unwrap_or_default()
    }

    /// Whether the slice in the API is just so.
    pub(crate) fn is_as_found(&self) -> bool {
        let Some(found) = self.origin.as_ref().map(Self::read) else { return false };
        found.labels == self.labels
            && found.ports == self.ports
            && found.endpoints == self.endpoints
            && found.address_type == self.address_type
    }

    /// The object to be written: the one in the API with these parts replaced, or a new one.
    pub(crate) fn to_node(
        &self,
        namespace: &str,
        prefix: &str,
        owner: Node<'static>,
    ) -> Node<'static> {
        let mut node = match &self.origin {
            Some(origin) => Node::clone(origin),
            None => Node::empty_map(),
        };
        node.set("apiVersion", Node::string("discovery.k8s.io/v1"));
        node.set("kind", Node::string("EndpointSlice"));
        let metadata = node.below("metadata");
        if self.origin.is_none() {
            metadata.set("generateName", Node::string(prefix.to_owned()));
            metadata.set("namespace", Node::string(namespace.to_owned()));
        }
        metadata.set("ownerReferences", Node::list(vec![owner]));
        let labels = self.labels.iter();
        let labels = labels.map(|(name, value)| (name.clone(), Node::string(value.clone())));
        metadata.set("labels", Node::map(labels));
        node.set("addressType", Node::string(self.address_type.clone()));
        node.set("ports", Node::list(self.ports.iter().map(Port::to_node).collect()));
        let endpoints = self.endpoints.iter().map(Endpoint::to_node).collect();
        node.set("endpoints", Node::list(endpoints));
        node
    }
}

/// Sets an annotation, or takes it out.
pub(crate) fn annotate(node: &mut Node<'static>, name: &'static str, text: Option<String>) {
    let there = annotations(node).any(|(known, _)| known == name);
    match text {
        Some(text) => node.below("metadata").below("annotations").set(name, Node::string(text)),
        None if there => drop(node.below("metadata").below("annotations").remove(name)),
        None => {}
    }
}

/// Replaces all annotations.
pub(crate) fn annotate_all(node: &mut Node<'static>, texts: &BTreeMap<String, String>) {
    let all = texts.iter().map(|(name, text)| (name.clone(), Node::string(text.clone())));
    let metadata = node.below("metadata");
    metadata.remove("annotations");
    if !texts.is_empty() {
        metadata.set("annotations", Node::map(all));
    }
}

/// A reference to the one object that a slice goes with.
pub(crate) fn owner(kind: &'static str, name: &str, uid: &str) -> Node<'static> {
    Node::map([
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string(kind)),
        ("name", Node::string(name.to_owned())),
        ("uid", Node::string(uid.to_owned())),
        ("controller", Node::bool(true)),
        ("blockOwnerDeletion", Node::bool(true)),
    ])
}

/// Whether the slice goes with the object of this uid.
pub(crate) fn is_owned(slice: &Node<'_>, kind: &str, uid: &str) -> bool {
    let owners = slice.find(&["metadata", "ownerReferences"]).map(Node::items).unwrap_or_default();
    owners.iter().any(|owner| {
        owner.text_at(&["uid"]) == uid
            && owner.text_at(&["kind"]) == kind
            && owner.text_at(&["apiVersion"]) == "v1"
    })
}
