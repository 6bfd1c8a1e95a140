//! `TokenGetter`: the stored objects that authentication reads, from the cache.

use crate::storage::cache::{Cache, ResourceCache};
use ratchet_object::{ClusterReader, GroupVersionKind, GroupVersionResource, Node, RestMapping};
use std::sync::Arc;

/// The caches of objects that tokens refer to, by resource.
pub(crate) struct TokenGetter([(&'static str, Arc<ResourceCache>); 4]);

impl TokenGetter {
    /// Uses the resource caches of a cache.
    pub(crate) fn new(cache: &Cache) -> Self {
        let resources = ["serviceaccounts", "pods", "secrets", "nodes"];
        Self(resources.map(|name| (name, cache.resource_cache(name))))
    }
}

impl ClusterReader for TokenGetter {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let (_, cache) = self.0.iter().find(|(plural, _)| *plural == resource.resource)?;
        let item = match namespace {
            "" => cache.get(name),
            namespace => cache.get(&format!("{namespace}/{name}")),
        };
        Some(item?.node())
    }

    /// Nothing: authentication reads single objects.
    fn list(&self, _: &GroupVersionResource<'_>, _: &str, _: usize) -> Vec<Node<'static>> {
        Vec::new()
    }

    fn rest_mapping(&self, _: &GroupVersionKind<'_>) -> Option<RestMapping> {
        None
    }
}
