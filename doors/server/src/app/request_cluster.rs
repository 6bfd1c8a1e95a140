//! `RequestCluster`: the cluster as validation, plugins and policies see it during one request, from the watch cache.

use super::App;
use crate::registry::ServedResource;
use crate::status::StatusError;
use crate::storage::cache::{Item, Unreadable};
use ratchet_access::User;
use ratchet_object::{ClusterReader, GroupVersionKind, GroupVersionResource, Node, RestMapping};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Cluster state for one request.
pub(crate) struct RequestCluster<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) user: &'a User,
    /// When the time of evaluations was looked at first.
    started: OnceLock<Instant>,
    /// The first stored value that was needed and cannot be decoded.
    failed: OnceLock<Arc<Unreadable>>,
}

impl<'a> RequestCluster<'a> {
    /// The cluster as a user's request sees it.
    pub(crate) fn new(app: &'a Arc<App>, user: &'a User) -> Self {
        Self { app, user, started: OnceLock::new(), failed: OnceLock::new() }
    }

    /// The time that evaluations are measured with, from the first look at it on.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.get_or_init(Instant::now).elapsed()
    }

    /// Fails if a stored value was needed that cannot be decoded.
    pub(crate) fn check(&self) -> Result<(), StatusError> {
        self.failed.get().map_or(Ok(()), |found| Err(found.into()))
    }

    /// Finds the resource of a kind.
    pub(crate) fn find_kind(&self, kind: &GroupVersionKind<'_>) -> Option<Arc<ServedResource>> {
        self.app.registry.now().of_kind(kind.group, kind.version, kind.kind).cloned()
    }

    fn find(&self, resource: &GroupVersionResource<'_>) -> Option<Arc<ServedResource>> {
        let GroupVersionResource { group, version, resource } = *resource;
        match version {
            "" => self.app.registry.find_in_group(group, resource),
            version => self.app.registry.find(group, version, resource),
        }
    }

    fn item(&self, resource: &ServedResource, namespace: &str, name: &str) -> Option<Arc<Item>> {
        resource.cache.find(&resource.cache_key(namespace, name)).unwrap_or_else(|found| {
            let _ = self.failed.set(Arc::new(found)); // the first is enough
            None
        })
    }
}

impl RequestCluster<'_> {
    /// The first objects of a namespace that are selected.
    fn select(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
        select: impl Fn(&Item) -> bool,
    ) -> Vec<Node<'static>> {
        let Some(served) = self.find(resource) else { return Vec::new() };
        let prefix = if served.row().namespaced { format!("{namespace}/") } else { String::new() };
        let snapshot = served.cache.now();
        if let Some(found) = snapshot.unreadable_within(&prefix) {
            let _ = self.failed.set(found.clone()); // the first is enough
        }
        let items = snapshot.within(&prefix).filter(|item| select(item)).take(limit);
        items.map(|item| object(&served, item, resource.version)).collect()
    }
}

/// The object as it is stored, or in the version of the resource if one is named.
fn object(resource: &ServedResource, item: &Arc<Item>, version: &str) -> Node<'static> {
    if version.is_empty() {
        return item.node();
    }
    match resource.serve_local(item) {
        Ok(served) => resource.read(&served),
        Err(_) => resource.read(item),
    }
}

impl ClusterReader for RequestCluster<'_> {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let served = self.find(resource)?;
        Some(object(&served, &self.item(&served, namespace, name)?, resource.version))
    }

    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        self.select(resource, namespace, limit, |_| true)
    }

    fn list_naming(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        member: &str,
    ) -> Vec<Node<'static>> {
        self.select(resource, namespace, usize::MAX, |item| item.may_name(member))
    }

    fn labels(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Option<Node<'static>>> {
        let item = self.item(&*self.find(resource)?, namespace, name)?;
        Some(item.read(|object| {
            let labels = object.find(&["metadata", "labels"])?;
            Some(labels.clone().into_owned())
        }))
    }

    fn exists(&self, resource: &GroupVersionResource<'_>, namespace: &str, name: &str) -> bool {
        self.find(resource).is_some_and(|served| self.item(&served, namespace, name).is_some())
    }

    fn rest_mapping(&self, kind: &GroupVersionKind<'_>) -> Option<RestMapping> {
        let served = self.find_kind(kind)?;
        let row = served.row();
        Some(RestMapping { resource: row.plural.to_owned(), namespaced: row.namespaced })
    }
}
