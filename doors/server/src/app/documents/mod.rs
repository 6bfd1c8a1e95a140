//! Discovery and OpenAPI documents of the served resources, each built when it is first asked for.
//!
//! Definitions come and go; a document is built again only if something changed that it is about. What is published
//! of a group version is kept with it, and the documents about all of them are put together from these parts.

mod group_version;
mod hashed;
mod recent;

pub(crate) use hashed::{HashedDocument, not_modified};

use self::group_version::{GroupVersionDocuments, SourceResource};
use self::recent::RecentDocuments;
use crate::app::compute::{Compute, Lazy};
use crate::registry::{Resources, ServedResource};
use crate::storage::cache::ResourceCache;
use arc_swap::ArcSwap;
use bytes::Bytes;
use ratchet_catalog::discovery::{self, Root};
use ratchet_catalog::openapi::{self, Published};
use ratchet_crd::definition::{CustomResourceDefinition, compare_versions};
use ratchet_object::Node;
use ratchet_object::patch::merge_rule;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

fn merge(type_id: &str, field: &str) -> Option<(&'static str, &'static str)> {
    merge_rule(type_id, field).map(|rule| (rule.strategy, rule.key))
}

const RULES: Option<openapi::MergeRules<'static>> = Some(&merge);

/// Discovery and OpenAPI documents, as of the last change of the served resources.
#[derive(Default)]
pub(crate) struct Documents {
    now: ArcSwap<DocumentSet>,
    /// OpenAPI v3 documents of custom resources.
    recent: RecentDocuments,
}

/// What documents are built from, and where.
#[derive(Clone)]
pub(crate) struct DocumentSource<'a> {
    /// The served resources.
    pub(crate) served: Arc<Resources>,
    /// The CustomResourceDefinitions.
    pub(crate) definitions: Arc<ResourceCache>,
    /// The scheduler of CPU-bound work.
    pub(crate) compute: &'a Compute,
}

/// The documents of one generation of served resources.
#[derive(Default)]
struct DocumentSet {
    /// The generation of the resources, and the revision of the last change of a definition.
    state: (u64, u64),
    /// In the order of aggregated discovery.
    versions: Vec<Arc<GroupVersionDocuments>>,
    group_list: Lazy<Bytes>,
    core: Lazy<Arc<HashedDocument>>,
    groups: Lazy<Arc<HashedDocument>>,
    v2: Lazy<Arc<HashedDocument>>,
    v2_protobuf: Lazy<Arc<HashedDocument>>,
    built_in: Arc<BuiltInParts>,
}

/// What built-in resources add to OpenAPI v2; they are the same in all generations.
#[derive(Default)]
struct BuiltInParts {
    v2: Lazy<Parts>,
    v2_protobuf: Lazy<Parts>,
}

/// What some resources add to OpenAPI v2, with the hashes.
#[derive(Debug)]
struct Parts {
    paths: (Bytes, String),
    definitions: (Bytes, String),
}

impl Parts {
    fn of(paths: impl Into<Bytes>, definitions: impl Into<Bytes>) -> Self {
        let hashed = |bytes: Bytes| {
            let hash = discovery::hash(&bytes);
            (bytes, hash)
        };
        Self { paths: hashed(paths.into()), definitions: hashed(definitions.into()) }
    }
}

impl DocumentSource<'_> {
    /// What documents of a resource are built from.
    fn resource(&self, resource: &Arc<ServedResource>) -> SourceResource {
        let resource = resource.clone();
        let Some(defined) = resource.defined() else {
            return SourceResource { resource, definition: None, is_terminating: false };
        };
        let known = &defined.definition;
        let definition = self.definitions.get(&known.view.name);
        let is_terminating = definition.as_ref().is_some_and(|item| {
            let read =
                |node: &Node<'_>| CustomResourceDefinition::from_node(node).is_true("Terminating");
            // A resource stays the same while its definition is being deleted.
            if item.revision == known.revision() { known.is_terminating() } else { item.read(read) }
        });
        SourceResource { resource, definition, is_terminating }
    }
}

