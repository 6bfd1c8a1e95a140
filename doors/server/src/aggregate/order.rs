//! The order of groups and versions in discovery, by the priorities of their APIServices.

use crate::app::App;
use crate::app::aggregator::api_service::GROUP;
use ratchet_crd::definition::compare_versions;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The priorities of the groups and versions that this server has from the start: those of the group, then those of
/// the version within it.
static BUILT_IN: &[(&str, &str, i64, i64)] = &[
    ("", "v1", 18000, 1),
    ("apps", "v1", 17800, 15),
    ("events.k8s.io", "v1", 17750, 15),
    ("authentication.k8s.io", "v1", 17700, 15),
    ("authorization.k8s.io", "v1", 17600, 15),
    ("autoscaling", "v2", 17500, 30),
    ("autoscaling", "v1", 17500, 15),
    ("batch", "v1", 17400, 15),
    ("certificates.k8s.io", "v1", 17300, 15),
    ("networking.k8s.io", "v1", 17200, 15),
    ("policy", "v1", 17100, 15),
    ("rbac.authorization.k8s.io", "v1", 17000, 15),
    ("storage.k8s.io", "v1", 16800, 15),
    ("admissionregistration.k8s.io", "v1", 16700, 15),
    ("apiextensions.k8s.io", "v1", 16700, 15),
    ("scheduling.k8s.io", "v1", 16600, 15),
    ("coordination.k8s.io", "v1", 16500, 15),
    ("node.k8s.io", "v1", 16300, 15),
    ("discovery.k8s.io", "v1", 16200, 15),
    ("resource.k8s.io", "v1", 16200, 21),
    ("flowcontrol.apiserver.k8s.io", "v1", 16100, 21),
];

/// The priorities of alpha and beta versions, sorted by group, the preferred version first.
static PRERELEASES: &[(&str, &str, i64, i64)] = &[
    ("admissionregistration.k8s.io", "v1beta1", 16700, 12),
    ("admissionregistration.k8s.io", "v1alpha1", 16700, 9),
    ("certificates.k8s.io", "v1beta1", 17300, 9),
    ("certificates.k8s.io", "v1alpha1", 17300, 1),
    ("coordination.k8s.io", "v1beta1", 16500, 13),
    ("coordination.k8s.io", "v1alpha2", 16500, 12),
    ("internal.apiserver.k8s.io", "v1alpha1", 16000, 9),
    ("networking.k8s.io", "v1beta1", 17200, 9),
    ("resource.k8s.io", "v1beta2", 16200, 15),
    ("resource.k8s.io", "v1beta1", 16200, 9),
    ("resource.k8s.io", "v1alpha3", 16200, 1),
    ("scheduling.k8s.io", "v1alpha2", 16600, 2),
    ("storage.k8s.io", "v1beta1", 16800, 9),
    ("storagemigration.k8s.io", "v1beta1", 15800, 9),
];

/// The priorities of custom resources.
const CUSTOM: (i64, i64) = (1000, 100);

/// The priority of the group of APIServices: higher than any other may be.
const OWN: i64 = 20_001;

/// The priorities of a version that this server has from the start.
pub(super) fn built_in(group: &str, version: &str) -> Option<(i64, i64)> {
    let mut rows = BUILT_IN.iter().chain(PRERELEASES);
    let row = rows.find(|row| (row.0, row.1) == (group, version));
    row.map(|row| (row.2, row.3))
}

/// The priorities of a version that this server serves itself.
pub(super) fn local(group: &str, version: &str) -> (i64, i64) {
    built_in(group, version).unwrap_or(CUSTOM)
}

/// A version with its priorities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ranked {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) group_priority: i64,
    pub(super) version_priority: i64,
}

impl Ranked {
    fn name(&self) -> String {
        format!("{}.{}", self.version, self.group)
    }
}

/// All versions: those that have an APIService, and those that this server serves without one.
pub(super) fn ranked(app: &App) -> Vec<Ranked> {
    let mut all: BTreeMap<(String, String), Ranked> = BTreeMap::new();
    for row in app.registry.now().rows() {
        let (group_priority, version_priority) = local(row.group, row.version);
        let (group, version) = (row.group.to_owned(), row.version.to_owned());
        let ranked = Ranked { group, version, group_priority, version_priority };
        all.insert((ranked.group.clone(), ranked.version.clone()), ranked);
    }
    for service in app.aggregator.services.now().all() {
        let ranked = Ranked {
            group: service.group.clone(),
            version: service.version.clone(),
            group_priority: service.group_priority,
            version_priority: service.version_priority,
        };
        all.insert((service.group.clone(), service.version.clone()), ranked);
    }
    for ranked in all.values_mut().filter(|ranked| ranked.group == GROUP) {
        ranked.group_priority = OWN;
    }
    all.into_values().collect()
}

/// Groups with their versions, the most important first, as the list of groups has them.
pub(super) fn by_group(mut all: Vec<Ranked>) -> Vec<(String, Vec<Ranked>)> {
    all.sort_by_cached_key(|one| (Reverse(one.group_priority), one.name()));
    let mut groups: Vec<(String, Vec<Ranked>)> = Vec::new();
    for one in all {
        match groups.iter_mut().find(|(group, _)| *group == one.group) {
            Some((_, versions)) => versions.push(one),
            None => groups.push((one.group.clone(), vec![one])),
        }
    }
    for (_, versions) in &mut groups {
        versions.sort_by(|one, other| {
            let by_version = || compare_versions(&one.version, &other.version);
            other.version_priority.cmp(&one.version_priority).then_with(by_version)
        });
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_discovery() {
        let rows = ratchet_catalog::RESOURCES;
        let mut found: Vec<(&str, &str)> = Vec::new();
        for row in rows.iter().filter(|row| row.group != GROUP) {
            if found.last() != Some(&(row.group, row.version)) {
                found.push((row.group, row.version));
            }
        }
        let table: Vec<(&str, &str)> = BUILT_IN.iter().map(|row| (row.0, row.1)).collect();
        assert_eq!(table, found);
    }

    #[test]
    fn every_alpha_and_beta_version_has_its_priorities() {
        for row in ratchet_catalog::PRERELEASES {
            let (group, version) = (row.resource.group, row.resource.version);
            assert!(built_in(group, version).is_some(), "{group}/{version}");
        }
        for (group, version, ..) in PRERELEASES {
            let is_there = |row: &ratchet_catalog::Prerelease| {
                (row.resource.group, row.resource.version) == (*group, *version)
            };
            assert!(ratchet_catalog::PRERELEASES.iter().any(is_there), "{group}/{version}");
        }
    }

    #[test]
    fn groups_are_sorted_by_priority_and_versions_too() {
        let one = |group: &str, version: &str, group_priority, version_priority| Ranked {
            group: group.into(),
            version: version.into(),
            group_priority,
            version_priority,
        };
        let all = vec![
            one("b", "v1", 100, 15),
            one("b", "v2beta1", 100, 15),
            one("b", "v1alpha1", 3000, 20),
            one("c", "v1", 2000, 1),
            one("a", "v1alpha1", 100, 1),
            one("d", "v1", 100, 1),
        ];
        let reported: Vec<String> = by_group(all)
            .into_iter()
            .map(|(group, versions)| {
                let versions: Vec<_> = versions.into_iter().map(|one| one.version).collect();
                format!("{group}: {}", versions.join(" "))
            })
            .collect();
        // Groups of one priority are sorted by the names of their APIServices, which begin with the version.
        assert_eq!(reported, ["b: v1alpha1 v1 v2beta1", "c: v1", "d: v1", "a: v1alpha1"]);
    }
}
