//! Printers of storage classes, drivers and attachments.

use crate::column::{AGE, Column, NAME, Row, boolean, integer, text as column};
use crate::network::default_name;
use crate::printed_object::{Cells, NONE, PrintedObject, UNSET, joined, or, text};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

const GROUP: &str = "storage.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    Row { group: GROUP, kind: "StorageClass", columns: CLASS, cells: class },
    Row { group: GROUP, kind: "VolumeAttributesClass", columns: ATTRIBUTES, cells: attributes },
    Row { group: GROUP, kind: "VolumeAttachment", columns: ATTACHMENT, cells: attachment },
    Row { group: GROUP, kind: "CSINode", columns: NODE, cells: node },
    Row { group: GROUP, kind: "CSIDriver", columns: DRIVER, cells: driver },
];

const CLASS: &[Column] = &[
    NAME,
    column("Provisioner", "Who makes volumes of this class."),
    column("ReclaimPolicy", "What happens to a volume when its claim is gone."),
    column("VolumeBindingMode", "When a claim gets its volume."),
    column("AllowVolumeExpansion", "Whether a volume can grow."),
    AGE,
];

const ATTRIBUTES: &[Column] =
    &[NAME, column("DriverName", "The driver that understands the attributes."), AGE];

const ATTACHMENT: &[Column] = &[
    NAME,
    column("Attacher", "The driver that attaches the volume.").with_name_format(),
    column("PV", "The volume."),
    column("Node", "The node that the volume is attached to."),
    boolean("Attached", "Whether the volume is attached by now."),
    AGE,
];

const NODE: &[Column] = &[NAME, integer("Drivers", "How many drivers the node has."), AGE];

const DRIVER: &[Column] = &[
    NAME,
    boolean("AttachRequired", "Whether volumes must be attached before they are mounted."),
    boolean("PodInfoOnMount", "Whether the driver is told which pod mounts a volume."),
    boolean("StorageCapacity", "Whether the driver tells how much room is left."),
    column("TokenRequests", "The audiences of the tokens that the driver gets."),
    boolean("RequiresRepublish", "Whether the driver is called again from time to time."),
    column("Modes", "The kinds of volumes that the driver has."),
    AGE,
];

/// The annotations of the default class, the current and the former one.
const DEFAULT: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

fn class(object: &PrintedObject<'_>) -> Cells {
    let is_default = DEFAULT.iter().any(|key| object.annotation(key) == Some("true"));
    vec![
        if is_default { default_name(object) } else { object.name() },
        object.cell(&["provisioner"]),
        object.cell_or(&["reclaimPolicy"], "Delete"),
        object.cell_or(&["volumeBindingMode"], "Immediate"),
        Node::bool(object.flag(&["allowVolumeExpansion"])),
        object.age(),
    ]
}

fn attributes(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), object.cell(&["driverName"]), object.age()]
}

fn attachment(object: &PrintedObject<'_>) -> Cells {
    vec![
        object.name(),
        object.cell(&["spec", "attacher"]),
        object.cell(&["spec", "source", "persistentVolumeName"]),
        object.cell(&["spec", "nodeName"]),
        Node::bool(object.flag(&["status", "attached"])),
        object.age(),
    ]
}

fn node(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), Node::int(object.count(&["spec", "drivers"])), object.age()]
}

fn driver(object: &PrintedObject<'_>) -> Cells {
    let must_attach = object.at(&["spec", "attachRequired"]).and_then(Node::as_bool);
    let modes = joined(object.items(&["spec", "volumeLifecycleModes"]), ",");
    vec![
        object.name(),
        Node::bool(must_attach.unwrap_or(true)),
        Node::bool(object.flag(&["spec", "podInfoOnMount"])),
        Node::bool(object.flag(&["spec", "storageCapacity"])),
        text(audiences(object)),
        Node::bool(object.flag(&["spec", "requiresRepublish"])),
        text(or(&modes, NONE)),
        object.age(),
    ]
}

/// An empty list does not survive storing in Kubernetes, so that it is the same as none.
fn audiences(object: &PrintedObject<'_>) -> String {
    let requests = object.items(&["spec", "tokenRequests"]);
    if requests.is_empty() {
        return UNSET.to_owned();
    }
    let audiences: Vec<&str> =
        requests.iter().map(|request| request.text_at(&["audience"])).collect();
    audiences.join(",")
}

#[cfg(test)]
mod tests {
    use super::GROUP;
    use crate::testing::line;

    #[test]
    fn classes() {
        let text = "{metadata: {name: s, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}, \
            provisioner: p, reclaimPolicy: Retain, volumeBindingMode: WaitForFirstConsumer, \
            allowVolumeExpansion: true}";
        let expected = "s (default) | p | Retain | WaitForFirstConsumer | true | <unknown>";
        assert_eq!(line(GROUP, "StorageClass", text), expected);
        let expected = "a | p | Delete | Immediate | false | 5m";
        assert_eq!(line(GROUP, "StorageClass", "{provisioner: p}"), expected);
        assert_eq!(line(GROUP, "VolumeAttributesClass", "{driverName: d}"), "a | d | 5m");
    }

    #[test]
    fn attachments() {
        let text = "{spec: {attacher: d, source: {persistentVolumeName: v}, nodeName: 'n'}, status: {attached: true}}";
        assert_eq!(line(GROUP, "VolumeAttachment", text), "a | d | v | n | true | 5m");
        assert_eq!(line(GROUP, "VolumeAttachment", "{}"), "a |  |  |  | false | 5m");
    }

    #[test]
    fn drivers_and_their_nodes() {
        assert_eq!(line(GROUP, "CSINode", "{spec: {drivers: [{}, {}]}}"), "a | 2 | 5m");
        assert_eq!(line(GROUP, "CSINode", "{}"), "a | 0 | 5m");
        let text = "{spec: {attachRequired: false, podInfoOnMount: true, storageCapacity: true, tokenRequests: \
            [{audience: x}, {audience: 'y'}], requiresRepublish: true, volumeLifecycleModes: [Persistent, Ephemeral]}}";
        let expected = "a | false | true | true | x,y | true | Persistent,Ephemeral | 5m";
        assert_eq!(line(GROUP, "CSIDriver", text), expected);
        let expected = "a | true | false | false | <unset> | false | <none> | 5m";
        assert_eq!(line(GROUP, "CSIDriver", "{}"), expected);
    }
}
