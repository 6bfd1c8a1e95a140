//! Validation of PersistentVolumeClaims and PersistentVolumes.

use super::pod_parts::is_source;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::quantity::Quantity;
use crate::rules::immutable;
use crate::{format_value, selectors};
use ratchet_object::At;

const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const ALONE: &str = "may not use ReadWriteOncePod with other access modes";
const POSITIVE: &str = "must be greater than zero";
const CLAIM: &str = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const VOLUME: &str = "spec.persistentvolumesource is immutable after creation";

pub(super) fn validate_claim(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    check_claim(&root.field("spec"), &mut FieldErrors::new(ctx, verdict));
    if let Some(old) = ctx.change.old_root() {
        check_claim_immutable(&root, &old, verdict);
    }
}

/// Checks the spec of a claim, alone or in a claim template.
pub(super) fn check_claim(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let modes = spec.field("accessModes");
    if modes.is_empty() {
        errs.required(&modes, "at least 1 access mode is required");
    }
    selectors::check(&spec.field("selector"), errs);
    check_modes(&modes, errs);
    let resources = spec.field("resources");
    let size = resources.field("requests").key("storage");
    // The API omits `requests` from the path.
    let at = size.with_path(resources.path().key("storage"));
    match Quantity::at(&size) {
        None if !size.is_set() => errs.required(&at, ""),
        Some(size) if !size.sign().is_gt() => {
            errs.invalid_as(&at, quoted(&size.canonical()), POSITIVE);
        }
        _ => {}
    }
    errs.form_if_set(&spec.field("storageClassName"), NameFormat::Subdomain);
    errs.one_of(&spec.field("volumeMode"), &["Block", "Filesystem"]);
    errs.form_if_set(&spec.field("volumeAttributesClassName"), NameFormat::Subdomain);
}

fn check_modes(modes: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (mut alone, mut others) = (false, false);
    for mode in modes.items() {
        let text = mode.text_or_empty();
        if !MODES.contains(&text) {
            let formatted = format_value::typed_string(text, errs.ctx.config.release);
            errs.unsupported(&mode.with_path(*modes.path()), formatted, &MODES);
        } else if text == "ReadWriteOncePod" {
            alone = true;
        } else {
            others = true;
        }
    }
    if alone && others {
        errs.forbidden(modes, ALONE);
    }
}

/// Checks the immutable fields of a claim; the server fills in unset ones.
fn check_claim_immutable(root: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let (spec, before) = (root.field("spec"), old.field("spec"));
    let is_bound = old.field("status").field("phase").text_or_empty() == "Bound";
    let size =
        |spec: &At<'_>| Quantity::at(&spec.field("resources").field("requests").field("storage"));
    let is_changed = immutable::members(&spec, &before).any(|name| match name {
        "volumeName" if !before.field("volumeName").is_set() => false,
        "storageClassName" if !before.field("storageClassName").is_set() => false,
        "volumeAttributesClassName" if is_bound => false,
        "resources" => size(&spec) != size(&before) && !is_bound,
        _ => immutable::is_field_changed(name, &spec.field(name), &before.field(name)),
    });
    if is_changed {
        immutable::forbidden(&spec, CLAIM, verdict);
    }
    if let (Some(new), Some(old_size)) = (size(&spec), size(&before))
        && new < old_size
    {
        let capacity_at = old.field("status").field("capacity").field("storage");
        let least = Quantity::at(&capacity_at).unwrap_or_else(Quantity::zero);
        if new <= least {
            let at = spec.field("resources").field("requests").field("storage");
            immutable::forbidden(&at, "field can not be less than status.capacity", verdict);
        }
    }
    let mode = |spec: &At<'_>| spec.field("volumeMode").text_or_empty() == "Block";
    if mode(&spec) != mode(&before) {
        let at = spec.field("volumeMode");
        let named = at.with_path(root.path().field("volumeMode"));
        let formatted =
            if at.is_set() { format_value::tree(at.node()) } else { "\"Filesystem\"".into() };
        immutable::changed(&named, formatted, verdict);
    }
}

pub(super) fn validate_volume(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let spec = root.field("spec");
    let times = if ctx.change.is_create() { 1 } else { 2 };
    for _ in 0..times {
        check_volume(&spec, &mut FieldErrors::new(ctx, verdict));
    }
    let Some(old) = ctx.change.old_root() else { return };
    let before = old.field("spec");
    let is_changed =
        spec.entries().any(|(name, at)| {
            is_source(name) && immutable::is_field_changed(name, &at, &before.field(name))
        }) || before.entries().any(|(name, _)| is_source(name) && !spec.field(name).is_set());
    if is_changed {
        let at = spec.with_path(spec.path().field("persistentvolumesource"));
        immutable::forbidden(&at, VOLUME, verdict);
    }
}

fn check_volume(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
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
        let formatted =
            if count == 0 { "null".into() } else { format_value::tree(capacity.node()) };
        errs.unsupported(&capacity, formatted, &["storage"]);
    }
    for (_, at) in capacity.entries() {
        if let Some(size) = Quantity::at(&at) {
            if size.sign().is_lt() {
                let detail = "must be a valid resource quantity";
                errs.invalid_as(&at, quoted(&size.canonical()), detail);
            }
            if !size.sign().is_gt() {
                errs.invalid_as(&at, quoted(&size.canonical()), POSITIVE);
            }
        }
    }
    let config = spec.field("persistentVolumeReclaimPolicy");
    errs.one_of(&config, &["Delete", "Recycle", "Retain"]);
    check_source(spec, errs);
    let path = spec.field("hostPath").field("path").text_or_empty();
    if path == "/" && config.text_or_empty() == "Recycle" {
        errs.forbidden(&config, "may not be 'recycle' for a hostPath mount of '/'");
    }
    errs.form_if_set(&spec.field("storageClassName"), NameFormat::Subdomain);
    errs.one_of(&spec.field("volumeMode"), &["Block", "Filesystem"]);
}

fn check_source(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut found = false;
    for (name, at) in spec.entries().filter(|(name, at)| is_source(name) && at.is_set()) {
        if found {
            let at = at.with_path(spec.path().field(name));
            errs.forbidden(&at, "may not specify more than 1 volume type");
        }
        found = true;
    }
    if !found {
        errs.required(spec, "must specify a volume type");
    }
    let host = spec.field("hostPath");
    if host.is_set() {
        errs.needs_text(&host.field("path"));
    }
    let local = spec.field("local");
    if local.is_set() {
        errs.needs_text(&local.field("path"));
        if !spec.field("nodeAffinity").is_set() {
            errs.required(&spec.field("nodeAffinity"), "Local volume requires node affinity");
        }
    }
}
