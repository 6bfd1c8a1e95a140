//! The cluster state that policies can read, as far as files define it.

use super::PolicySet;
use super::kinds::kind_of;
use super::stored_form::as_stored;
use crate::against::StoredObjects;
use crate::namespaces::NamespaceIndex;
use ratchet_object::{
    ClusterReader, GroupVersionKind, GroupVersionResource, Node, Object, RestMapping,
};
use ratchet_policy::PolicyContext;

/// A cluster whose namespaces and parameters come from files.
pub(crate) struct FileCluster<'a> {
    pub(crate) policy_set: &'a PolicySet,
    pub(crate) namespaces: &'a NamespaceIndex,
    pub(crate) stored: Option<&'a StoredObjects>,
}

fn is_namespaces(resource: &GroupVersionResource<'_>) -> bool {
    (resource.group, resource.resource) == ("", "namespaces")
}

impl FileCluster<'_> {
    /// A namespace as it would be stored. Manifests do not say which namespaces exist: an unknown one has no labels.
    fn namespace(&self, name: &str) -> Node<'static> {
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
        as_stored(&Object::new(namespace), None)
    }

    /// The parameters of a resource in a namespace.
    fn parameters<'r>(
        &'r self,
        resource: &'r GroupVersionResource<'_>,
        namespace: &'r str,
    ) -> impl Iterator<Item = &'r Node<'static>> {
        let is_there = move |node: &&Node<'static>| {
            let kind = kind_of(node);
            (kind.group, kind.version) == (resource.group, resource.version)
                && node.text_at(&["metadata", "namespace"]) == namespace
                && self.policy_set.plural(&kind) == resource.resource
        };
        self.policy_set.parameters.iter().filter(is_there)
    }
}

impl ClusterReader for FileCluster<'_> {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        if is_namespaces(resource) {
            return Some(self.namespace(name));
        }
        let mut parameters = self.parameters(resource, namespace);
        parameters.find(|node| node.text_at(&["metadata", "name"]) == name).cloned()
    }

    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        self.parameters(resource, namespace).take(limit).cloned().collect()
    }

    /// Always true for namespaces: manifests do not say which exist.
    fn exists(&self, resource: &GroupVersionResource<'_>, namespace: &str, name: &str) -> bool {
        is_namespaces(resource) || self.get(resource, namespace, name).is_some()
    }

    fn rest_mapping(&self, kind: &GroupVersionKind<'_>) -> Option<RestMapping> {
        let namespaced = self.policy_set.is_namespaced(kind)?;
        Some(RestMapping { resource: self.policy_set.plural(kind), namespaced })
    }
}

impl PolicyContext for FileCluster<'_> {}
