//! Discovery documents of the served resources.
//!
//! Groups, and versions within a group, are in the order of the list; the first version of a group
//! is the preferred one.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256, Sha512};

use crate::json::Json;
use crate::resources::{GroupVersionKind, Resource, Subresource};

/// The response to `GET /api`; the address is that of this server, with its port.
#[must_use]
pub fn api_versions(server_address: &str) -> String {
    Json::line(|json| {
        json.pair("kind", "APIVersions");
        json.texts("versions", &["v1"]);
        json.key("serverAddressByClientCIDRs").list(|json| {
            json.object(|json| {
                json.pair("clientCIDR", "0.0.0.0/0");
                json.pair("serverAddress", server_address);
            });
        });
    })
}

/// The response to `GET /apis`: an APIGroupList.
#[must_use]
pub fn api_group_list(served: &[&Resource<'_>]) -> String {
    Json::line(|json| {
        json.pair("kind", "APIGroupList");
        json.pair("apiVersion", "v1");
        json.key("groups").list(|json| {
            for (group, versions) in by_group(served) {
                if group.is_empty() {
                    continue;
                }
                json.object(|json| write_group(json, group, &versions));
            }
        });
    })
}

/// The response to `GET /apis/{group}`: an APIGroup; `None` if nothing of the group is served.
#[must_use]
pub fn api_group(served: &[&Resource<'_>], group: &str) -> Option<String> {
    let versions = versions(served, group);
    (!group.is_empty() && !versions.is_empty()).then(|| {
        Json::line(|json| {
            json.pair("kind", "APIGroup");
            json.pair("apiVersion", "v1");
            write_group(json, group, &versions);
        })
    })
}

/// The response to `GET /api/v1` and `GET /apis/{group}/{version}`: an APIResourceList; `None` if
/// nothing of the version is served.
#[must_use]
pub fn api_resource_list(served: &[&Resource<'_>], group: &str, version: &str) -> Option<String> {
    versions(served, group).contains(&version).then(|| {
        Json::line(|json| {
            json.pair("kind", "APIResourceList");
            // The core group predates the version of resource lists.
            if !group.is_empty() {
                json.pair("apiVersion", "v1");
            }
            json.pair("groupVersion", &group_version(group, version));
            json.key("resources").list(|json| {
                for resource in of_version(served, group, version) {
                    json.object(|json| write_resource(json, resource, served));
                    for subresource in resource.subresources {
                        json.object(|json| write_subresource(json, resource, subresource));
                    }
                }
            });
        })
    })
}

/// The root of an aggregated document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// `/api`: the core group.
    Core,
    /// `/apis`: all other groups.
    Groups,
}

/// The response to `GET /api` or `GET /apis` for clients that accept aggregated discovery: an
/// APIGroupDiscoveryList of `apidiscovery.k8s.io/v2`.
#[must_use]
pub fn aggregated(served: &[&Resource<'_>], root: Root) -> String {
    let groups = by_group(served).into_iter();
    let groups = groups.filter(|(group, _)| group.is_empty() == (root == Root::Core));
    let documents: Vec<(&str, Vec<String>)> = groups
        .map(|(group, versions)| {
            let document = |version: &&str| {
                let rows: Vec<_> = of_version(served, group, version).collect();
                aggregated_version(version, &rows)
            };
            (group, versions.iter().map(document).collect())
        })
        .collect();
    aggregated_list(
        documents.iter().map(|(group, versions)| (*group, versions.iter().map(String::as_str))),
    )
}

/// The same from the names of groups and the documents of their versions, in order.
#[must_use]
pub fn aggregated_list<'d>(
    groups: impl Iterator<Item = (&'d str, impl Iterator<Item = &'d str>)>,
) -> String {
    Json::line(|json| {
        json.pair("kind", "APIGroupDiscoveryList");
        json.pair("apiVersion", "apidiscovery.k8s.io/v2");
        json.key("metadata").object(|_| ());
        json.key("items").list(|json| {
            for (group, versions) in groups {
                json.object(|json| {
                    json.key("metadata").object(|json| json.pair_if_any("name", group));
                    json.key("versions").list(|json| {
                        versions.for_each(|version| json.raw(version));
                    });
                });
            }
        });
    })
}

/// One version of a group in an aggregated document: an APIVersionDiscovery of all its resources.
#[must_use]
pub fn aggregated_version(version: &str, resources: &[&Resource<'_>]) -> String {
    Json::document(|json| {
        json.pair("version", version);
        json.key("resources").list(|json| {
            for resource in resources {
                json.object(|json| write_resource_discovery(json, resource));
            }
        });
        json.pair("freshness", "Current");
    })
}

/// The `ETag` header of an aggregated document, with its quotes.
#[must_use]
pub fn etag(body: &str) -> String {
    format!("\"{}\"", hash(body.as_bytes()))
}

/// SHA-512 in upper-case hexadecimal.
#[must_use]
pub fn hash(body: &[u8]) -> String {
    Sha512::digest(body).iter().map(|byte| format!("{byte:02X}")).collect()
}

/// The storage version hash of a kind.
#[must_use]
pub fn storage_version_hash(storage: GroupVersionKind<'_>) -> String {
    let GroupVersionKind { group, version, kind } = storage;
    let digest = Sha256::digest(format!("{group}/{version}/{kind}"));
    BASE64_STANDARD.encode(digest.get(..8).unwrap_or(&digest))
}

/// `group/version`, or the version alone for the core group.
#[must_use]
pub fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.into() } else { format!("{group}/{version}") }
}

/// All served group versions, in the order of the list.
#[must_use]
pub fn group_versions<'k>(served: &[&Resource<'k>]) -> Vec<(&'k str, &'k str)> {
    unique(served.iter().map(|resource| (resource.group, resource.version)))
}

