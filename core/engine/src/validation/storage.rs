//! Validation of PersistentVolumes.

use super::node_selector;
use super::pod_parts::{self, Holder};
use super::volume_claim::{POSITIVE, check_mode_fixed, check_modes};
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{format_value, internal};
use alloc::format;
use alloc::string::ToString;
use ratchet_object::{At, Quantity};

const NODES: &str = "field is immutable, except for updating from beta label to GA";
const EXPANSION_SECRET: &str = "controllerExpandSecretRef";
const VOLUME: &str = "spec.persistentvolumesource is immutable after creation";

pub(super) fn validate_volume(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let spec = root.field("spec");
    let stored = ctx.change.old_root().map(|old| old.descend(&["spec", "nodeAffinity"]));
    let times = if ctx.change.is_create() { 1 } else { 2 };
    for _ in 0..times {
        check_volume(&spec, stored, &mut FieldErrors::new(ctx, verdict));
    }
    let Some(old) = ctx.change.old_root() else { return };
    let before = old.field("spec");
    let is_changed =
        spec.entries().any(|(name, at)| {
            is_source(name)
                && immutable::is_field_changed(name, &at, &before.field(name))
                && !is_only_expansion_added(name, &at, &before.field(name))
        }) || before.entries().any(|(name, _)| is_source(name) && !spec.field(name).is_set());
    if is_changed {
        let at = spec.with_path(spec.path().field("persistentvolumesource"));
        if let (Some(new), Some(old)) = (spec.node(), before.node()) {
            let mut compared = new.clone();
            if let Some(csi) = compared.get_mut("csi")
                && !before.field("csi").field(EXPANSION_SECRET).is_set()
            {
                csi.remove(EXPANSION_SECRET);
            }
            let diff = immutable::diff(&spec, "PersistentVolumeSource", [old, &compared]);
            immutable::forbidden(&at, format!("{VOLUME}{diff}"), verdict);
        }
    }
    check_mode_fixed(&root, &old, verdict);
    // The API reports paths without `spec` here.
    let (nodes, nodes_before) = (spec.field("nodeAffinity"), before.field("nodeAffinity"));
    if nodes_before.is_set() && !node_selector::is_kept(&nodes, &nodes_before) {
        let formatted = match nodes.is_set() {
            true => internal::format_as("VolumeNodeAffinity", &nodes),
            false => "null".into(),
        };
        let at = nodes.with_path(root.path().field("nodeAffinity"));
        immutable::changed_with_detail(&at, formatted, NODES, verdict);
    }
    let class = spec.field("volumeAttributesClassName");
    if before.field("volumeAttributesClassName").is_set() && !class.is_set() {
        immutable::forbidden(&class, "update from non-nil value to nil is forbidden", verdict);
    }
}

/// Whether a CSI source only got the Secret for its expansion, which may be added once.
fn is_only_expansion_added(name: &str, source: &At<'_>, before: &At<'_>) -> bool {
    let members = source.entries().chain(before.entries()).map(|(name, _)| name);
    name == "csi"
        && before.is_set()
        && !before.field(EXPANSION_SECRET).is_set()
        && members
            .filter(|name| *name != EXPANSION_SECRET)
            .all(|name| source.field(name).equals(&before.field(name)))
}

