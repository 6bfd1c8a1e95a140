//! Volumes that outlive pods, and the claims on them.

use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::shown::{Cells, Shown, UNSET, amount, text};
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

/// Access modes and their short names, in the order in which they are told.
const SHORT: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

fn volume(shown: &Shown<'_>) -> Cells {
    let claim = shown.at(&["spec", "claimRef"]);
    let claim = claim.map_or_else(String::new, |claim| {
        format!("{}/{}", claim.text_at(&["namespace"]), claim.text_at(&["name"]))
    });
    vec![
        shown.name(),
        capacity(shown, &["spec", "capacity", "storage"]),
        modes(shown, &["spec", "accessModes"]),
        shown.cell(&["spec", "persistentVolumeReclaimPolicy"]),
        phase(shown),
        text(claim),
        class(shown),
        shown.cell_or(&["spec", "volumeAttributesClassName"], UNSET),
        shown.cell(&["status", "reason"]),
        shown.age(),
        shown.cell_or(&["spec", "volumeMode"], UNSET),
    ]
}

fn claim(shown: &Shown<'_>) -> Cells {
    // What a claim got is known once it has a volume.
    let is_bound = !shown.text(&["spec", "volumeName"]).is_empty();
    let got = |cell: Node<'static>| if is_bound { cell } else { text("") };
    vec![
        shown.name(),
        phase(shown),
        shown.cell(&["spec", "volumeName"]),
        got(capacity(shown, &["status", "capacity", "storage"])),
        got(modes(shown, &["status", "accessModes"])),
        class(shown),
        shown.cell_or(&["spec", "volumeAttributesClassName"], UNSET),
        shown.age(),
        shown.cell_or(&["spec", "volumeMode"], UNSET),
    ]
}

fn phase(shown: &Shown<'_>) -> Node<'static> {
    if shown.is_going() { text("Terminating") } else { shown.cell(&["status", "phase"]) }
}

fn capacity(shown: &Shown<'_>, names: &[&str]) -> Node<'static> {
    text(shown.at(names).map_or_else(|| "0".to_owned(), amount))
}

fn modes(shown: &Shown<'_>, names: &[&str]) -> Node<'static> {
    let modes = shown.items(names);
    let has = |mode| modes.iter().any(|node| node.text() == Some(mode));
    let told: Vec<&str> =
        SHORT.iter().filter(|(mode, _)| has(*mode)).map(|(_, short)| *short).collect();
    text(told.join(","))
}

/// The annotation is older than the field, and still wins.
fn class(shown: &Shown<'_>) -> Node<'static> {
    match shown.annotation("volume.beta.kubernetes.io/storage-class") {
        Some(class) => text(class),
        None => shown.cell(&["spec", "storageClassName"]),
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::line;

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
