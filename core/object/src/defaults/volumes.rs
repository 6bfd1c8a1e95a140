//! Defaults of volumes: those of pods, PersistentVolumes, and claims.

use super::fields::{
    DefaultValue, FieldDefault, each, is_zero, nil, pointer_field, put, set_defaults, struct_field,
    zero,
};
use super::{pod, resources};
use crate::Node;

/// The default permissions of files in volumes: `0644`.
const MODE: &[FieldDefault] = &[nil("defaultMode", DefaultValue::Int(0o644))];
const HOST_PATH: &[FieldDefault] = &[nil("type", DefaultValue::Text(""))];
const ISCSI: &[FieldDefault] = &[zero("iscsiInterface", DefaultValue::Text("default"))];

const RBD: &[FieldDefault] = &[
    zero("pool", DefaultValue::Text("rbd")),
    zero("user", DefaultValue::Text("admin")),
    zero("keyring", DefaultValue::Text("/etc/ceph/keyring")),
];

const AZURE_DISK: &[FieldDefault] = &[
    nil("cachingMode", DefaultValue::Text("ReadWrite")),
    nil("fsType", DefaultValue::Text("ext4")),
    nil("readOnly", DefaultValue::Bool(false)),
    nil("kind", DefaultValue::Text("Shared")),
];

const SCALE_IO: &[FieldDefault] = &[
    zero("storageMode", DefaultValue::Text("ThinProvisioned")),
    zero("fsType", DefaultValue::Text("xfs")),
];

const TOKEN: &[FieldDefault] = &[nil("expirationSeconds", DefaultValue::Int(3600))];

const VOLUME: &[FieldDefault] = &[
    zero("persistentVolumeReclaimPolicy", DefaultValue::Text("Retain")),
    nil("volumeMode", DefaultValue::Text("Filesystem")),
];

const CLAIM: &[FieldDefault] = &[nil("volumeMode", DefaultValue::Text("Filesystem"))];
const PENDING: &[FieldDefault] = &[zero("phase", DefaultValue::Text("Pending"))];

/// The volume sources that pods and PersistentVolumes share, with their defaults.
const SOURCES: &[(&str, &[FieldDefault])] = &[
    ("hostPath", HOST_PATH),
    ("iscsi", ISCSI),
    ("rbd", RBD),
    ("azureDisk", AZURE_DISK),
    ("scaleIO", SCALE_IO),
];

/// The volume sources that only pods have, with their defaults.
const POD_SOURCES: &[(&str, &[FieldDefault])] =
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
    pointer_field(volume, "image", image);
    pointer_field(volume, "downwardAPI", field_refs);
    pointer_field(volume, "projected", |projected| each(projected, "sources", projection));
    pointer_field(volume, "ephemeral", |ephemeral| {
        pointer_field(ephemeral, "volumeClaimTemplate", |template| {
            struct_field(template, "spec", claim_spec);
        });
    });
}

fn sources(node: &mut Node<'_>, table: &[(&str, &[FieldDefault])]) {
    for (name, defaults) in table {
        if let Some(source) = node.get_mut(name) {
            set_defaults(source, defaults);
        }
    }
}

fn image(image: &mut Node<'_>) {
    if is_zero(image, "pullPolicy") {
        put(image, "pullPolicy", pod::pull_policy(image.text_at(&["reference"])));
    }
}

fn projection(source: &mut Node<'_>) {
    pointer_field(source, "downwardAPI", field_refs);
    pointer_field(source, "serviceAccountToken", |token| set_defaults(token, TOKEN));
}

fn field_refs(node: &mut Node<'_>) {
    each(node, "items", |file| pointer_field(file, "fieldRef", pod::field_ref));
}

/// Defaults of a PersistentVolume.
pub(super) fn persistent_volume(node: &mut Node<'_>) {
    struct_field(node, "status", |status| set_defaults(status, PENDING));
    struct_field(node, "spec", |spec| {
        set_defaults(spec, VOLUME);
        volume_sources(spec);
    });
}

/// A VolumeAttachment, which can embed a PersistentVolume's spec.
pub(super) fn volume_attachment(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| {
        pointer_field(spec, "source", |source| {
            pointer_field(source, "inlineVolumeSpec", volume_sources);
        });
    });
}

fn volume_sources(spec: &mut Node<'_>) {
    resources::round(spec, &["capacity"]);
    sources(spec, SOURCES);
}

/// Defaults of a PersistentVolumeClaim.
pub(super) fn claim(node: &mut Node<'_>) {
    struct_field(node, "status", |status| {
        set_defaults(status, PENDING);
        resources::round(status, &["capacity", "allocatedResources"]);
    });
    struct_field(node, "spec", claim_spec);
}

fn claim_spec(spec: &mut Node<'_>) {
    set_defaults(spec, CLAIM);
    resources::round_requirements(spec);
}
