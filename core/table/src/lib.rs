//! Objects as rows of tables, as `kubectl get` prints them.
//!
//! ```
//! use ratchet_object::{Limits, decode};
//! use ratchet_table::{cells, columns};
//!
//! let text = "{metadata: {name: web, creationTimestamp: '1970-01-01T00:00:00Z'}, data: {a: b}}";
//! let object = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
//! let names: Vec<&str> = columns("", "ConfigMap").iter().map(|column| column.name).collect();
//! assert_eq!(names, ["Name", "Data", "Age"]);
//! let cells: Vec<String> = cells("", "ConfigMap", &object, 120).iter().map(ToString::to_string).collect();
//! assert_eq!(cells, [r#""web""#, "1", r#""2m""#]);
//! ```
#![no_std]
extern crate alloc;

mod access;
mod admission;
mod age;
mod autoscaling;
mod batch;
mod certificates;
mod cluster;
mod column;
mod contents;
mod devices;
mod endpoints;
mod events;
mod flow;
mod labels;
mod network;
mod pods;
mod printed_object;
mod scheduling;
mod storage;
#[cfg(test)]
mod testing;
mod truncate;
mod volumes;
mod workloads;

pub use age::age_of;
pub use column::Column;

use age::NEVER;
use alloc::vec;
use alloc::vec::Vec;
use column::{NAME, Row, date};
use printed_object::{Cells, PrintedObject, text};
use ratchet_object::Node;

/// The printers of all areas. The kinds listed most often come first, because the search is linear.
static AREAS: &[&[Row]] = &[
    pods::ROWS,
    workloads::ROWS,
    batch::ROWS,
    network::ROWS,
    endpoints::ROWS,
    contents::ROWS,
    events::ROWS,
    cluster::ROWS,
    access::ROWS,
    certificates::ROWS,
    volumes::ROWS,
    storage::ROWS,
    autoscaling::ROWS,
    scheduling::ROWS,
    admission::ROWS,
    flow::ROWS,
    devices::ROWS,
];

/// The columns of kinds without a printer: Role, ClusterRole, LimitRange, CSIStorageCapacity and
/// CustomResourceDefinition are among them, as they are in Kubernetes.
static PLAIN: &[Column] = &[NAME, date("Created At", column::CREATED)];

/// The columns of a kind; kinds without a printer get Name and Created At.
#[must_use]
pub fn columns(group: &str, kind: &str) -> &'static [Column] {
    row(group, kind).map_or(PLAIN, |row| row.columns)
}

/// The cells of one object, in the order of [`columns`]. `now` is the Unix time in seconds, for
/// ages.
#[must_use]
pub fn cells(group: &str, kind: &str, object: &Node<'_>, now: i64) -> Vec<Node<'static>> {
    let printed = PrintedObject { object, now };
    row(group, kind).map_or_else(|| plain(&printed), |row| (row.cells)(&printed))
}

fn row(group: &str, kind: &str) -> Option<&'static Row> {
    let rows = AREAS.iter().flat_map(|rows| rows.iter());
    rows.into_iter().find(|row| row.kind == kind && row.group == group)
}