fn check_volume(spec: &At<'_>, stored: Option<At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    let modes = spec.field("accessModes");
    if modes.is_empty() {
        errs.required(&modes, "");
    }
    check_modes(&modes, errs);
    let capacity = spec.field("capacity");
    let count = capacity.entries().len();
    if count == 0 {
        errs.required(&capacity, "");
    }
    if count > 1 || !capacity.field("storage").is_set() {
        let formatted = format_value::tree(capacity.node());
        errs.unsupported(&capacity, formatted, &["storage"]);
    }
    for (_, at) in capacity.entries() {
        if let Some(size) = Quantity::at(&at) {
            // The reference takes the lowest 64 bits for the size.
            let wrapped = u64::try_from(size.in_wholes()).map(u64::cast_signed);
            let wrapped = wrapped.map_or(size.in_wholes(), i128::from);
            if wrapped < 0 {
                let detail = "must be a valid resource quantity";
                errs.invalid_as(&at, wrapped.to_string(), detail);
            }
            if !size.is_positive() {
                errs.invalid_as(&at, quoted(&size.to_string()), POSITIVE);
            }
        }
    }
    let policy = spec.field("persistentVolumeReclaimPolicy");
    errs.one_of(&policy, &["Delete", "Recycle", "Retain"]);
    check_nodes(&spec.field("nodeAffinity"), stored, errs);
    check_source(spec, errs);
    let path = spec.field("hostPath").field("path").text_or_empty();
    if path == "/" && policy.text_or_empty() == "Recycle" {
        errs.forbidden(&policy, "may not be 'recycle' for a hostPath mount of '/'");
    }
    errs.form_if_set(&spec.field("storageClassName"), NameFormat::Subdomain);
    errs.one_of(&spec.field("volumeMode"), &["Block", "Filesystem"]);
    let class = spec.field("volumeAttributesClassName");
    if class.is_set() && errs.ctx.config.release.since(34) {
        match class.text_or_empty() {
            "" => errs.required(&class, "an empty string is disallowed"),
            _ => errs.form(&class, NameFormat::Subdomain),
        }
        let csi = spec.field("csi");
        if !csi.is_set() {
            errs.required(&csi, "has to be specified when using volumeAttributesClassName");
        }
    }
}

const INLINE: &str = "may not be specified in the context of inline volumes";

/// Checks the spec of a volume inside a VolumeAttachment: a CSI source, and little else.
pub(super) fn check_volume_inline(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let [claim, capacity, csi, modes] =
        ["claimRef", "capacity", "csi", "accessModes"].map(|name| spec.field(name));
    if claim.is_set() {
        errs.forbidden(&claim, INLINE);
    }
    if capacity.entries().len() > 0 {
        errs.forbidden(&capacity, INLINE);
    }
    if !csi.is_set() {
        errs.required(&csi, "has to be specified in the context of inline volumes");
    }
    if modes.is_empty() {
        errs.required(&modes, "");
    }
    check_modes(&modes, errs);
    let policy = spec.field("persistentVolumeReclaimPolicy");
    if !matches!(policy.text_or_empty(), "" | "Retain") {
        errs.forbidden(&policy, "may only be Retain in the context of inline volumes");
    }
    let nodes = spec.field("nodeAffinity");
    if nodes.is_set() {
        errs.forbidden(&nodes, INLINE);
    }
    check_source(spec, errs);
    let class = spec.field("storageClassName");
    if !class.text_or_empty().is_empty() {
        errs.forbidden(&class, INLINE);
    }
    let mode = spec.field("volumeMode");
    if mode.is_set() && mode.text_or_empty() != "Filesystem" {
        let detail =
            "may not specify volumeMode other than Filesystem in the context of inline volumes";
        errs.forbidden(&mode, detail);
    }
}

/// Sources of a PersistentVolume in the order in which the API checks them.
const SOURCES: [&str; 22] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi",
];

fn check_source(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let name = spec.object().map(|volume| volume.text_at(&["metadata", "name"]));
    let holder = Holder::PersistentVolume(name.unwrap_or_default());
    let mut found = false;
    for source in SOURCES {
        let at = spec.field(source);
        if !at.is_set() {
            continue;
        }
        // This one the API checks whatever else there is, and does not count.
        if found && source != "flexVolume" {
            errs.forbidden(&at, "may not specify more than 1 volume type");
            continue;
        }
        found = true;
        pod_parts::check_source(source, spec, &at, holder, errs);
        if source == "local" && !spec.field("nodeAffinity").is_set() {
            errs.required(&spec.field("nodeAffinity"), "Local volume requires node affinity");
        }
    }
    if !found {
        errs.required(spec, "must specify a volume type");
    }
}

fn is_source(name: &str) -> bool {
    SOURCES.contains(&name)
}

/// Checks the nodes of a volume; label values that are stored may stay.
fn check_nodes(affinity: &At<'_>, stored: Option<At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    if !affinity.is_set() {
        return;
    }
    let required = affinity.field("required");
    if !required.is_set() {
        return errs.required(&required, "must specify required node constraints");
    }
    let stored = stored.map(|old| old.field("required"));
    let checks_values = !stored.is_some_and(|old| node_selector::has_invalid_value(&old));
    node_selector::check(&required, checks_values, errs);
}