impl Documents {
    /// The documents of the resources that are served now.
    fn of(&self, source: &DocumentSource<'_>) -> Arc<DocumentSet> {
        let known = self.now.load_full();
        let state = (source.served.generation(), source.definitions.now().revision);
        if known.state == state && !known.versions.is_empty() {
            return known;
        }
        let new = Arc::new(DocumentSet::following(&known, source, state));
        self.now.store(new.clone());
        new
    }

    /// The `APIGroupList` of `/apis`.
    pub(crate) async fn group_list(&self, source: DocumentSource<'_>) -> Bytes {
        let make = || {
            let rows = source.served.rows();
            let mut rows: Vec<_> = rows.iter().collect();
            sort_groups(&mut rows);
            discovery::api_group_list(&rows).into()
        };
        self.of(&source).group_list.get(source.compute, make).await.clone()
    }

    /// A group; none if it is not served.
    pub(crate) fn group(&self, source: &DocumentSource<'_>, group: &str) -> Option<String> {
        let set = self.of(source);
        let versions = set.versions.iter().filter(|version| version.group == group);
        let rows: Vec<_> = versions.flat_map(|version| version.rows()).collect();
        discovery::api_group(&rows.iter().collect::<Vec<_>>(), group)
    }

    /// The resources of a group version; none if it is not served.
    pub(crate) fn resource_list(
        &self,
        source: &DocumentSource<'_>,
        group: &str,
        version: &str,
    ) -> Option<String> {
        let set = self.of(source);
        let versions = set.versions.iter().filter(|version| version.group == group);
        let rows: Vec<_> = versions.flat_map(|version| version.rows()).collect();
        // No request finds what is defined in a built-in group.
        let is_built_in = rows.iter().any(|row| !row.is_defined());
        let rows = rows.iter().filter(|row| !is_built_in || !row.is_defined());
        discovery::api_resource_list(&rows.collect::<Vec<_>>(), group, version)
    }

    /// Aggregated discovery.
    pub(crate) async fn aggregated(
        &self,
        source: DocumentSource<'_>,
        root: Root,
    ) -> Arc<HashedDocument> {
        let set = self.of(&source);
        let document = match root {
            Root::Core => &set.core,
            Root::Groups => &set.groups,
        };
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for version in &set.versions {
            if version.group.is_empty() != (root == Root::Core) {
                continue;
            }
            let text = version.discovery(source.compute).await;
            match groups.last_mut().filter(|(group, _)| *group == version.group) {
                Some((_, versions)) => versions.push(text),
                None => groups.push((version.group.as_str(), vec![text])),
            }
        }
        let make = || {
            let groups = groups.iter().map(|(group, versions)| (*group, versions.iter().copied()));
            Arc::new(HashedDocument::of(discovery::aggregated_list(groups)))
        };
        document.get(source.compute, make).await.clone()
    }

    /// OpenAPI v2 in JSON.
    pub(crate) async fn v2(&self, source: DocumentSource<'_>) -> Arc<HashedDocument> {
        let set = self.of(&source);
        let make = || {
            let rows = set.built_in_rows();
            let published: Vec<_> = rows.iter().map(Published::built_in).collect();
            let openapi::V2Parts { paths, definitions } = openapi::v2_parts(&published, RULES);
            Parts::of(paths, definitions)
        };
        let mut parts = vec![set.built_in.v2.get(source.compute, make).await];
        for version in set.versions.iter().filter(|version| version.has_custom()) {
            parts.push(version.v2(source.compute).await);
        }
        let make = || {
            let frame = openapi::v2_frame();
            let frame = [frame.start, frame.between.to_owned(), frame.end].map(String::into_bytes);
            Arc::new(assemble(&parts, frame, Bytes::from_static(b",")))
        };
        set.v2.get(source.compute, make).await.clone()
    }

