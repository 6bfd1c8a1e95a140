//! OpenAPI documents, built on request from the table of resources and the schemas.
//!
//! kubectl needs them: version 3 for `explain`, `apply` and to learn whether the server validates
//! fields, version 2 (in protobuf) where version 3 has no answer. None is cached here; a caller may
//! cache what it needs often.

mod closure;
mod custom;
mod definitions;
mod machinery;
mod parameters;
mod paths;
mod published;
#[cfg(test)]
mod tests;
mod types;
mod v2;
mod v2_proto;
mod v3;

use alloc::vec::Vec;

use crate::resources::Resource;

pub use published::{CustomSchemas, Published};
pub use types::MergeRules;
pub use v2::{V2Frame, V2Parts, frame as v2_frame, parts as v2_parts};
pub use v2_proto::{V2ProtoParts, frame as v2_proto_frame, parts as v2_proto_parts};
pub use v3::{document as v3, index as v3_index, path_of as v3_path};

/// The content types of patches. Strategic merge is omitted without rules: kubectl would then take
/// every list to be replaced as a whole and compute wrong patches.
fn patch_types(strategic: bool) -> Vec<&'static str> {
    let mut types = Vec::from(["application/json-patch+json", "application/merge-patch+json"]);
    types.extend(strategic.then_some("application/strategic-merge-patch+json"));
    types.push("application/apply-patch+yaml");
    types
}

/// All paths of some resources, sorted.
fn all_paths<'k>(published: &[Published<'_, 'k>]) -> Vec<paths::PathItem<'k>> {
    let of_resource = |published: &Published<'_, 'k>| match published.schemas {
        Some(schemas) => custom::of_resource(published.resource, &schemas.list_id),
        None => paths::of_resource(published.resource),
    };
    let mut items: Vec<_> = published.iter().flat_map(of_resource).collect();
    let mut versions: Vec<(&str, &str)> = Vec::new();
    for row in built_in(published) {
        if !versions.contains(&(row.group, row.version)) {
            versions.push((row.group, row.version));
        }
    }
    items.extend(versions.into_iter().map(|(group, version)| paths::of_version(group, version)));
    items.sort_by(|a, b| a.path.cmp(&b.path));
    items
}

/// All paths of some resources, and those of the server itself if there are built-in ones among them; sorted.
fn server_paths<'k>(published: &[Published<'_, 'k>]) -> Vec<paths::PathItem<'k>> {
    let mut items = all_paths(published);
    let mut groups: Vec<&str> = built_in(published).map(|row| row.group).collect();
    groups.sort_unstable();
    groups.dedup();
    if !groups.is_empty() {
        groups.retain(|group| !group.is_empty());
        items.extend(paths::of_server(&groups));
        items.sort_by(|a, b| a.path.cmp(&b.path));
    }
    items
}

/// The resources that are not defined at run time.
fn built_in<'p, 'r, 'k>(
    published: &'p [Published<'r, 'k>],
) -> impl Iterator<Item = &'r Resource<'k>> + use<'p, 'r, 'k> {
    published.iter().filter(|one| one.schemas.is_none()).map(|one| one.resource)
}
