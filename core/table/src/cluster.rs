//! Printers of nodes, namespaces, leases and the API server's own resources.

use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::printed_object::{Cells, NONE, PrintedObject, UNKNOWN, UNSET, or, text};
use crate::truncate::first_three;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

const COORDINATION: &str = "coordination.k8s.io";
const INTERNAL: &str = "internal.apiserver.k8s.io";
const MIGRATION: &str = "storagemigration.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "Node", columns: NODE, cells: node },
    Row { group: "", kind: "Namespace", columns: NAMESPACE, cells: namespace },
    Row { group: "", kind: "ComponentStatus", columns: COMPONENT, cells: component },
    Row { group: COORDINATION, kind: "Lease", columns: LEASE, cells: lease },
    Row { group: COORDINATION, kind: "LeaseCandidate", columns: CANDIDATE, cells: candidate },
    Row { group: "apiregistration.k8s.io", kind: "APIService", columns: SERVICE, cells: service },
    Row { group: INTERNAL, kind: "StorageVersion", columns: VERSION, cells: version },
    Row { group: MIGRATION, kind: "StorageVersionMigration", columns: MOVE, cells: migration },
];

const NODE: &[Column] = &[
    NAME,
    column("Status", "Whether the node is ready, and whether it takes pods."),
    column("Roles", "What the node is for, by its labels."),
    AGE,
    column("Version", "The version of the kubelet."),
    column("Internal-IP", "The first address of the node inside the cluster.").wide(),
    column("External-IP", "The first address of the node outside the cluster.").wide(),
    column("OS-Image", "The operating system of the node.").wide(),
    column("Kernel-Version", "The kernel of the node, and its architecture.").wide(),
    column("Container-Runtime", "The container runtime of the node.").wide(),
];

const NAMESPACE: &[Column] =
    &[NAME, column("Status", "Whether the namespace is active or going."), AGE];

const COMPONENT: &[Column] = &[
    NAME,
    column("Status", "Whether the component is healthy."),
    column("Message", "What the component says."),
    column("Error", "What is wrong with the component."),
];

const LEASE: &[Column] = &[NAME, column("Holder", "Who holds the lease."), AGE];

const CANDIDATE: &[Column] = &[
    NAME,
    column("LeaseName", "The lease that the candidate wants."),
    column("BinaryVersion", "The version of the candidate."),
    column("EmulationVersion", "The version that the candidate behaves as."),
    AGE,
];

const SERVICE: &[Column] = &[
    NAME,
    column("Service", "The service that serves this part of the API."),
    column("Available", "Whether this part of the API can be reached, and why not."),
    AGE,
];

const VERSION: &[Column] = &[
    NAME,
    column("CommonEncodingVersion", "The version in which all API servers store."),
    column("StorageVersions", "The version in which each API server stores."),
    AGE,
];

const MOVE: &[Column] = &[
    Column { format: "", ..NAME },
    column("Resource", "What is stored anew."),
    column("Status", "How far that has come."),
];

fn node(object: &PrintedObject<'_>) -> Cells {
    let info = |field| object.text(&["status", "nodeInfo", field]);
    let kernel = or(info("kernelVersion"), UNKNOWN);
    vec![
        object.name(),
        text(node_status(object)),
        text(or(&roles(object).join(","), NONE)),
        object.age(),
        text(info("kubeletVersion")),
        text(node_address(object, "InternalIP")),
        text(node_address(object, "ExternalIP")),
        text(or(info("osImage"), UNKNOWN)),
        text(match info("architecture") {
            "" => kernel.to_owned(),
            architecture => format!("{kernel} ({architecture})"),
        }),
        text(or(info("containerRuntimeVersion"), UNKNOWN)),
    ]
}

