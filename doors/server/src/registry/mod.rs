//! Registry: group, version and plural of a path enter; the served resource leaves, with its kind, strategy and watch
//! cache.
//!
//! What strategies do on create and update is here too.

pub(crate) mod clock;
mod disabled;
mod kinds;
pub(crate) mod metadata;
mod prepare;
pub(crate) mod services;
mod signing_request;
mod strategies;
mod strategy;

pub(crate) use strategies::strategy;
pub(crate) use strategy::{CreateContext, Deletion, Dependents, Strategy};

use crate::status::About;
use crate::storage::cache::{Cache, NODE_PORTS, ROOT, ResourceCache};
use ratchet_catalog::Resource;
use ratchet_engine::Release;
use ratchet_object::{Kind, Node, canonicalize, complete, find, schema};
use std::collections::HashMap;
use std::sync::Arc;

/// One resource in one API version.
pub struct ServedResource {
    /// The catalog row.
    pub row: &'static Resource<'static>,
    /// The engine's kind; none for resources without storage.
    pub kind: Option<Kind<'static>>,
    strategy: &'static Strategy,
    /// The watch cache of its objects; always empty for reviews.
    pub cache: Arc<ResourceCache>,
    /// The catalog row of the storage version.
    pub stored: &'static Resource<'static>,
    /// The name in storage keys: `pods`, `deployments.apps`.
    storage: String,
}

impl ServedResource {
    /// What its kind does on create, update and delete.
    pub fn strategy(&self) -> &'static Strategy {
        self.strategy
    }

    /// The `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        api_version(self.row)
    }

    /// The key of an object in the store.
    pub fn key(&self, namespace: &str, name: &str) -> Arc<str> {
        format!("{ROOT}{}/{}", self.storage, self.cache_key(namespace, name)).into()
    }

    /// The key of an object in the watch cache.
    pub fn cache_key(&self, namespace: &str, name: &str) -> String {
        if self.row.namespaced { format!("{namespace}/{name}") } else { name.to_owned() }
    }

    /// The prefix of the store keys of a collection.
    pub fn prefix(&self, namespace: &str) -> String {
        match namespace {
            "" => format!("{ROOT}{}/", self.storage),
            namespace => format!("{ROOT}{}/{namespace}/", self.storage),
        }
    }

    /// Names one of its objects in a `StatusError`.
    pub fn about<'a>(&self, name: &'a str) -> About<'a> {
        About { group: self.row.group, resource: self.row.plural, name }
    }

    /// Rewrites an object into the canonical form of this version: spelling of values, fields that are always written.
    pub fn canonicalize(&self, node: &mut Node<'static>) {
        if let Some(row) = schema::kind(self.row.group, self.row.version, self.row.kind) {
            canonicalize(node, row.ty);
        }
    }

    /// Adds the fields that the API always writes, so that the object can be compared with a stored one.
    pub fn complete(&self, node: &mut Node<'static>) {
        if let Some(row) = schema::kind(self.row.group, self.row.version, self.row.kind) {
            complete(node, row.ty);
        }
    }

    /// The etcd key under which kube-apiserver stores an object, which some error messages contain.
    pub fn etcd_key(&self, namespace: &str, name: &str) -> String {
        format!("{ROOT}{}/{}", etcd_prefix(self.stored), self.cache_key(namespace, name))
    }

    /// Whether its objects are stored in another version than this one.
    pub fn is_converted(&self) -> bool {
        (self.row.group, self.row.version) != (self.stored.group, self.stored.version)
    }
}

fn api_version(row: &Resource<'_>) -> String {
    ratchet_catalog::discovery::group_version(row.group, row.version)
}

/// The row of the storage version; two resources may share their stored objects.
fn storage(row: &'static Resource<'static>) -> &'static Resource<'static> {
    let storage = row.storage.unwrap_or(row.gvk());
    ratchet_catalog::of_kind(storage.group, storage.version, storage.kind).unwrap_or(row)
}

fn storage_name(row: &Resource<'_>) -> String {
    match row.group {
        "" => row.plural.to_owned(),
        group => format!("{}.{group}", row.plural),
    }
}

/// The etcd prefix of a resource in kube-apiserver: its plural, except for a few old ones.
fn etcd_prefix(row: &'static Resource<'static>) -> &'static str {
    const OLD: &[(&str, &str, &str)] = &[
        ("", "endpoints", "services/endpoints"),
        ("", "nodes", "minions"),
        ("", "replicationcontrollers", "controllers"),
        ("", "services", "services/specs"),
        ("networking.k8s.io", "ingresses", "ingress"),
    ];
    let old = OLD.iter().find(|(group, plural, _)| (*group, *plural) == (row.group, row.plural));
    old.map_or(row.plural, |(_, _, prefix)| *prefix)
}

