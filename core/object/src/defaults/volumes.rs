//! Volumes: those of pods, those of the cluster, and the claims between them.

use super::fill::{Fill, Gap, each, fill, inside, is_zero, nil, put, within, zero};
use super::{pod, resources};
use crate::Node;

/// The permissions of files that Kubernetes writes: `0644`.
const MODE: &[Gap] = &[nil("defaultMode", Fill::Int(0o644))];
const HOST_PATH: &[Gap] = &[nil("type", Fill::Text(""))];
const ISCSI: &[Gap] = &[zero("iscsiInterface", Fill::Text("default"))];

const RBD: &[Gap] = &[
    zero("pool", Fill::Text("rbd")),
    zero("user", Fill::Text("admin")),
    zero("keyring", Fill::Text("/etc/ceph/keyring")),
];

const AZURE_DISK: &[Gap] = &[
    nil("cachingMode", Fill::Text("ReadWrite")),
    nil("fsType", Fill::Text("ext4")),
    nil("readOnly", Fill::Bool(false)),
    nil("kind", Fill::Text("Shared")),
];

const SCALE_IO: &[Gap] =
    &[zero("storageMode", Fill::Text("ThinProvisioned")), zero("fsType", Fill::Text("xfs"))];

const TOKEN: &[Gap] = &[nil("expirationSeconds", Fill::Int(3600))];

const VOLUME: &[Gap] = &[
    zero("persistentVolumeReclaimPolicy", Fill::Text("Retain")),
    nil("volumeMode", Fill::Text("Filesystem")),
];

const CLAIM: &[Gap] = &[nil("volumeMode", Fill::Text("Filesystem"))];
const PENDING: &[Gap] = &[zero("phase", Fill::Text("Pending"))];

/// The sources that pods and the cluster share, with their gaps.
const SOURCES: &[(&str, &[Gap])] = &[
    ("hostPath", HOST_PATH),
    ("iscsi", ISCSI),
    ("rbd", RBD),
    ("azureDisk", AZURE_DISK),
    ("scaleIO", SCALE_IO),
];

/// The sources that only pods have, with their gaps.
const POD_SOURCES: &[(&str, &[Gap])] =
    &[("secret", MODE), ("configMap", MODE), ("downwardAPI", MODE), ("projected", MODE)];

/// A volume of a pod.
pub(super) fn volume(volume: &mut Node<'_>) {
    let has_source =
        volume.entries().iter().any(|entry| entry.key != "name" && !entry.node.is_null());
    if !has_source {
        put(volume, "emptyDir", Node::empty_map());
    }
    sources(volume, SOURCES);
    sources(volume, POD_SOURCES);
    within(volume, "image", image);
    within(volume, "downwardAPI", field_refs);
    within(volume, "projected", |projected| each(projected, "sources", projection));
    within(volume, "ephemeral", |ephemeral| {
        within(ephemeral, "volumeClaimTemplate", |template| inside(template, "spec", claim_spec));
    });
}

fn sources(node: &mut Node<'_>, table: &[(&str, &[Gap])]) {
    for (name, gaps) in table {
        if let Some(source) = node.get_mut(name) {
            fill(source, gaps);
        }
    }
}

fn image(image: &mut Node<'_>) {
    if is_zero(image, "pullPolicy") {
        put(image, "pullPolicy", pod::pull_policy(image.text_at(&["reference"])));
    }
}

fn projection(source: &mut Node<'_>) {
    within(source, "downwardAPI", field_refs);
    within(source, "serviceAccountToken", |token| fill(token, TOKEN));
}

fn field_refs(node: &mut Node<'_>) {
    each(node, "items", |file| within(file, "fieldRef", pod::field_ref));
}

/// A PersistentVolume.
pub(super) fn persistent_volume(node: &mut Node<'_>) {
    inside(node, "status", |status| fill(status, PENDING));
    inside(node, "spec", |spec| {
        fill(spec, VOLUME);
        volume_sources(spec);
    });
}

/// A VolumeAttachment, which can hold a whole volume.
pub(super) fn volume_attachment(node: &mut Node<'_>) {
    within(node, "spec", |spec| {
        within(spec, "source", |source| within(source, "inlineVolumeSpec", volume_sources));
    });
}

fn volume_sources(spec: &mut Node<'_>) {
    resources::round(spec, &["capacity"]);
    sources(spec, SOURCES);
}

/// A PersistentVolumeClaim.
pub(super) fn claim(node: &mut Node<'_>) {
    inside(node, "status", |status| {
        fill(status, PENDING);
        resources::round(status, &["capacity", "allocatedResources"]);
    });
    inside(node, "spec", claim_spec);
}

fn claim_spec(spec: &mut Node<'_>) {
    fill(spec, CLAIM);
    resources::round_requirements(spec);
}
