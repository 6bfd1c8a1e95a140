//! Printers of persistent volumes and claims.

use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::printed_object::{Cells, PrintedObject, UNSET, amount, text};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "PersistentVolume", columns: VOLUME, cells: volume },
    Row { group: "", kind: "PersistentVolumeClaim", columns: CLAIM, cells: claim },
];

const STATUS: Column = column("Status", "Whether the volume and its claim have found each other.");
const CAPACITY: Column = column("Capacity", "How much the volume holds.");
const MODES: Column = column("Access Modes", "Who may mount the volume at the same time.");
const CLASS: Column = column("StorageClass", "The storage class of the volume.");
const ATTRIBUTES: Column =
    column("VolumeAttributesClass", "The class of attributes that can still be changed.");
const MODE: Column =
    column("VolumeMode", "Whether the volume is a file system or a device.").wide();

const VOLUME: &[Column] = &[
    NAME,
    CAPACITY,
    MODES,
    column("Reclaim Policy", "What happens to the volume when its claim is gone."),
    STATUS,
    column("Claim", "The claim that has the volume."),
    CLASS,
    ATTRIBUTES,
    column("Reason", "Why the volume is in a state of failure."),
    AGE,
    MODE,
];

const CLAIM: &[Column] = &[
    NAME,
    STATUS,
    column("Volume", "The volume that the claim has."),
    CAPACITY,
    MODES,
    CLASS,
    ATTRIBUTES,
    AGE,
    MODE,
];

/// Access modes and their abbreviations, in the order in which they are printed.
const SHORT: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

fn volume(object: &PrintedObject<'_>) -> Cells {
    let claim = object.at(&["spec", "claimRef"]);
    let claim = claim.map_or_else(String::new, |claim| {
        format!("{}/{}", claim.text_at(&["namespace"]), claim.text_at(&["name"]))
    });
    vec![
        object.name(),
        capacity(object, &["spec", "capacity", "storage"]),
        modes(object, &["spec", "accessModes"]),
        object.cell(&["spec", "persistentVolumeReclaimPolicy"]),
        phase(object),
        text(claim),
        class(object),
        object.cell_or(&["spec", "volumeAttributesClassName"], UNSET),
        object.cell(&["status", "reason"]),
        object.age(),
        object.cell_or(&["spec", "volumeMode"], UNSET),
    ]
}

fn claim(object: &PrintedObject<'_>) -> Cells {
    // The capacity of a claim is known once it has a volume.
    let is_bound = !object.text(&["spec", "volumeName"]).is_empty();
    let got = |cell: Node<'static>| if is_bound { cell } else { text("") };
    vec![
        object.name(),
        phase(object),
        object.cell(&["spec", "volumeName"]),
        got(capacity(object, &["status", "capacity", "storage"])),
        got(modes(object, &["status", "accessModes"])),
        class(object),
        object.cell_or(&["spec", "volumeAttributesClassName"], UNSET),
        object.age(),
        object.cell_or(&["spec", "volumeMode"], UNSET),
    ]
}

fn phase(object: &PrintedObject<'_>) -> Node<'static> {
    if object.is_terminating() { text("Terminating") } else { object.cell(&["status", "phase"]) }
}

fn capacity(object: &PrintedObject<'_>, names: &[&str]) -> Node<'static> {
    text(object.at(names).map_or_else(|| "0".to_owned(), amount))
}

fn modes(object: &PrintedObject<'_>, names: &[&str]) -> Node<'static> {
    let modes = object.items(names);
    let has = |mode| modes.iter().any(|node| node.text() == Some(mode));
    let abbreviations: Vec<&str> =
        SHORT.iter().filter(|(mode, _)| has(*mode)).map(|(_, short)| *short).collect();
    text(abbreviations.join(","))
}

/// The annotation is older than the field, and still wins.
fn class(object: &PrintedObject<'_>) -> Node<'static> {
    match object.annotation("volume.beta.kubernetes.io/storage-class") {
        Some(class) => text(class),
        None => object.cell(&["spec", "storageClassName"]),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::line;

    #[test]
    fn volumes() {
        let text = "{spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany, ReadWriteOnce], \
            persistentVolumeReclaimPolicy: Retain, claimRef: {namespace: 'n', name: c}, storageClassName: s, \
            volumeAttributesClassName: v, volumeMode: Block}, status: {phase: Bound, reason: r}}";
        let expected = "a | 1Gi | RWO,RWX | Retain | Bound | n/c | s | v | r | 5m | Block";
        assert_eq!(line("", "PersistentVolume", text), expected);
        let text = "{metadata: {name: p, deletionTimestamp: '2026-01-01T00:00:00Z', annotations: \
            {volume.beta.kubernetes.io/storage-class: old}}, spec: {storageClassName: s}}";
        let expected = "p | 0 |  |  | Terminating |  | old | <unset> |  | <unknown> | <unset>";
        assert_eq!(line("", "PersistentVolume", text), expected);
    }

    #[test]
    fn claims() {
        let text = "{spec: {volumeName: v, storageClassName: s, volumeMode: Filesystem}, status: {phase: Bound, \
            capacity: {storage: 5}, accessModes: [ReadWriteOncePod, ReadOnlyMany]}}";
        let expected = "a | Bound | v | 5 | ROX,RWOP | s | <unset> | 5m | Filesystem";
        assert_eq!(line("", "PersistentVolumeClaim", text), expected);
        let text = "{spec: {resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}";
        let expected = "a | Pending |  |  |  |  | <unset> | 5m | <unset>";
        assert_eq!(line("", "PersistentVolumeClaim", text), expected);
    }
}