/// All storage names.
pub(crate) fn storage_names() -> impl Iterator<Item = String> {
    let rows = ratchet_catalog::RESOURCES.iter().map(|row| storage_name(storage(row)));
    rows.chain([NODE_PORTS.to_owned()])
}

/// All served resources.
pub struct Registry {
    /// By plural; resources with the same plural differ in group or version.
    all: HashMap<&'static str, Vec<Arc<ServedResource>>>,
    rows: Vec<&'static Resource<'static>>,
}

impl Registry {
    /// Builds the registry of the emulated release; `switched` is `--runtime-config`.
    pub fn new(cache: &Cache, emulated: Release, switched: &[(String, bool)]) -> Self {
        let wanted = |row: &&Resource<'_>| is_served(row, emulated) && !is_off(row, switched);
        let rows: Vec<_> = ratchet_catalog::RESOURCES.iter().filter(wanted).collect();
        let mut all: HashMap<&str, Vec<Arc<ServedResource>>> = HashMap::with_capacity(rows.len());
        for row in &rows {
            let stored = storage(row);
            let name = storage_name(stored);
            let kind = find(&api_version(row), row.kind);
            let resource = ServedResource {
                row,
                kind,
                strategy: strategy(stored.group, stored.kind),
                cache: cache.resource_cache(&name).unwrap_or_default(),
                stored,
                storage: name,
            };
            all.entry(row.plural).or_default().push(Arc::new(resource));
        }
        Self { all, rows }
    }

    /// Finds a resource by group, version and plural.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<ServedResource>> {
        let mut named = self.all.get(plural)?.iter();
        named.find(|resource| (resource.row.group, resource.row.version) == (group, version))
    }

    /// Finds a resource by group and plural, in the first version that discovery names.
    pub fn find_in_group(&self, group: &str, plural: &str) -> Option<&Arc<ServedResource>> {
        self.all.get(plural)?.iter().find(|resource| resource.row.group == group)
    }

    /// Finds a resource of the core group.
    pub fn core(&self, plural: &str) -> Option<&Arc<ServedResource>> {
        self.find("", "v1", plural)
    }

    /// Whether the group is served in any version.
    pub fn has_group(&self, group: &str) -> bool {
        self.rows.iter().any(|row| row.group == group)
    }

    /// Whether the group version is served.
    pub fn has_version(&self, group: &str, version: &str) -> bool {
        self.rows.iter().any(|row| row.group == group && row.version == version)
    }

    /// All catalog rows in discovery order.
    pub fn rows(&self) -> &[&'static Resource<'static>] {
        &self.rows
    }

    /// All resources in discovery order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<ServedResource>> {
        self.rows.iter().filter_map(|row| self.find(row.group, row.version, row.plural))
    }
}

/// Whether the release serves a row: `resource.k8s.io/v1` came with 1.34.
fn is_served(row: &Resource<'_>, emulated: Release) -> bool {
    row.group != "resource.k8s.io" || emulated.since(34)
}

/// Whether `--runtime-config` disables a row; the most specific entry decides.
fn is_off(row: &Resource<'_>, switched: &[(String, bool)]) -> bool {
    let version = match row.group {
        "" => row.version.to_owned(),
        group => format!("{group}/{}", row.version),
    };
    let resource = format!("{version}/{}", row.plural);
    // `api/all` does not disable the core API.
    let names = match row.group {
        "" => vec![resource],
        _ => vec![resource, version, "api/ga".to_owned(), "api/all".to_owned()],
    };
    let setting =
        |name: &String| switched.iter().rev().find(|(key, _)| key == name).map(|(_, on)| *on);
    names.iter().find_map(setting) == Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apis_are_turned_off_as_the_flag_says() {
        let row = |group, plural| ratchet_catalog::lookup(group, "v1", plural).unwrap();
        let off = |row, flags: &[(&str, bool)]| {
            let flags: Vec<(String, bool)> =
                flags.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect();
            is_off(row, &flags)
        };
        let deployments = row("apps", "deployments");
        assert!(!off(deployments, &[]));
        assert!(off(deployments, &[("apps/v1", false)]));
        assert!(off(deployments, &[("api/all", false)]));
        assert!(!off(deployments, &[("api/all", false), ("apps/v1", true)]));
        assert!(off(deployments, &[("apps/v1/deployments", false)]));
        assert!(!off(row("", "pods"), &[("api/all", false)]));
    }
}