/// The served groups with their versions, in the order of the list.
fn by_group<'k>(served: &[&Resource<'k>]) -> Vec<(&'k str, Vec<&'k str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut positions: BTreeMap<&str, usize> = BTreeMap::new();
    for (group, version) in group_versions(served) {
        let position = *positions.entry(group).or_insert(groups.len());
        match groups.get_mut(position) {
            Some((_, versions)) => versions.push(version),
            None => groups.push((group, Vec::from([version]))),
        }
    }
    groups
}

/// The served versions of a group.
fn versions<'k>(served: &[&Resource<'k>], group: &str) -> Vec<&'k str> {
    unique(served.iter().filter(|row| row.group == group).map(|row| row.version))
}

/// The values without duplicates, in the order of their first occurrence.
fn unique<T: Copy + Ord>(names: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

fn of_version<'s, 'k>(
    served: &'s [&'s Resource<'k>],
    group: &'s str,
    version: &'s str,
) -> impl Iterator<Item = &'s Resource<'k>> {
    served.iter().copied().filter(move |row| (row.group, row.version) == (group, version))
}

fn write_group(json: &mut Json, group: &str, versions: &[&str]) {
    json.pair("name", group);
    json.key("versions").list(|json| {
        for version in versions {
            json.object(|json| write_version(json, group, version));
        }
    });
    if let Some(preferred) = versions.first() {
        json.key("preferredVersion").object(|json| write_version(json, group, preferred));
    }
}

fn write_version(json: &mut Json, group: &str, version: &str) {
    json.pair("groupVersion", &group_version(group, version));
    json.pair("version", version);
}

fn write_resource(json: &mut Json, resource: &Resource<'_>, served: &[&Resource<'_>]) {
    json.pair("name", resource.plural);
    json.pair("singularName", resource.singular);
    json.key("namespaced").flag(resource.namespaced);
    json.pair("kind", resource.kind);
    json.texts("verbs", resource.verbs);
    json.texts_if_any("shortNames", &resource.short_names.to_vec());
    json.texts_if_any("categories", &resource.categories.to_vec());
    // A definition need not serve the version in which it stores.
    let is_served = |storage: &GroupVersionKind<'_>| {
        let mut rows = served.iter();
        !resource.is_defined()
            || rows.any(|row| row.plural == resource.plural && row.gvk() == *storage)
    };
    if let Some(storage) = resource.storage.filter(is_served) {
        json.pair("storageVersionHash", &storage_version_hash(storage));
    }
}

fn write_subresource(json: &mut Json, resource: &Resource<'_>, subresource: &Subresource) {
    json.pair("name", &format!("{}/{}", resource.plural, subresource.name));
    json.pair("singularName", "");
    json.key("namespaced").flag(resource.namespaced);
    let gvk = subresource.gvk(resource);
    if is_foreign_kind(resource, gvk) {
        json.pair_if_any("group", gvk.group);
        json.pair_if_any("version", gvk.version);
    }
    json.pair("kind", gvk.kind);
    json.texts("verbs", subresource.verbs);
}

/// Whether the kind of a subresource belongs to another group version than the resource.
fn is_foreign_kind(resource: &Resource<'_>, gvk: GroupVersionKind<'_>) -> bool {
    (resource.group, resource.version) != (gvk.group, gvk.version)
}

fn write_resource_discovery(json: &mut Json, resource: &Resource<'_>) {
    json.pair("resource", resource.plural);
    // Only definitions say what their group and version are.
    let own = if resource.is_defined() { (resource.group, resource.version) } else { ("", "") };
    write_response_kind(json, own.0, own.1, resource.kind);
    json.pair("scope", if resource.namespaced { "Namespaced" } else { "Cluster" });
    json.pair("singularResource", resource.singular);
    json.texts("verbs", resource.verbs);
    json.texts_if_any("shortNames", &resource.short_names.to_vec());
    json.texts_if_any("categories", &resource.categories.to_vec());
    if !resource.subresources.is_empty() {
        json.key("subresources").list(|json| {
            for subresource in resource.subresources {
                json.object(|json| {
                    json.pair("subresource", subresource.name);
                    let gvk = subresource.gvk(resource);
                    let (group, version) = match is_foreign_kind(resource, gvk) {
                        true => (gvk.group, gvk.version),
                        false => own,
                    };
                    write_response_kind(json, group, version, gvk.kind);
                    json.texts("verbs", subresource.verbs);
                });
            }
        });
    }
}

/// Writes the kind; empty parts mean the same as in the enclosing document.
fn write_response_kind(json: &mut Json, group: &str, version: &str, kind: &str) {
    json.key("responseKind").object(|json| {
        json.pair("group", group);
        json.pair("version", version);
        json.pair("kind", kind);
    });
}

#[cfg(test)]
mod tests;