fn node_status(object: &PrintedObject<'_>) -> String {
    let status = match object.condition("Ready") {
        Some(_) if object.is_condition_true("Ready") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    let is_closed = object.flag(&["spec", "unschedulable"]);
    format!("{status}{}", if is_closed { ",SchedulingDisabled" } else { "" })
}

fn roles<'a>(object: &PrintedObject<'a>) -> Vec<&'a str> {
    let labels = object.at(&["metadata", "labels"]).map(Node::entries).unwrap_or_default();
    let roles: BTreeSet<&str> = labels
        .iter()
        .filter_map(|label| match label.key.strip_prefix("node-role.kubernetes.io/") {
            None if label.key == "kubernetes.io/role" => label.node.text(),
            role => role,
        })
        .filter(|role| !role.is_empty())
        .collect();
    roles.into_iter().collect()
}

fn node_address<'a>(object: &PrintedObject<'a>, kind: &str) -> &'a str {
    let mut addresses = object.items(&["status", "addresses"]).iter();
    let matching = addresses.find(|address| address.text_at(&["type"]) == kind);
    matching.map_or(NONE, |address| address.text_at(&["address"]))
}

fn namespace(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), object.cell(&["status", "phase"]), object.age()]
}

fn component(object: &PrintedObject<'_>) -> Cells {
    let mut conditions = object.items(&["conditions"]).iter();
    let health = conditions.find(|condition| condition.text_at(&["type"]) == "Healthy");
    let field = |name| health.map_or("", |health| health.text_at(&[name]));
    let status = match health {
        None => "Unknown",
        Some(_) if field("status") == "True" => "Healthy",
        Some(_) => "Unhealthy",
    };
    vec![object.name(), text(status), text(field("message")), text(field("error"))]
}

fn lease(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), object.cell(&["spec", "holderIdentity"]), object.age()]
}

fn candidate(object: &PrintedObject<'_>) -> Cells {
    vec![
        object.name(),
        object.cell(&["spec", "leaseName"]),
        object.cell(&["spec", "binaryVersion"]),
        object.cell(&["spec", "emulationVersion"]),
        object.age(),
    ]
}

fn service(object: &PrintedObject<'_>) -> Cells {
    let service = object.at(&["spec", "service"]);
    let served = |service: &Node<'_>| {
        format!("{}/{}", service.text_at(&["namespace"]), service.text_at(&["name"]))
    };
    let available = object.condition("Available").map_or_else(
        || "Unknown".to_owned(),
        |condition| match (condition.text_at(&["status"]), condition.text_at(&["reason"])) {
            (status, "") | (status @ "True", _) => status.to_owned(),
            (status, reason) => format!("{status} ({reason})"),
        },
    );
    vec![
        object.name(),
        text(service.map_or_else(|| "Local".to_owned(), served)),
        text(available),
        object.age(),
    ]
}

fn version(object: &PrintedObject<'_>) -> Cells {
    let versions = object.items(&["status", "storageVersions"]).iter().map(|version| {
        format!("{}={}", version.text_at(&["apiServerID"]), version.text_at(&["encodingVersion"]))
    });
    vec![
        object.name(),
        object.cell_or(&["status", "commonEncodingVersion"], UNSET),
        text(or(&first_three(versions), UNSET)),
        object.age(),
    ]
}

fn migration(object: &PrintedObject<'_>) -> Cells {
    let field = |name| object.text(&["spec", "resource", name]);
    let resource = match field("group") {
        "" => field("resource").to_owned(),
        group => format!("{}.{group}", field("resource")),
    };
    let conditions = object.items(&["status", "conditions"]).iter();
    let status = conditions
        .filter(|condition| condition.text_at(&["status"]) == "True")
        .map(|condition| condition.text_at(&["type"]))
        .rfind(|kind| ["Running", "Failed", "Succeeded"].contains(kind));
    vec![object.name(), text(resource), text(status.unwrap_or("Unknown"))]
}

#[cfg(test)]
mod tests {
    use crate::testing::line;

