//! Resources: the plural names of kinds in URLs, and their verbs.

mod prereleases;
mod table;
#[cfg(test)]
mod tests;

use alloc::string::String;
use alloc::vec::Vec;
pub use prereleases::{PRERELEASES, Prerelease};
pub use ratchet_object::GroupVersionKind;
pub use table::{CUSTOM_VERBS, RESOURCES, SCALE, STATUS, TERMINATING_VERBS};

/// A resource: objects of one kind in one version, and their URLs.
///
/// It borrows, so that a resource defined at run time has the same type as those of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource<'k> {
    /// The API group, empty for core.
    pub group: &'k str,
    /// The version in the group.
    pub version: &'k str,
    /// The kind of its objects.
    pub kind: &'k str,
    /// The plural name in URLs, such as `services`.
    pub plural: &'k str,
    /// The singular name, such as `service`.
    pub singular: &'k str,
    /// Whether its objects are namespaced.
    pub namespaced: bool,
    /// The supported verbs, sorted.
    pub verbs: &'static [&'static str],
    /// The short names, such as `svc`.
    pub short_names: Names<'k>,
    /// The categories, such as `all`.
    pub categories: Names<'k>,
    /// The subresources, sorted by name.
    pub subresources: &'static [Subresource],
    /// The kind under which objects are stored; `None` if they are not stored at all.
    ///
    /// Two resources with the same one, such as both kinds of events, serve the same objects.
    pub storage: Option<GroupVersionKind<'k>>,
}

/// Names of a resource: of a row of the table, or of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names<'k> {
    /// Those of a built-in resource.
    Table(&'static [&'static str]),
    /// Those of a resource that is defined at run time.
    Defined(&'k [String]),
}

impl<'k> Names<'k> {
    /// The names, in order.
    #[must_use]
    pub fn to_vec(self) -> Vec<&'k str> {
        match self {
            Self::Table(names) => names.to_vec(),
            Self::Defined(names) => names.iter().map(String::as_str).collect(),
        }
    }
}

/// A subresource, such as `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// The last segment of the URL.
    pub name: &'static str,
    /// The kind of requests and responses; `None` if it is that of the resource.
    pub kind: Option<GroupVersionKind<'static>>,
    /// The supported verbs, sorted.
    pub verbs: &'static [&'static str],
}

impl<'k> Resource<'k> {
    /// The group, version and kind.
    #[must_use]
    pub const fn gvk(&self) -> GroupVersionKind<'k> {
        GroupVersionKind { group: self.group, version: self.version, kind: self.kind }
    }

    /// Whether it is defined at run time.
    #[must_use]
    pub const fn is_defined(&self) -> bool {
        matches!(self.short_names, Names::Defined(_))
    }

    /// Whether the verb is supported, such as `list`.
    #[must_use]
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.contains(&verb)
    }

    /// The subresource of this name.
    #[must_use]
    pub fn subresource(&self, name: &str) -> Option<&'static Subresource> {
        self.subresources.iter().find(|below| below.name == name)
    }
}

impl Subresource {
    /// The kind of requests and responses below a resource.
    #[must_use]
    pub fn gvk<'k>(&self, resource: &Resource<'k>) -> GroupVersionKind<'k> {
        self.kind.unwrap_or(resource.gvk())
    }

    /// Whether the verb is supported, such as `patch`.
    #[must_use]
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.contains(&verb)
    }

    /// Whether it opens a connection rather than exchanging objects: its kind then only names
    /// options.
    #[must_use]
    pub fn connects(&self) -> bool {
        self.kind.is_some_and(|gvk| gvk.kind.ends_with("Options"))
    }
}

/// A resource that can be served, and what it takes if it is not served by default.
#[derive(Clone, Copy, Debug)]
pub struct Servable {
    /// The resource.
    pub row: &'static Resource<'static>,
    /// Its row among the alpha and beta versions, if it is one of them.
    pub prerelease: Option<&'static Prerelease>,
}

/// All resources that can be served: groups in the order of discovery, in a group first what is served by default.
#[must_use]
pub fn servable() -> Vec<Servable> {
    let prereleases = |group: &'static str| {
        let of_group = PRERELEASES.iter().filter(move |row| row.resource.group == group);
        of_group.map(|row| Servable { row: &row.resource, prerelease: Some(row) })
    };
    let mut all = Vec::new();
    for (index, row) in RESOURCES.iter().enumerate() {
        all.push(Servable { row, prerelease: None });
        if RESOURCES.get(index + 1).is_none_or(|next| next.group != row.group) {
            all.extend(prereleases(row.group));
        }
    }
    let is_alone = |row: &&Prerelease| RESOURCES.iter().all(|one| one.group != row.resource.group);
    let alone = PRERELEASES.iter().filter(is_alone);
    all.extend(alone.map(|row| Servable { row: &row.resource, prerelease: Some(row) }));
    all
}

/// Finds a built-in resource by group, version and plural name; the group is empty for core.
#[must_use]
pub fn lookup(group: &str, version: &str, plural: &str) -> Option<&'static Resource<'static>> {
    let requested = (group, version, plural);
    RESOURCES.iter().find(|row| (row.group, row.version, row.plural) == requested)
}

/// Finds the built-in resource of a kind.
#[must_use]
pub fn of_kind(group: &str, version: &str, kind: &str) -> Option<&'static Resource<'static>> {
    RESOURCES.iter().find(|row| row.gvk() == GroupVersionKind { group, version, kind })
}
