//! Printers of deployments, replica sets, stateful sets and daemon sets.

use crate::column::{
    AGE, CONTAINERS, Column, IMAGES, NAME, Row, SELECTOR, integer, text as column,
};
use crate::labels::{labels, query, selector};
use crate::pods::containers;
use crate::printed_object::{Cells, NONE, PrintedObject, flag, text};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use ratchet_object::Node;

const APPS: &str = "apps";

pub(crate) const ROWS: &[Row] = &[
    Row { group: APPS, kind: "Deployment", columns: DEPLOYMENT, cells: deployment },
    Row { group: APPS, kind: "ReplicaSet", columns: REPLICAS, cells: replica_set },
    Row { group: APPS, kind: "StatefulSet", columns: STATEFUL, cells: stateful_set },
    Row { group: APPS, kind: "DaemonSet", columns: DAEMON, cells: daemon_set },
    Row { group: APPS, kind: "ControllerRevision", columns: REVISION, cells: revision },
    Row { group: "", kind: "ReplicationController", columns: REPLICAS, cells: controller },
];

const READY: Column = column("Ready", "How many pods are ready, of all that are wanted.");

const DEPLOYMENT: &[Column] = &[
    NAME,
    READY,
    column("Up-to-date", "How many pods are made from the present template."),
    column("Available", "How many pods have been ready for long enough."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const REPLICAS: &[Column] = &[
    NAME,
    integer("Desired", "How many pods are wanted."),
    integer("Current", "How many pods there are."),
    integer("Ready", "How many pods are ready."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const STATEFUL: &[Column] = &[NAME, READY, AGE, CONTAINERS, IMAGES];

const DAEMON: &[Column] = &[
    NAME,
    integer("Desired", "How many nodes should run the pod."),
    integer("Current", "How many of these nodes run the pod."),
    integer("Ready", "How many of these nodes run a ready pod."),
    integer("Up-to-date", "How many nodes run a pod made from the present template."),
    integer("Available", "How many nodes run a pod that has been ready for long enough."),
    column("Node Selector", "The labels of the nodes that run the pod."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const REVISION: &[Column] = &[
    NAME,
    column("Controller", "The object whose past this is."),
    column("Revision", "Which state of it this is; later ones are larger."),
    AGE,
];

const TEMPLATE: &[&str] = &["spec", "template", "spec", "containers"];
const SELECTED: &[&str] = &["spec", "selector"];

fn ready(object: &PrintedObject<'_>) -> Node<'static> {
    let (ready, desired) =
        (object.int(&["status", "readyReplicas"]), object.int(&["spec", "replicas"]));
    text(format!("{ready}/{desired}"))
}

fn deployment(object: &PrintedObject<'_>) -> Cells {
    let [names, images] = containers(object, TEMPLATE);
    let pods = query(object.at(SELECTED)).unwrap_or_else(|| "<invalid>".into());
    vec![
        object.name(),
        ready(object),
        Node::int(object.int(&["status", "updatedReplicas"])),
        Node::int(object.int(&["status", "availableReplicas"])),
        object.age(),
        names,
        images,
        text(pods),
    ]
}

fn replica_set(object: &PrintedObject<'_>) -> Cells {
    replicas(object, selector(object.at(SELECTED)))
}

fn controller(object: &PrintedObject<'_>) -> Cells {
    replicas(object, labels(object.at(SELECTED)))
}

fn replicas(object: &PrintedObject<'_>, pods: String) -> Cells {
    let [names, images] = containers(object, TEMPLATE);
    vec![
        object.name(),
        Node::int(object.int(&["spec", "replicas"])),
        Node::int(object.int(&["status", "replicas"])),
        Node::int(object.int(&["status", "readyReplicas"])),
        object.age(),
        names,
        images,
        text(pods),
    ]
}

fn stateful_set(object: &PrintedObject<'_>) -> Cells {
    let [names, images] = containers(object, TEMPLATE);
    vec![object.name(), ready(object), object.age(), names, images]
}

fn daemon_set(object: &PrintedObject<'_>) -> Cells {
    let [names, images] = containers(object, TEMPLATE);
    let number = |field| Node::int(object.int(&["status", field]));
    vec![
        object.name(),
        number("desiredNumberScheduled"),
        number("currentNumberScheduled"),
        number("numberReady"),
        number("updatedNumberScheduled"),
        number("numberAvailable"),
        text(labels(object.at(&["spec", "template", "spec", "nodeSelector"]))),
        object.age(),
        names,
        images,
        text(selector(object.at(SELECTED))),
    ]
}

fn revision(object: &PrintedObject<'_>) -> Cells {
    let mut owners = object.items(&["metadata", "ownerReferences"]).iter();
    let owner = owners.find(|owner| flag(owner, &["controller"]));
    vec![
        object.name(),
        text(owner.map_or_else(|| NONE.into(), format_owner)),
        Node::int(object.int(&["revision"])),
        object.age(),
    ]
}

/// For example `statefulset.apps/web`.
fn format_owner(owner: &Node<'_>) -> String {
    let kind = owner.text_at(&["kind"]);
    let group = owner.text_at(&["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    let full = if group.is_empty() { kind.into() } else { format!("{kind}.{group}") };
    format!("{}/{}", full.to_lowercase(), owner.text_at(&["name"]))
}

#[cfg(test)]
mod tests {
    use crate::testing::line;

    const SPEC: &str = "replicas: 3, selector: {matchLabels: {x: 'y'}}, template: {spec: {nodeSelector: \
        {os: linux}, containers: [{name: c, image: i}, {name: d, image: j}]}}";

    fn apps(kind: &str, status: &str) -> alloc::string::String {
        line("apps", kind, &alloc::format!("{{spec: {{{SPEC}}}, status: {{{status}}}}}"))
    }

    #[test]
    fn deployments() {
        let status = "readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1";
        assert_eq!(apps("Deployment", status), "a | 2/3 | 3 | 1 | 5m | c,d | i,j | x=y");
        assert_eq!(line("apps", "Deployment", "{}"), "a | 0/0 | 0 | 0 | 5m |  |  | ");
        let bad = "spec: {selector: {matchExpressions: [{key: a, operator: x}]}}";
        assert_eq!(line("apps", "Deployment", bad), "a | 0/0 | 0 | 0 | 5m |  |  | <invalid>");
    }

    #[test]
    fn replica_sets_and_replication_controllers() {
        let status = "replicas: 2, readyReplicas: 1";
        assert_eq!(apps("ReplicaSet", status), "a | 3 | 2 | 1 | 5m | c,d | i,j | x=y");
        assert_eq!(line("apps", "ReplicaSet", "{}"), "a | 0 | 0 | 0 | 5m |  |  | <none>");
        let old = "{spec: {replicas: 1, selector: {x: 'y'}}}";
        assert_eq!(line("", "ReplicationController", old), "a | 1 | 0 | 0 | 5m |  |  | x=y");
        assert_eq!(line("", "ReplicationController", "{}"), "a | 0 | 0 | 0 | 5m |  |  | <none>");
    }

    #[test]
    fn stateful_sets_and_daemon_sets() {
        assert_eq!(apps("StatefulSet", "readyReplicas: 1"), "a | 1/3 | 5m | c,d | i,j");
        let status = "desiredNumberScheduled: 5, currentNumberScheduled: 4, numberReady: 3, \
            updatedNumberScheduled: 2, numberAvailable: 1";
        let expected = "a | 5 | 4 | 3 | 2 | 1 | os=linux | 5m | c,d | i,j | x=y";
        assert_eq!(apps("DaemonSet", status), expected);
        let expected = "a | 0 | 0 | 0 | 0 | 0 | <none> | 5m |  |  | <none>";
        assert_eq!(line("apps", "DaemonSet", "{}"), expected);
    }

    #[test]
    fn revisions_name_their_controller() {
        let owner = |api: &str| {
            let text = alloc::format!(
                "{{revision: 2, metadata: {{name: r, ownerReferences: [{{kind: Other, name: o}}, \
                 {{apiVersion: {api}, kind: StatefulSet, name: web, controller: true}}]}}}}"
            );
            line("apps", "ControllerRevision", &text)
        };
        assert_eq!(owner("apps/v1"), "r | statefulset.apps/web | 2 | <unknown>");
        assert_eq!(owner("v1"), "r | statefulset/web | 2 | <unknown>");
        assert_eq!(line("apps", "ControllerRevision", "{revision: 1}"), "a | <none> | 1 | 5m");
    }
}