    /// OpenAPI v2 in protobuf.
    pub(crate) async fn v2_protobuf(&self, source: DocumentSource<'_>) -> Arc<HashedDocument> {
        let set = self.of(&source);
        let make = || {
            let rows = set.built_in_rows();
            let published: Vec<_> = rows.iter().map(Published::built_in).collect();
            let parts = openapi::v2_proto_parts(&published, RULES);
            Parts::of(parts.paths, parts.definitions)
        };
        let mut parts = vec![set.built_in.v2_protobuf.get(source.compute, make).await];
        for version in set.versions.iter().filter(|version| version.has_custom()) {
            parts.push(version.v2_protobuf(source.compute).await);
        }
        let make = || {
            let paths = parts.iter().map(|part| part.paths.0.len()).sum();
            let definitions = parts.iter().map(|part| part.definitions.0.len()).sum();
            let frame = openapi::v2_proto_frame(paths, definitions);
            Arc::new(assemble(&parts, frame, Bytes::new()))
        };
        set.v2_protobuf.get(source.compute, make).await.clone()
    }

    /// OpenAPI v3 of one group version; none if it is not served.
    pub(crate) async fn v3(
        &self,
        source: DocumentSource<'_>,
        path: &str,
    ) -> Option<Arc<HashedDocument>> {
        let set = self.of(&source);
        let version = set.versions.iter().find(|version| version.path == path)?;
        Some(version.v3(source.compute, &self.recent).await)
    }

    /// The hash of that document, if it is known without making the document.
    pub(crate) fn known_v3_hash(&self, source: &DocumentSource<'_>, path: &str) -> Option<String> {
        let set = self.of(source);
        let version = set.versions.iter().find(|version| version.path == path)?;
        version.known_v3_hash().map(str::to_owned)
    }

    /// The index of all OpenAPI v3 documents, with their hashes.
    pub(crate) async fn v3_index(&self, source: DocumentSource<'_>) -> String {
        let set = self.of(&source);
        let mut all = Vec::with_capacity(set.versions.len());
        for version in &set.versions {
            all.push((version.path.as_str(), version.v3_hash(source.compute).await));
        }
        openapi::v3_index(all.iter().map(|(path, hash)| (*path, hash.as_str())))
    }
}

/// Puts a document together: a frame of three, paths and definitions, which a comma separates or nothing.
fn assemble(parts: &[&Parts], frame: [Vec<u8>; 3], comma: Bytes) -> HashedDocument {
    let [start, between, end] = frame.map(|piece| {
        let hash = discovery::hash(&piece);
        (Bytes::from(piece), hash)
    });
    let mut pieces = vec![start];
    let mut add = |all: &mut dyn Iterator<Item = &(Bytes, String)>| {
        // A definition that has just gone has nothing to add.
        for (index, piece) in all.filter(|(bytes, _)| !bytes.is_empty()).enumerate() {
            if index > 0 {
                pieces.push((comma.clone(), String::new()));
            }
            pieces.push(piece.clone());
        }
    };
    add(&mut parts.iter().map(|part| &part.paths));
    add(&mut std::iter::once(&between));
    add(&mut parts.iter().map(|part| &part.definitions));
    add(&mut std::iter::once(&end));
    HashedDocument::of_pieces(pieces)
}

