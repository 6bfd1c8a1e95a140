//! What a resource is: the name of a kind in URLs, and what may be done with it there.

mod table;
#[cfg(test)]
mod tests;

pub use table::RESOURCES;

/// The name of a kind, in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gvk<'k> {
    /// The API group, empty for core.
    pub group: &'k str,
    /// The version in the group.
    pub version: &'k str,
    /// The name of the kind.
    pub kind: &'k str,
}

/// Objects of one kind, in one version, as URLs lead to them.
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
    /// The name in URLs, such as `services`.
    pub plural: &'k str,
    /// What people may say for one, such as `service`.
    pub singular: &'k str,
    /// Whether its objects live in a namespace.
    pub namespaced: bool,
    /// What may be done, sorted.
    pub verbs: &'k [&'k str],
    /// What people say for short, such as `svc`.
    pub short_names: &'k [&'k str],
    /// The sets it belongs to, such as `all`.
    pub categories: &'k [&'k str],
    /// What hangs below each object, sorted by name.
    pub subresources: &'k [Subresource<'k>],
    /// The kind under which objects are kept; none if they are not kept at all.
    ///
    /// Two resources with the same one, as both kinds of events, show the same objects.
    pub storage: Option<Gvk<'k>>,
}

/// What hangs below an object of a resource, as `status` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subresource<'k> {
    /// The last part of the URL.
    pub name: &'k str,
    /// The group of the kind that is sent and answered; mostly that of the resource.
    pub group: &'k str,
    /// The version of that kind.
    pub version: &'k str,
    /// That kind.
    pub kind: &'k str,
    /// What may be done, sorted.
    pub verbs: &'k [&'k str],
}

impl<'k> Resource<'k> {
    /// The full name of its kind.
    #[must_use]
    pub const fn gvk(&self) -> Gvk<'k> {
        Gvk { group: self.group, version: self.version, kind: self.kind }
    }

    /// Whether something may be done with it, such as `list`.
    #[must_use]
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.contains(&verb)
    }

    /// What hangs below its objects under a name.
    #[must_use]
    pub fn subresource(&self, name: &str) -> Option<&'k Subresource<'k>> {
        self.subresources.iter().find(|below| below.name == name)
    }
}

impl<'k> Subresource<'k> {
    /// The full name of its kind.
    #[must_use]
    pub const fn gvk(&self) -> Gvk<'k> {
        Gvk { group: self.group, version: self.version, kind: self.kind }
    }

    /// Whether something may be done with it, such as `patch`.
    #[must_use]
    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.contains(&verb)
    }

    /// Whether it opens a connection rather than moving objects: its kind then only names options.
    #[must_use]
    pub fn connects(&self) -> bool {
        self.kind.ends_with("Options")
    }
}

/// Finds a built-in resource by what its URLs say; the group is empty for core.
#[must_use]
pub fn lookup(group: &str, version: &str, plural: &str) -> Option<&'static Resource<'static>> {
    let wanted = (group, version, plural);
    RESOURCES.iter().find(|row| (row.group, row.version, row.plural) == wanted)
}

/// Finds the built-in resource of a kind.
#[must_use]
pub fn of_kind(group: &str, version: &str, kind: &str) -> Option<&'static Resource<'static>> {
    RESOURCES.iter().find(|row| row.gvk() == Gvk { group, version, kind })
}