fn plain(object: &PrintedObject<'_>) -> Cells {
    let created = object.text(&["metadata", "creationTimestamp"]);
    vec![object.name(), text(if created.is_empty() { NEVER } else { created })]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::line;
    use alloc::collections::BTreeSet;
    use alloc::string::String;
    use proptest::prelude::*;

    #[test]
    fn kinds_without_a_row_get_name_and_creation() {
        for (group, kind) in [
            ("", "LimitRange"),
            ("rbac.authorization.k8s.io", "Role"),
            ("rbac.authorization.k8s.io", "ClusterRole"),
            ("storage.k8s.io", "CSIStorageCapacity"),
            ("apiextensions.k8s.io", "CustomResourceDefinition"),
            ("example.com", "Pod"),
        ] {
            let names: Vec<&str> = columns(group, kind).iter().map(|column| column.name).collect();
            assert_eq!(names, ["Name", "Created At"], "{group}/{kind}");
            assert_eq!(line(group, kind, "{}"), "a | 2025-12-31T23:55:00Z");
        }
        assert_eq!(line("", "LimitRange", "metadata: {name: b}"), "b | 0001-01-01T00:00:00Z");
    }

    #[test]
    fn no_kind_has_two_rows_and_few_built_in_kinds_have_none() {
        let rows = || AREAS.iter().flat_map(|rows| rows.iter());
        let kinds: BTreeSet<_> = rows().map(|row| (row.group, row.kind)).collect();
        assert_eq!(kinds.len(), rows().count());
        let plain: Vec<_> = ratchet_object::schema::KINDS
            .iter()
            .filter(|row| !row.subresource && !kinds.contains(&(row.group, row.kind)))
            .map(|row| row.kind)
            .collect();
        assert_eq!(plain, PLAIN_KINDS);
    }

    /// Kinds that Kubernetes prints without a printer of their own, and those that are never
    /// stored.
    const PLAIN_KINDS: &[&str] = &[
        "Binding",
        "LimitRange",
        "CustomResourceDefinition",
        "SelfSubjectReview",
        "TokenReview",
        "LocalSubjectAccessReview",
        "SelfSubjectAccessReview",
        "SelfSubjectRulesReview",
        "SubjectAccessReview",
        "ClusterRole",
        "Role",
        "CSIStorageCapacity",
    ];

    #[test]
    fn columns_are_well_formed() {
        for row in AREAS.iter().flat_map(|rows| rows.iter()) {
            for column in row.columns {
                let known = ["string", "integer", "boolean", "date"].contains(&column.kind);
                assert!(known && column.priority < 2, "{} {}", row.kind, column.name);
                assert!(!column.description.is_empty(), "{} {}", row.kind, column.name);
            }
            let names = row.columns.iter().filter(|column| column.name == "Name");
            assert_eq!(names.count(), 1, "{}", row.kind);
        }
    }

    /// Fields that the printers use, so that random trees reach deep into them.
    const FIELDS: &str = "(metadata|name|namespace|labels|annotations|ownerReferences|controller|\
        creationTimestamp|deletionTimestamp|spec|status|conditions|type|reason|phase|template|\
        containers|initContainers|containerStatuses|initContainerStatuses|state|lastState|waiting|\
        running|terminated|exitCode|signal|finishedAt|restartCount|started|ready|restartPolicy|\
        readinessGates|conditionType|podIPs|ip|ports|port|subsets|addresses|endpoints|rules|host|\
        selector|matchLabels|matchExpressions|key|operator|values|replicas|metrics|currentMetrics|\
        resource|external|pods|object|target|current|averageValue|averageUtilization|value|hard|\
        used|limited|limitResponse|queuing|pools|subjects|kind|roleRef|series|count|source|\
        startTime|completionTime|accessModes|capacity|storage|loadBalancer|ingress|paramRef)";

    fn leaf() -> impl Strategy<Value = Node<'static>> {
        prop_oneof![
            Just(Node::new(ratchet_object::Value::Null)),
            any::<bool>().prop_map(Node::bool),
            any::<i64>().prop_map(Node::int),
            any::<f64>().prop_map(|number| Node::new(ratchet_object::Value::Float(number))),
            "(True|False|Ready|Resource|External|Object|Pods|In|Exists|LoadBalancer|ClusterIP|\
              PodInitializing|Completed|Always|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z|\\PC{0,12})"
                .prop_map(|text: String| Node::string(text)),
        ]
    }

    fn tree() -> impl Strategy<Value = Node<'static>> {
        leaf().prop_recursive(6, 96, 6, |inner| {
            prop_oneof![
                1 => proptest::collection::vec(inner.clone(), 0..5).prop_map(Node::list),
                3 => proptest::collection::btree_map(FIELDS, inner, 0..8).prop_map(Node::map),
            ]
        })
    }

    /// Half of the objects have the parts that nearly every kind has.
    fn object() -> impl Strategy<Value = Node<'static>> {
        let parts = (tree(), tree(), tree());
        let complete = parts.prop_map(|(metadata, spec, status)| {
            Node::map([("metadata", metadata), ("spec", spec), ("status", status)])
        });
        prop_oneof![tree(), complete]
    }

    proptest! {
        #[test]
        fn any_tree_fills_its_columns(object in object(), now: i64) {
            for row in AREAS.iter().flat_map(|rows| rows.iter()) {
                let cells = cells(row.group, row.kind, &object, now);
                prop_assert_eq!(cells.len(), row.columns.len(), "{}", row.kind);
            }
            prop_assert_eq!(cells("", "Unheard", &object, now).len(), 2);
        }
    }
}
