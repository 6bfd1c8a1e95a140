//! Namespaces with their labels, which decide about the pods in them.

use ratchet_object::{
    ClusterReader, GroupVersionKind, GroupVersionResource, NoCluster, Node, RestMapping,
};
use std::collections::BTreeMap;

/// The labels of the namespaces that were seen; any other namespace exists without labels.
#[derive(Debug, Default)]
pub(crate) struct NamespaceLabels(BTreeMap<String, Node<'static>>);

impl NamespaceLabels {
    /// Remembers a namespace.
    pub(crate) fn insert(&mut self, namespace: &Node<'_>) {
        let name = namespace.metadata().name().to_owned();
        let labels = namespace.find(&["metadata", "labels"]).cloned().map(Node::into_owned);
        let members = [("name", Some(Node::string(name.clone()))), ("labels", labels)];
        let members = members.into_iter().filter_map(|(key, node)| Some((key, node?)));
        self.0.insert(name, Node::map([("metadata", Node::map(members))]));
    }
}

impl ClusterReader for NamespaceLabels {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let is_namespace = (resource.group, resource.resource) == ("", "namespaces");
        let known = self.0.get(name).filter(|_| is_namespace).cloned();
        known.or_else(|| NoCluster.get(resource, namespace, name))
    }

    /// A label that no plugin knows changes no level, so that existing pods are not looked at.
    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}
