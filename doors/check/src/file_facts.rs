//! Facts from files: the namespaces and pods that validation reads, as far as the input and `--against` define them.

use crate::against::StoredObjects;
use crate::namespaces::NamespaceIndex;
use ratchet_object::{
    ClusterReader, GroupVersionKind, GroupVersionResource, NoCluster, Node, Object, RestMapping,
};

/// Namespaces of the input, then stored ones, and stored pods. Files do not say which namespaces exist.
pub(crate) struct FileFacts<'a> {
    pub(crate) namespaces: &'a NamespaceIndex,
    pub(crate) stored: Option<&'a StoredObjects>,
    /// Whether there is a stored object that the file replaces: only then do stored pods count.
    pub(crate) is_update: bool,
}

impl ClusterReader for FileFacts<'_> {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        if (resource.group, resource.resource) != ("", "namespaces") {
            return None;
        }
        // A file that says nothing about labels leaves those that are stored.
        let given = self.namespaces.labels(name).and_then(|_| self.namespaces.namespace(name));
        let given = given.cloned();
        let known = given.or_else(|| self.stored?.namespace(name));
        known.or_else(|| NoCluster.get(resource, namespace, name))
    }

    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        let is_pods = (resource.group, resource.resource) == ("", "pods");
        let stored = self.stored.filter(|_| is_pods && self.is_update);
        let pods = stored.map(|stored| stored.pods(namespace)).unwrap_or_default();
        pods.into_iter().take(limit).map(Object::into_node).collect()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}
