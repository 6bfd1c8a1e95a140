//! An EndpointSlice: its current object, and its desired parts.

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
    pub(crate) fn from_node(node: &Shared) -> Self {
        let endpoints = node.get("endpoints").map(Node::items).unwrap_or_default();
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self {
            origin: Some(node.clone()),
            address_type: node.text_at(&["addressType"]).to_owned(),
            labels: labels(node).map(owned).collect(),
            ports: Port::all_from_node(node),
            endpoints: endpoints.iter().map(Endpoint::from_node).collect(),
        }
    }

    /// The name in the API; empty if it does not exist yet.
    #[cfg(test)]
    pub(crate) fn name(&self) -> &str {
        self.origin.as_ref().map(|origin| origin.metadata().name()).unwrap_or_default()
    }

    /// Whether the slice in the API has the desired parts already.
    pub(crate) fn is_unchanged(&self) -> bool {
        let Some(current) = self.origin.as_ref().map(Self::from_node) else { return false };
        current.labels == self.labels
            && current.ports == self.ports
            && current.endpoints == self.endpoints
            && current.address_type == self.address_type
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
        let metadata = node.map_mut("metadata");
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

/// Sets an annotation, or removes it.
pub(crate) fn annotate(node: &mut Node<'static>, name: &'static str, text: Option<String>) {
    let exists = annotations(node).any(|(existing, _)| existing == name);
    match text {
        Some(text) => node.map_mut("metadata").map_mut("annotations").set(name, Node::string(text)),
        None if exists => drop(node.map_mut("metadata").map_mut("annotations").remove(name)),
        None => {}
    }
}

/// Replaces all annotations.
pub(crate) fn annotate_all(node: &mut Node<'static>, annotations: &BTreeMap<String, String>) {
    let all = annotations.iter().map(|(name, text)| (name.clone(), Node::string(text.clone())));
    let metadata = node.map_mut("metadata");
    metadata.remove("annotations");
    if !annotations.is_empty() {
        metadata.set("annotations", Node::map(all));
    }
}

/// The owner reference of a slice.
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

/// Whether the slice has an owner with this kind and uid.
pub(crate) fn is_owned(slice: &Node<'_>, kind: &str, uid: &str) -> bool {
    let owners = slice.metadata().owner_references();
    owners.iter().any(|owner| {
        owner.text_at(&["uid"]) == uid
            && owner.text_at(&["kind"]) == kind
            && owner.text_at(&["apiVersion"]) == "v1"
    })
}
