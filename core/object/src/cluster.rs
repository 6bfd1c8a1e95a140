//! `ClusterReader`: the stored objects of a cluster, as authentication, admission, policies and validation read them.

use crate::{GroupVersionKind, GroupVersionResource, Node};
use alloc::string::String;
use alloc::vec::Vec;

/// Read access to the objects of a cluster. A door implements it on what it has: a watch cache, files, nothing.
pub trait ClusterReader {
    /// One object; `namespace` is empty for cluster-scoped resources. With a version the object is converted to it and
    /// has `apiVersion` and `kind`; without one it is as it is stored.
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>>;

    /// The objects of a resource in a namespace, sorted by name, at most `limit`; otherwise as [`ClusterReader::get`].
    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
    ) -> Vec<Node<'static>>;

    /// All that have a member of this name somewhere, and maybe others, as [`ClusterReader::list`]: fewer are read where
    /// few have it.
    fn list_naming(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        _member: &str,
    ) -> Vec<Node<'static>> {
        self.list(resource, namespace, usize::MAX)
    }

    /// The labels of an object; none if it does not exist, and nothing in it if it has none.
    fn labels(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Option<Node<'static>>> {
        let object = self.get(resource, namespace, name)?;
        Some(object.find(&["metadata", "labels"]).cloned())
    }

    /// Whether an object exists.
    fn exists(&self, resource: &GroupVersionResource<'_>, namespace: &str, name: &str) -> bool {
        self.get(resource, namespace, name).is_some()
    }

    /// The resource of a kind, `None` if it is not served.
    fn rest_mapping(&self, kind: &GroupVersionKind<'_>) -> Option<RestMapping>;
}

/// The resource of a kind, as a `RESTMapper` finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestMapping {
    /// The plural name in URLs.
    pub resource: String,
    /// Whether its objects are namespaced.
    pub namespaced: bool,
}

/// A cluster without objects in which every namespace exists, without labels: what a file alone says.
#[derive(Clone, Copy, Debug)]
pub struct NoCluster;

impl ClusterReader for NoCluster {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        _: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let is_namespace = (resource.group, resource.resource) == ("", "namespaces");
        is_namespace.then(|| {
            Node::map([("metadata", Node::map([("name", Node::string(String::from(name)))]))])
        })
    }

    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_cluster_there_are_namespaces_and_nothing_else() {
        let (namespaces, pods) = (
            GroupVersionResource::any_version("", "namespaces"),
            GroupVersionResource::any_version("", "pods"),
        );
        assert!(NoCluster.exists(&namespaces, "", "default"));
        assert!(!NoCluster.exists(&pods, "default", "a"));
        assert!(NoCluster.list(&namespaces, "", 9).is_empty());
        assert_eq!(NoCluster.rest_mapping(&GroupVersionKind::from_api_version("v1", "Pod")), None);
    }
}
