//! `Row`: the catalog row of a served resource, from the table or from a definition.

use ratchet_catalog::{CUSTOM_VERBS, Names, Resource, SCALE, STATUS, Subresource};
use ratchet_object::GroupVersionKind;

/// The row of a resource in one version.
pub(super) enum Row {
    /// A row of the catalog.
    BuiltIn {
        /// The version that is served.
        row: &'static Resource<'static>,
        /// The version in which objects are stored.
        stored: &'static Resource<'static>,
    },
    /// A version of a definition.
    Custom(Box<CustomRow>),
}

/// The row of a resource that is defined at run time, in one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CustomRow {
    /// The API group.
    pub group: String,
    /// The version that is served.
    pub version: String,
    /// The kind of objects.
    pub kind: String,
    /// The kind of lists, which a definition may name.
    pub list_kind: String,
    /// The plural name in URLs.
    pub plural: String,
    /// The singular name.
    pub singular: String,
    /// Whether objects are namespaced.
    pub namespaced: bool,
    /// What `kubectl get` takes in place of the plural name.
    pub short_names: Vec<String>,
    /// Groups of resources, such as `all`.
    pub categories: Vec<String>,
    /// Whether there is a `status` subresource.
    pub has_status: bool,
    /// Whether there is a `scale` subresource.
    pub has_scale: bool,
    /// The version in which objects are stored.
    pub storage_version: String,
}

impl Row {
    /// The row as the catalog has it.
    pub(super) fn resource(&self) -> Resource<'_> {
        match self {
            Self::BuiltIn { row, .. } => **row,
            Self::Custom(row) => row.resource(),
        }
    }

    /// The group, version and kind in which objects are stored.
    pub(super) fn stored(&self) -> GroupVersionKind<'_> {
        match self {
            Self::BuiltIn { stored, .. } => stored.gvk(),
            Self::Custom(row) => row.stored(),
        }
    }

    /// The kind of lists: with `List` behind that of objects, unless a definition names another.
    pub(super) fn list_kind(&self) -> String {
        match self {
            Self::BuiltIn { row, .. } => format!("{}List", row.kind),
            Self::Custom(row) => row.list_kind.clone(),
        }
    }

    /// The etcd prefix in kube-apiserver: the plural, except for a few old ones.
    pub(super) fn etcd_prefix(&self) -> String {
        match self {
            Self::BuiltIn { stored, .. } => built_in_prefix(stored).to_owned(),
            Self::Custom(row) => format!("{}/{}", row.group, row.plural),
        }
    }
}

impl CustomRow {
    fn stored(&self) -> GroupVersionKind<'_> {
        GroupVersionKind { group: &self.group, version: &self.storage_version, kind: &self.kind }
    }

    fn resource(&self) -> Resource<'_> {
        Resource {
            group: &self.group,
            version: &self.version,
            kind: &self.kind,
            plural: &self.plural,
            singular: &self.singular,
            namespaced: self.namespaced,
            verbs: CUSTOM_VERBS,
            short_names: Names::Defined(&self.short_names),
            categories: Names::Defined(&self.categories),
            subresources: match (self.has_scale, self.has_status) {
                (false, false) => &[],
                (false, true) => &[STATUS],
                (true, false) => &[SCALE],
                (true, true) => const { &[STATUS, SCALE] as &[Subresource] },
            },
            storage: Some(self.stored()),
        }
    }
}

fn built_in_prefix(row: &'static Resource<'static>) -> &'static str {
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

/// The name under which objects of a resource are stored: `pods`, `deployments.apps`.
pub(super) fn storage_name(group: &str, plural: &str) -> String {
    match group {
        "" => plural.to_owned(),
        group => format!("{plural}.{group}"),
    }
}
