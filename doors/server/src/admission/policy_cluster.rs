//! The cluster as admission policies see it: namespaces, parameters, equivalent resources, conversions, authorizer.

use crate::app::App;
use crate::registry::ServedResource;
use crate::status::StatusError;
use crate::storage::cache::{Item, Unreadable};
use crate::storage::convert;
use ratchet_access::{Attributes, Resource, Target, User};
use ratchet_object::Node;
use ratchet_policy::authz::{self, Authorize};
use ratchet_policy::{
    ClusterReader, Equivalent, GroupVersionKind, GroupVersionResource, ResourceScope,
};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Cluster state for the evaluation of one request.
pub(super) struct PolicyCluster<'a> {
    app: &'a Arc<App>,
    user: &'a User,
    started: Instant,
    /// The first stored value that was needed and cannot be decoded.
    failed: OnceLock<Arc<Unreadable>>,
}

impl<'a> PolicyCluster<'a> {
    /// Starts the clock of the evaluation.
    pub(super) fn new(app: &'a Arc<App>, user: &'a User) -> Self {
        Self { app, user, started: Instant::now(), failed: OnceLock::new() }
    }

    /// Fails if the evaluation missed a stored value that cannot be decoded.
    pub(super) fn check(&self) -> Result<(), StatusError> {
        self.failed.get().map_or(Ok(()), |found| Err(found.into()))
    }

    fn get(&self, resource: &ServedResource, key: &str) -> Option<Arc<Item>> {
        resource.cache.find(key).unwrap_or_else(|found| {
            let _ = self.failed.set(Arc::new(found)); // the first is enough
            None
        })
    }

    fn find(&self, kind: &GroupVersionKind<'_>) -> Option<&'a Arc<ServedResource>> {
        let is_kind = |resource: &&Arc<ServedResource>| {
            let row = resource.row;
            (row.group, row.version, row.kind) == (kind.group, kind.version, kind.kind)
        };
        self.app.registry.all().find(is_kind)
    }
}

/// The `authorizer` variable of CEL expressions.
struct Asker {
    app: Arc<App>,
    user: User,
}

impl std::fmt::Debug for Asker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Asker").field(&self.user).finish()
    }
}

impl Authorize for Asker {
    fn decide(&self, ask: &authz::AuthorizationCheck) -> authz::Decision {
        let account;
        let user = match &ask.account {
            None => &self.user,
            Some((namespace, name)) => {
                account = User::service_account(namespace, name);
                &account
            }
        };
        let target = match &ask.target {
            authz::Target::Path(path) => Target::Path(path),
            authz::Target::Resource(resource) => Target::Resource(Resource {
                group: &resource.group,
                version: "*",
                resource: &resource.resource,
                subresource: &resource.subresource,
                namespace: &resource.namespace,
                name: &resource.name,
                field_selector: &resource.field_selector,
            }),
        };
        let decision = self.app.authorizer.decide(&Attributes { user, verb: &ask.verb, target });
        authz::Decision {
            allowed: decision.is_allowed(),
            reason: decision.reason().to_owned(),
            error: None,
        }
    }
}

fn to_version(resource: &ServedResource, item: &Item) -> Node<'static> {
    let mut node = item.node();
    convert::from_stored(&mut node, &resource.api_version(), resource.row.kind);
    node.set("apiVersion", Node::string(resource.api_version()));
    node.set("kind", Node::string(resource.row.kind));
    node
}

impl ClusterReader for PolicyCluster<'_> {
    fn namespace(&self, name: &str) -> Option<Node<'static>> {
        Some(self.get(self.app.registry.core("namespaces")?, name)?.node())
    }

    fn has_namespace(&self, name: &str) -> bool {
        let namespaces = self.app.registry.core("namespaces");
        namespaces.is_some_and(|resource| self.get(resource, name).is_some())
    }

    fn served(&self, kind: &GroupVersionKind<'_>) -> Option<ResourceScope> {
        self.find(kind).map(|resource| ResourceScope { namespaced: resource.row.namespaced })
    }

    fn parameter(
        &self,
        kind: &GroupVersionKind<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let resource = self.find(kind)?;
        let item = self.get(resource, &resource.cache_key(namespace, name))?;
        Some(to_version(resource, &item))
    }

    fn parameters(&self, kind: &GroupVersionKind<'_>, namespace: &str) -> Vec<Node<'static>> {
        let Some(resource) = self.find(kind) else { return Vec::new() };
        let prefix = if resource.row.namespaced { format!("{namespace}/") } else { String::new() };
        let snapshot = resource.cache.now();
        if let Some(found) = snapshot.unreadable_within(&prefix) {
            let _ = self.failed.set(found.clone()); // the first is enough
        }
        snapshot.within(&prefix).map(|item| to_version(resource, item)).collect()
    }

    fn equivalents(
        &self,
        resource: &GroupVersionResource<'_>,
        subresource: &str,
    ) -> Vec<Equivalent> {
        let GroupVersionResource { group, version, resource } = *resource;
        let Some(own) = self.app.registry.find(group, version, resource) else { return Vec::new() };
        let is_same = |candidate: &&Arc<ServedResource>| {
            let has_part = || candidate.row.subresource(subresource).is_some();
            std::ptr::eq(candidate.stored, own.stored) && (subresource.is_empty() || has_part())
        };
        let name = |candidate: &Arc<ServedResource>| {
            let row = candidate.row;
            let (group, version) = (row.group.to_owned(), row.version.to_owned());
            let kind = (group.clone(), version.clone(), row.kind.to_owned());
            Equivalent { group, version, resource: row.plural.to_owned(), kind }
        };
        self.app.registry.all().filter(is_same).map(name).collect()
    }

    fn converted(&self, object: &Node<'_>, kind: &GroupVersionKind<'_>) -> Option<Node<'static>> {
        let resource = self.find(kind)?;
        let mut node = object.clone().into_owned();
        let (version, name) =
            (object.text_at(&["apiVersion"]).to_owned(), object.text_at(&["kind"]).to_owned());
        convert::to_stored(&mut node, &version, &name);
        convert::from_stored(&mut node, &resource.api_version(), resource.row.kind);
        node.set("apiVersion", Node::string(resource.api_version()));
        node.set("kind", Node::string(resource.row.kind));
        Some(node)
    }

    fn authorizer(&self) -> Option<Arc<dyn Authorize>> {
        Some(Arc::new(Asker { app: self.app.clone(), user: self.user.clone() }))
    }

    fn nanoseconds(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