    #[test]
    fn nodes() {
        let text = "{metadata: {name: 'n', labels: {node-role.kubernetes.io/worker: '', kubernetes.io/role: edge, \
            node-role.kubernetes.io/: '', x: 'y'}}, spec: {unschedulable: true}, status: {conditions: [{type: Ready, \
            status: 'True'}], addresses: [{type: Hostname, address: h}, {type: InternalIP, address: 10.0.0.1}, \
            {type: ExternalIP, address: 1.1.1.1}], nodeInfo: {kubeletVersion: v1.36.4, osImage: Linux, \
            kernelVersion: '6.1', architecture: arm64, containerRuntimeVersion: 'containerd://2'}}}";
        let expected = "n | Ready,SchedulingDisabled | edge,worker | <unknown> | v1.36.4 | 10.0.0.1 | 1.1.1.1 | \
            Linux | 6.1 (arm64) | containerd://2";
        assert_eq!(line("", "Node", text), expected);
        let expected =
            "a | Unknown | <none> | 5m |  | <none> | <none> | <unknown> | <unknown> | <unknown>";
        assert_eq!(line("", "Node", "{}"), expected);
        let text = "{status: {conditions: [{type: Ready, status: Unknown}]}}";
        assert!(line("", "Node", text).starts_with("a | NotReady | <none>"));
    }

    #[test]
    fn namespaces_and_components() {
        assert_eq!(line("", "Namespace", "{status: {phase: Active}}"), "a | Active | 5m");
        assert_eq!(line("", "Namespace", "{}"), "a |  | 5m");
        let text = "{conditions: [{type: Healthy, status: 'True', message: ok}]}";
        assert_eq!(line("", "ComponentStatus", text), "a | Healthy | ok | ");
        let text = "{conditions: [{type: Healthy, status: 'False', error: gone}]}";
        assert_eq!(line("", "ComponentStatus", text), "a | Unhealthy |  | gone");
        assert_eq!(line("", "ComponentStatus", "{}"), "a | Unknown |  | ");
    }

    #[test]
    fn leases() {
        let group = "coordination.k8s.io";
        assert_eq!(line(group, "Lease", "{spec: {holderIdentity: h}}"), "a | h | 5m");
        assert_eq!(line(group, "Lease", "{}"), "a |  | 5m");
        let text = "{spec: {leaseName: l, binaryVersion: '1.36', emulationVersion: '1.35'}}";
        assert_eq!(line(group, "LeaseCandidate", text), "a | l | 1.36 | 1.35 | 5m");
    }

    #[test]
    fn services_of_the_api() {
        let service = |text: &str| line("apiregistration.k8s.io", "APIService", text);
        let text = "{status: {conditions: [{type: Available, status: 'True', reason: Local}]}}";
        assert_eq!(service(text), "a | Local | True | 5m");
        let text = "{spec: {service: {namespace: 'n', name: s}}, status: {conditions: [{type: Available, \
            status: 'False', reason: MissingEndpoints}]}}";
        assert_eq!(service(text), "a | n/s | False (MissingEndpoints) | 5m");
        assert_eq!(service("{}"), "a | Local | Unknown | 5m");
    }

    #[test]
    fn stored_versions_and_their_migrations() {
        let version = |text: &str| line("internal.apiserver.k8s.io", "StorageVersion", text);
        let text = "{status: {commonEncodingVersion: v1, storageVersions: [{apiServerID: s, encodingVersion: v1}]}}";
        assert_eq!(version(text), "a | v1 | s=v1 | 5m");
        assert_eq!(version("{}"), "a | <unset> | <unset> | 5m");
        let migration =
            |text: &str| line("storagemigration.k8s.io", "StorageVersionMigration", text);
        let text = "{spec: {resource: {group: apps, resource: deployments}}, status: {conditions: [{type: Running, \
            status: 'False'}, {type: Succeeded, status: 'True'}]}}";
        assert_eq!(migration(text), "a | deployments.apps | Succeeded");
        assert_eq!(migration("{spec: {resource: {resource: pods}}}"), "a | pods | Unknown");
    }
}