impl DocumentSet {
    /// The documents of what is served now; those of group versions that did not change are those of the set before.
    fn following(before: &Self, source: &DocumentSource<'_>, state: (u64, u64)) -> Self {
        let mut resources: BTreeMap<(usize, &str, &str), Vec<SourceResource>> = BTreeMap::new();
        let mut positions: HashMap<(&str, &str), usize> = HashMap::new();
        let mut groups: HashMap<&str, usize> = HashMap::new();
        let rows = source.served.rows();
        for (resource, row) in source.served.all().zip(&rows) {
            // Built-in versions stand first, in the order of the table; defined ones stand before those of their group,
            // for their priority is higher.
            let built_in = positions.len() * 2 + 1;
            let position = match row.is_defined() {
                true => groups.get(row.group).map_or(usize::MAX, |first| first - 1),
                false => *positions.entry((row.group, row.version)).or_insert(built_in),
            };
            if !row.is_defined() {
                groups.entry(row.group).or_insert(position);
            }
            let of_version = resources.entry((position, row.group, row.version)).or_default();
            of_version.push(source.resource(resource));
        }
        let known: HashMap<&str, &Arc<GroupVersionDocuments>> =
            before.versions.iter().map(|version| (version.path.as_str(), version)).collect();
        let mut versions: Vec<(usize, Arc<GroupVersionDocuments>)> = resources
            .into_iter()
            .map(|((position, group, version), mut resources)| {
                resources.sort_by_cached_key(SourceResource::order);
                let path = openapi::v3_path(group, version);
                let known = known.get(path.as_str()).filter(|known| known.is_about(&resources));
                let documents = match known {
                    Some(known) => (*known).clone(),
                    None => Arc::new(GroupVersionDocuments::new(group, version, resources)),
                };
                (position, documents)
            })
            .collect();
        versions.sort_by(|(position, one), (other_position, other)| {
            let by_name = || one.group.cmp(&other.group);
            let by_version = || compare_versions(&one.version, &other.version);
            position.cmp(other_position).then_with(by_name).then_with(by_version)
        });
        Self {
            state,
            versions: versions.into_iter().map(|(_, version)| version).collect(),
            built_in: before.built_in.clone(),
            ..Self::default()
        }
    }

    /// The catalog rows of built-in resources.
    fn built_in_rows(&self) -> Vec<ratchet_catalog::Resource<'_>> {
        let rows = self.versions.iter().flat_map(|version| version.rows());
        rows.filter(|row| !row.is_defined()).collect()
    }
}

/// Puts defined groups in the order of their APIServices, whose names begin with the version, and versions in the order
/// of priority; built-in groups stay where they are, after what is defined in them.
fn sort_groups(rows: &mut [&ratchet_catalog::Resource<'_>]) {
    let mut built_in: HashMap<&str, usize> = HashMap::new();
    for row in rows.iter().filter(|row| !row.is_defined()) {
        let position = built_in.len();
        built_in.entry(row.group).or_insert(position);
    }
    let mut names: HashMap<&str, String> = HashMap::new();
    for row in rows.iter().filter(|row| row.is_defined()) {
        let name = format!("{}.{}", row.version, row.group);
        let first = names.entry(row.group).or_insert_with(|| name.clone());
        if name < *first {
            *first = name;
        }
    }
    let place = |row: &ratchet_catalog::Resource<'_>| {
        (built_in.get(row.group).copied().unwrap_or(usize::MAX), !row.is_defined())
    };
    rows.sort_by(|one, other| match (one.is_defined(), other.is_defined()) {
        (true, true) => {
            let name = |row: &ratchet_catalog::Resource<'_>| names.get(row.group);
            let by_version = || compare_versions(one.version, other.version);
            let by_name = || name(one).cmp(&name(other));
            place(one).cmp(&place(other)).then_with(by_name).then_with(by_version)
        }
        _ => place(one).cmp(&place(other)),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_catalog::{Names, Resource};

    #[test]
    fn groups_follow_the_names_of_their_services() {
        let row = |group, version| Resource {
            group,
            version,
            short_names: Names::Defined(&[]),
            ..ratchet_catalog::RESOURCES[0]
        };
        let rows = [
            row("a.io", "v1alpha1"),
            row("b.io", "v1"),
            row("c.io", "v1alpha1"),
            row("c.io", "v2"),
            row("c.io", "v1"),
            row("apps", "v9"),
            ratchet_catalog::RESOURCES[0],
            Resource { group: "apps", ..ratchet_catalog::RESOURCES[0] },
        ];
        let mut sorted: Vec<_> = rows.iter().collect();
        sort_groups(&mut sorted);
        let names: Vec<_> = sorted.iter().map(|row| (row.group, row.version)).collect();
        let expected = [
            ("", "v1"),
            ("apps", "v9"),
            ("apps", "v1"),
            ("b.io", "v1"),
            ("c.io", "v2"),
            ("c.io", "v1"),
            ("c.io", "v1alpha1"),
            ("a.io", "v1alpha1"),
        ];
        assert_eq!(names, expected);
    }
}
