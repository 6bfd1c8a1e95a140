//! Discovery of a definition: its resources and subresources, as `APIResource` lists them.

use super::{CustomResourceDefinition, DefinitionVersion, Scope};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const VERBS: &[&str] =
    &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
/// While a definition is being deleted, nothing can be written.
const TERMINATING_VERBS: &[&str] = &["delete", "deletecollection", "get", "list", "watch"];
const SUBRESOURCE_VERBS: &[&str] = &["get", "patch", "update"];

/// A resource, or a subresource, in discovery (`APIResource`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiResource<'d> {
    /// The name in URLs: the plural, and the subresource after a slash.
    pub name: String,
    /// The singular; empty for subresources.
    pub singular_name: &'d str,
    /// Whether objects belong to namespaces.
    pub namespaced: bool,
    /// Group and version of what is sent and received, where they are not those of the resource.
    pub response_group_version: Option<(&'static str, &'static str)>,
    /// The kind of what is sent and received.
    pub kind: &'d str,
    /// What can be done.
    pub verbs: &'static [&'static str],
    /// Abbreviations; empty for subresources.
    pub short_names: &'d [String],
    /// Groups of resources that are listed together, such as `all`; empty for subresources.
    pub categories: &'d [String],
}

impl CustomResourceDefinition {
    /// The resources of a served version, the main one first. Names are those that were accepted.
    pub fn api_resources(&self, version: &DefinitionVersion) -> Vec<ApiResource<'_>> {
        let names = &self.accepted_names;
        let main = ApiResource {
            name: names.plural.clone(),
            singular_name: &names.singular,
            namespaced: self.scope == Scope::Namespaced,
            response_group_version: None,
            kind: &names.kind,
            verbs: if self.is_true("Terminating") { TERMINATING_VERBS } else { VERBS },
            short_names: &names.short_names,
            categories: &names.categories,
        };
        let subresource = |name: &str| ApiResource {
            name: format!("{}/{name}", names.plural),
            singular_name: "",
            verbs: SUBRESOURCE_VERBS,
            short_names: &[],
            categories: &[],
            ..main.clone()
        };
        let status = version.has_status.then(|| subresource("status"));
        let scale = version.scale.is_some().then(|| ApiResource {
            response_group_version: Some(("autoscaling", "v1")),
            kind: "Scale",
            ..subresource("scale")
        });
        let subresources: Vec<ApiResource<'_>> = status.into_iter().chain(scale).collect();
        core::iter::once(main).chain(subresources).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tree;

    #[test]
    fn subresources_follow_their_resource() {
        let mut node = tree(
            "{spec: {group: x.io, scope: Cluster, versions: [{name: v1, served: true, subresources: {status: {}, scale: {specReplicasPath: .spec.r, statusReplicasPath: .status.r}}}]}, status: {acceptedNames: {plural: widgets, singular: widget, kind: Widget, shortNames: [w]}}}",
        );
        let definition = CustomResourceDefinition::from_node(&node);
        let resources = definition.api_resources(&definition.versions[0]);
        let names: Vec<(&str, &str, &str)> = resources
            .iter()
            .map(|resource| (&*resource.name, resource.singular_name, resource.kind))
            .collect();
        assert_eq!(
            names,
            [
                ("widgets", "widget", "Widget"),
                ("widgets/status", "", "Widget"),
                ("widgets/scale", "", "Scale"),
            ]
        );
        assert_eq!(resources[0].short_names, ["w"]);
        assert_eq!(resources[1].verbs, ["get", "patch", "update"]);
        assert_eq!(resources[2].response_group_version, Some(("autoscaling", "v1")));
        assert!(resources.iter().all(|resource| !resource.namespaced));
        super::super::prepare_for_delete(&mut node, "now");
        let definition = CustomResourceDefinition::from_node(&node);
        let resources = definition.api_resources(&definition.versions[0]);
        assert!(!resources[0].verbs.contains(&"create"));
    }
}
