//! `Resources`: the served resources at one time, which the next ones share but for what changed.

use super::ServedResource;
use super::row::storage_name;
use imbl::OrdMap;
use ratchet_catalog::Resource;
use ratchet_crd::definition::compare_versions;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The place of a defined resource in discovery: groups by name, the preferred version first, then plurals.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ResourceKey {
    group: Arc<str>,
    version: Arc<str>,
    plural: Arc<str>,
}

impl ResourceKey {
    fn new(group: &str, version: &str, plural: &str) -> Self {
        Self { group: group.into(), version: version.into(), plural: plural.into() }
    }

    fn of(resource: &ServedResource) -> Self {
        let row = resource.row();
        Self::new(row.group, row.version, row.plural)
    }
}

impl Ord for ResourceKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let versions = || compare_versions(&self.version, &other.version);
        // Versions of one priority, such as `v1` and `v01`, are different ones.
        let spelled = || self.version.cmp(&other.version);
        let groups = self.group.cmp(&other.group);
        groups.then_with(versions).then_with(spelled).then_with(|| self.plural.cmp(&other.plural))
    }
}

impl PartialOrd for ResourceKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The versions of a resource, in the order of discovery.
type Versions = Arc<[Arc<ServedResource>]>;

/// The served resources at one time.
#[derive(Clone)]
pub struct Resources {
    built_in: Arc<[Arc<ServedResource>]>,
    custom: OrdMap<ResourceKey, Arc<ServedResource>>,
    /// By plural and group, as storage names are written.
    by_name: OrdMap<Arc<str>, Versions>,
    generation: u64,
}

impl Resources {
    /// Those of the catalog.
    pub(super) fn built_in(all: Vec<Arc<ServedResource>>) -> Self {
        let mut by_name: BTreeMap<String, Vec<Arc<ServedResource>>> = BTreeMap::new();
        for resource in &all {
            by_name.entry(name_of(resource)).or_default().push(resource.clone());
        }
        let shared = |(name, all): (String, Vec<_>)| (Arc::<str>::from(name), Versions::from(all));
        let by_name = by_name.into_iter().map(shared);
        Self {
            built_in: all.into(),
            custom: OrdMap::new(),
            by_name: by_name.collect(),
            generation: 0,
        }
    }

    /// The next ones: without those that are not served any more, and with new ones. The work does not depend on how
    /// many others there are.
    pub(super) fn replacing(
        &self,
        removed: &[Arc<ServedResource>],
        added: &[Arc<ServedResource>],
    ) -> Self {
        let mut next = self.clone();
        next.generation += 1;
        for resource in removed {
            next.custom.remove(&ResourceKey::of(resource));
            let is_other = |other: &Arc<ServedResource>| !Arc::ptr_eq(other, resource);
            next.change(resource, |versions| versions.retain(is_other));
        }
        for resource in added {
            let place = ResourceKey::of(resource);
            next.custom.insert(place.clone(), resource.clone());
            next.change(resource, |versions| {
                let is_before = |other: &Arc<ServedResource>| {
                    other.defined().is_none() || ResourceKey::of(other) < place
                };
                let at = versions.iter().take_while(|other| is_before(other)).count();
                versions.insert(at, resource.clone());
            });
        }
        next
    }

    /// Changes the versions of a resource.
    fn change(
        &mut self,
        resource: &ServedResource,
        change: impl FnOnce(&mut Vec<Arc<ServedResource>>),
    ) {
        let name = name_of(resource);
        let mut versions = self.by_name.get(&*name).map_or_else(Vec::new, |all| all.to_vec());
        change(&mut versions);
        match versions.is_empty() {
            true => self.by_name.remove(&*name),
            false => self.by_name.insert(name.into(), versions.into()),
        };
    }

    /// All resources in discovery order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<ServedResource>> {
        self.built_in.iter().chain(self.custom.values())
    }

    /// The resources of the catalog.
    pub(crate) fn of_catalog(&self) -> &[Arc<ServedResource>] {
        &self.built_in
    }

    /// The resources that may have the objects of one: of a definition its versions, of the catalog any other.
    pub(crate) fn sharing(&self, resource: &ServedResource) -> &[Arc<ServedResource>] {
        match resource.defined() {
            Some(_) => self.versions(resource.row().group, resource.row().plural),
            None => &self.built_in,
        }
    }

    /// The catalog rows in discovery order.
    pub fn rows(&self) -> Vec<Resource<'_>> {
        self.all().map(|resource| resource.row()).collect()
    }

    /// A number that grows with each change of the served resources.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The versions of a resource, the one that discovery names first before the others.
    pub(crate) fn versions(&self, group: &str, plural: &str) -> &[Arc<ServedResource>] {
        let found = self.by_name.get(&*storage_name(group, plural));
        // The path of a core resource may be spelled as the name of another group's: `a.b.c`.
        let is_it = |resource: &Arc<ServedResource>| {
            (resource.row().group, resource.row().plural) == (group, plural)
        };
        let found = found.filter(|versions| versions.first().is_some_and(is_it));
        found.map_or(&[], |versions| &**versions)
    }

    /// The resource of a kind in one version.
    pub(crate) fn of_kind(
        &self,
        group: &str,
        version: &str,
        kind: &str,
    ) -> Option<&Arc<ServedResource>> {
        let is_kind = |resource: &&Arc<ServedResource>| {
            let row = resource.row();
            (row.group, row.version, row.kind) == (group, version, kind)
        };
        let defined = self.custom.range(ResourceKey::new(group, version, "")..);
        let in_version = defined
            .take_while(|(place, _)| (&*place.group, &*place.version) == (group, version))
            .map(|(_, resource)| resource);
        self.built_in.iter().chain(in_version).find(is_kind)
    }
}

fn name_of(resource: &ServedResource) -> String {
    let row = resource.row();
    storage_name(row.group, row.plural)
}
