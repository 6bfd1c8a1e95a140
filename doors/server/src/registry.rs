//! The resources that this server serves: rows of the catalog with their kind, habits and shelf.

use crate::cache::{Cache, ROOT, ResourceCache};
use crate::lifecycle::{Strategy, strategy};
use crate::status::About;
use ratchet_catalog::Resource;
use ratchet_engine::Release;
use ratchet_object::{Kind, Node, complete, find, respell, schema};
use std::collections::HashMap;
use std::sync::Arc;

/// One resource in one version.
pub struct ServedResource {
    /// Its row.
    pub row: &'static Resource<'static>,
    /// Its kind, as the engine knows it; none for what is answered but never stored.
    pub kind: Option<Kind<'static>>,
    /// How its objects are kept.
    pub strategy: &'static Strategy,
    /// Its objects; empty forever for reviews.
    pub shelf: Arc<ResourceCache>,
    /// The version in which its objects are stored.
    pub stored: &'static Resource<'static>,
    /// The name under which they are stored.
    storage: String,
}

impl ServedResource {
    /// `group/version` as objects write it.
    pub fn api_version(&self) -> String {
        api_version(self.row)
    }

    /// The key of an object in the store.
    pub fn key(&self, namespace: &str, name: &str) -> Arc<str> {
        format!("{ROOT}{}/{}", self.storage, self.shelf_key(namespace, name)).into()
    }

    /// The key of an object on its shelf.
    pub fn shelf_key(&self, namespace: &str, name: &str) -> String {
        if self.row.namespaced { format!("{namespace}/{name}") } else { name.to_owned() }
    }

    /// The beginning of the keys of a collection.
    pub fn prefix(&self, namespace: &str) -> String {
        match namespace {
            "" => format!("{ROOT}{}/", self.storage),
            namespace => format!("{ROOT}{}/{namespace}/", self.storage),
        }
    }

    /// What a refusal about one of its objects names.
    pub fn about<'a>(&self, name: &'a str) -> About<'a> {
        About { group: self.row.group, resource: self.row.plural, name }
    }

    /// Writes an object of this version as the API writes it again.
    pub fn respell(&self, node: &mut Node<'static>) {
        if let Some(row) = schema::kind(self.row.group, self.row.version, self.row.kind) {
            respell(node, row.ty);
            complete(node, row.ty);
        }
    }

    /// Adds to an object what the API always writes: so it can be compared with a stored one.
    pub fn complete(&self, node: &mut Node<'static>) {
        if let Some(row) = schema::kind(self.row.group, self.row.version, self.row.kind) {
            complete(node, row.ty);
        }
    }

    /// The key under which kube-apiserver stores an object, which some refusals name.
    pub fn etcd_key(&self, namespace: &str, name: &str) -> String {
        format!("{ROOT}{}/{}", told_prefix(self.stored), self.shelf_key(namespace, name))
    }

    /// Whether its objects are stored in another version than this one.
    pub fn is_converted(&self) -> bool {
        (self.row.group, self.row.version) != (self.stored.group, self.stored.version)
    }
}

fn api_version(row: &Resource<'_>) -> String {
    ratchet_catalog::discovery::group_version(row.group, row.version)
}

/// The version in which the objects of a resource are stored: two resources may share them.
fn storage(row: &'static Resource<'static>) -> &'static Resource<'static> {
    let kept = row.storage.unwrap_or(row.gvk());
    ratchet_catalog::of_kind(kept.group, kept.version, kept.kind).unwrap_or(row)
}

fn storage_name(row: &Resource<'_>) -> String {
    match row.group {
        "" => row.plural.to_owned(),
        group => format!("{}.{group}", row.plural),
    }
}

/// Where kube-apiserver keeps a resource: under its plural, but for a few with a history.
fn told_prefix(row: &'static Resource<'static>) -> &'static str {
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

/// The names under which anything may be stored.
pub(crate) fn storage_names() -> impl Iterator<Item = String> {
    let rows = ratchet_catalog::RESOURCES.iter().map(|row| storage_name(storage(row)));
    rows.chain([crate::services::NODE_PORTS.to_owned()])
}

/// All resources of this server.
pub struct Registry {
    /// By plural: the few that share one differ in group or version.
    all: HashMap<&'static str, Vec<Arc<ServedResource>>>,
    rows: Vec<&'static Resource<'static>>,
}

impl Registry {
    /// Everything that the emulated release serves.
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
                shelf: cache.shelf(&name).unwrap_or_default(),
                stored,
                storage: name,
            };
            all.entry(row.plural).or_default().push(Arc::new(resource));
        }
        Self { all, rows }
    }

    /// The resource of a URL.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<ServedResource>> {
        let mut named = self.all.get(plural)?.iter();
        named.find(|resource| (resource.row.group, resource.row.version) == (group, version))
    }

    /// The resource of a core kind that this server itself needs.
    pub fn core(&self, plural: &str) -> Option<&Arc<ServedResource>> {
        self.find("", "v1", plural)
    }

    /// Whether any resource has this group.
    pub fn has_group(&self, group: &str) -> bool {
        self.rows.iter().any(|row| row.group == group)
    }

    /// Whether any resource has this group and version.
    pub fn has_version(&self, group: &str, version: &str) -> bool {
        self.rows.iter().any(|row| row.group == group && row.version == version)
    }

    /// All rows, in the order of discovery.
    pub fn rows(&self) -> &[&'static Resource<'static>] {
        &self.rows
    }

    /// All resources, in the order of discovery.
    pub fn all(&self) -> impl Iterator<Item = &Arc<ServedResource>> {
        self.rows.iter().filter_map(|row| self.find(row.group, row.version, row.plural))
    }
}

/// Whether a release serves a row: `resource.k8s.io/v1` came with 1.34.
fn is_served(row: &Resource<'_>, emulated: Release) -> bool {
    row.group != "resource.k8s.io" || emulated.since(34)
}

/// Whether `--runtime-config` turns a row off; what speaks of it most closely decides.
fn is_off(row: &Resource<'_>, switched: &[(String, bool)]) -> bool {
    let version = match row.group {
        "" => row.version.to_owned(),
        group => format!("{group}/{}", row.version),
    };
    let resource = format!("{version}/{}", row.plural);
    // The core API stays, whatever is said about all.
    let names = match row.group {
        "" => vec![resource],
        _ => vec![resource, version, "api/ga".to_owned(), "api/all".to_owned()],
    };
    let said =
        |name: &String| switched.iter().rev().find(|(key, _)| key == name).map(|(_, on)| *on);
    names.iter().find_map(said) == Some(false)
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
