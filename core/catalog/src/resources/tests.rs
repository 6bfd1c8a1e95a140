//! Tests of the resource table against the kinds of the schema, and against facts about the API.

use alloc::vec::Vec;

use ratchet_object::schema::{self, KINDS};

use super::*;

/// The served group versions, in the order of discovery.
const SERVED: &[(&str, &str)] = &[
    ("", "v1"),
    ("apiregistration.k8s.io", "v1"),
    ("apps", "v1"),
    ("events.k8s.io", "v1"),
    ("authentication.k8s.io", "v1"),
    ("authorization.k8s.io", "v1"),
    ("autoscaling", "v2"),
    ("autoscaling", "v1"),
    ("batch", "v1"),
    ("certificates.k8s.io", "v1"),
    ("networking.k8s.io", "v1"),
    ("policy", "v1"),
    ("rbac.authorization.k8s.io", "v1"),
    ("storage.k8s.io", "v1"),
    ("admissionregistration.k8s.io", "v1"),
    ("apiextensions.k8s.io", "v1"),
    ("scheduling.k8s.io", "v1"),
    ("coordination.k8s.io", "v1"),
    ("node.k8s.io", "v1"),
    ("discovery.k8s.io", "v1"),
    ("resource.k8s.io", "v1"),
    ("flowcontrol.apiserver.k8s.io", "v1"),
];

#[test]
fn groups_come_in_the_order_of_discovery() {
    let all: Vec<_> = RESOURCES.iter().collect();
    assert_eq!(crate::discovery::group_versions(&all), SERVED);
}

#[test]
fn every_kind_that_is_served_has_a_row() {
    for kind in KINDS.iter().filter(|row| SERVED.contains(&(row.group, row.version))) {
        let gvk = GroupVersionKind { group: kind.group, version: kind.version, kind: kind.kind };
        if kind.subresource {
            let is_it = |row: &Resource<'_>| {
                let below = row.subresource(kind.plural);
                below.is_some_and(|below| below.gvk(row) == gvk)
            };
            assert!(RESOURCES.iter().any(is_it), "{gvk:?}");
        } else {
            let row = of_kind(kind.group, kind.version, kind.kind);
            let row = row.unwrap_or_else(|| panic!("no row for {gvk:?}"));
            assert_eq!((row.plural, row.namespaced), (kind.plural, kind.namespaced), "{gvk:?}");
        }
    }
}

#[test]
fn every_row_has_a_kind() {
    for row in RESOURCES {
        assert!(schema::kind(row.group, row.version, row.kind).is_some(), "{}", row.plural);
        for below in row.subresources.iter().filter(|below| !below.connects()) {
            let GroupVersionKind { group, version, kind } = below.gvk(row);
            let kind = schema::kind(group, version, kind);
            assert!(kind.is_some(), "{}/{}", row.plural, below.name);
        }
    }
}

#[test]
fn rows_are_sorted_and_found() {
    for (row, next) in RESOURCES.iter().zip(&RESOURCES[1..]) {
        if (row.group, row.version) == (next.group, next.version) {
            assert!(row.plural < next.plural, "{}", row.plural);
        }
    }
    for row in RESOURCES {
        assert_eq!(lookup(row.group, row.version, row.plural), Some(row));
        assert!(row.verbs.is_sorted(), "{}", row.plural);
        assert!(row.subresources.is_sorted_by(|a, b| a.name < b.name), "{}", row.plural);
        assert_eq!(row.singular, row.kind.to_lowercase());
    }
    assert_eq!(lookup("apps", "v1", "pods"), None);
    assert_eq!(lookup("", "v1", "pods/status"), None);
    assert_eq!(of_kind("", "v1", "Deployment"), None);
}

#[test]
fn what_may_be_done() {
    let pods = lookup("", "v1", "pods").unwrap();
    assert!(pods.allows("watch") && !pods.allows("connect"));
    assert!(pods.subresource("exec").is_some_and(Subresource::connects));
    assert!(pods.subresource("status").is_some_and(|status| status.allows("patch")));
    assert_eq!(pods.subresource("scale"), None);
    assert!(!lookup("", "v1", "namespaces").unwrap().allows("deletecollection"));
    let review = lookup("authentication.k8s.io", "v1", "tokenreviews").unwrap();
    assert_eq!((review.verbs, review.storage), (&["create"][..], None));
}

#[test]
fn versions_of_the_same_objects_are_kept_as_one() {
    let storage_of = |group, version, plural| lookup(group, version, plural).unwrap().storage;
    assert_eq!(storage_of("", "v1", "events"), storage_of("events.k8s.io", "v1", "events"));
    let autoscalers = |version| storage_of("autoscaling", version, "horizontalpodautoscalers");
    assert_eq!(autoscalers("v1"), autoscalers("v2"));
    assert_ne!(storage_of("", "v1", "pods"), storage_of("", "v1", "podtemplates"));
}

#[test]
fn every_kind_of_the_schema_can_be_served() {
    let all = servable();
    for kind in KINDS.iter().filter(|kind| !kind.subresource) {
        let is_it = |one: &&Servable| {
            (one.row.group, one.row.version, one.row.kind) == (kind.group, kind.version, kind.kind)
        };
        let row = all.iter().find(is_it).unwrap_or_else(|| panic!("no row for {kind:?}")).row;
        assert_eq!((row.plural, row.namespaced), (kind.plural, kind.namespaced), "{kind:?}");
        assert_eq!(row.singular, row.kind.to_lowercase());
    }
    assert_eq!(all.len(), RESOURCES.len() + PRERELEASES.len());
}

#[test]
fn what_is_asked_for_comes_behind_what_is_served_by_default() {
    let all = servable();
    let versions = |group: &str| {
        let mut versions: Vec<&str> = Vec::new();
        for one in all.iter().filter(|one| one.row.group == group) {
            if versions.last() != Some(&one.row.version) {
                versions.push(one.row.version);
            }
        }
        versions
    };
    assert_eq!(versions("resource.k8s.io"), ["v1", "v1beta2", "v1beta1", "v1alpha3"]);
    assert_eq!(versions("certificates.k8s.io"), ["v1", "v1beta1", "v1alpha1"]);
    assert_eq!(versions("storagemigration.k8s.io"), ["v1beta1"]);
    for (row, next) in PRERELEASES.iter().zip(&PRERELEASES[1..]) {
        let (row, next) = (row.resource, next.resource);
        if (row.group, row.version) == (next.group, next.version) {
            assert!(row.plural < next.plural, "{}", row.plural);
        }
    }
    for row in PRERELEASES {
        let status = schema::kind(row.resource.group, row.resource.version, row.resource.kind);
        let has_status =
            status.is_some_and(|kind| schema::type_of(kind.ty).field("status").is_some());
        assert_eq!(row.resource.subresource("status").is_some(), has_status, "{row:?}");
    }
}
