//! Validation of PersistentVolumeClaims, and of what they have in common with claim templates and volumes.

use super::data_source;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{Verdict, format_value, selectors};
use alloc::format;
use alloc::string::ToString;
use ratchet_object::{At, Node, Quantity};

const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const ALONE: &str = "may not use ReadWriteOncePod with other access modes";
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";
const CLAIM: &str = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

/// The detail about a size that is not positive.
pub(super) const POSITIVE: &str = "must be greater than zero";

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let stored = ctx.change.old_root().map(|old| old.field("spec"));
    check(&root.field("spec"), stored.as_ref(), &mut FieldErrors::new(ctx, verdict));
    if let Some(old) = ctx.change.old_root() {
        check_immutable(&root, &old, verdict);
    }
}

/// Checks the spec of a claim, alone or in a claim template; `stored` is the stored spec.
pub(super) fn check(spec: &At<'_>, stored: Option<&At<'_>>, errs: &mut FieldErrors<'_, '_>) {
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
        Some(size) if !size.is_positive() => {
            errs.invalid_as(&at, quoted(&size.to_string()), POSITIVE);
        }
        _ => {}
    }
    errs.form_if_set(&spec.field("storageClassName"), NameFormat::Subdomain);
    errs.one_of(&spec.field("volumeMode"), &["Block", "Filesystem"]);
    data_source::check(spec, stored, errs);
    errs.form_if_set(&spec.field("volumeAttributesClassName"), NameFormat::Subdomain);
}

/// Checks the access modes of a claim or a volume.
pub(super) fn check_modes(modes: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
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

/// The storage class that an annotation of a claim names.
fn annotated_class<'a>(root: &At<'a>) -> Option<&'a str> {
    let mut annotations = root.field("metadata").field("annotations").entries();
    annotations.find(|(key, _)| *key == CLASS_ANNOTATION).map(|(_, at)| at.text_or_empty())
}

/// Checks the immutable fields of a claim; the server fills in unset ones.
fn check_immutable(root: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let (spec, before) = (root.field("spec"), old.field("spec"));
    let is_bound = old.field("status").field("phase").text_or_empty() == "Bound";
    let size =
        |spec: &At<'_>| Quantity::at(&spec.field("resources").field("requests").field("storage"));
    let (class, class_before) = (annotated_class(root), annotated_class(old));
    let named = spec.field("storageClassName");
    let is_newly_named = named.is_set() && !before.field("storageClassName").is_set();
    // The class of the annotation may move to the field, and the annotation may then go.
    let is_moved = is_newly_named
        && class_before == Some(named.text_or_empty())
        && class.is_none_or(|class| Some(class) == class_before);
    if !is_moved && class.unwrap_or_default() != class_before.unwrap_or_default() {
        let annotations = root.field("metadata").field("annotations");
        let at = annotations.with_path(annotations.path().field(CLASS_ANNOTATION));
        immutable::changed(&at, quoted(class.unwrap_or_default()), verdict);
    }
    let may_be_named =
        is_newly_named && class_before.is_none_or(|class| class == named.text_or_empty());
    if let (Some(new), Some(old)) = (spec.node(), before.node()) {
        let (mut new, mut old) = (new.clone(), old.clone());
        if !before.field("volumeName").is_set() {
            copy("volumeName", &new, &mut old);
        }
        if may_be_named || is_moved {
            copy("storageClassName", &old, &mut new);
        }
        if is_bound {
            copy("volumeAttributesClassName", &old, &mut new);
            if let (Some(requests), Some(size)) = (
                new.find_mut(&["resources", "requests"]),
                old.find(&["resources", "requests", "storage"]),
            ) {
                requests.set("storage", size.clone());
            }
        }
        if immutable::is_node_changed(&spec, &new, &old) {
            let diff = immutable::diff(&spec, "PersistentVolumeClaimSpec", [&old, &new]);
            immutable::forbidden(&spec, format!("{CLAIM}{diff}"), verdict);
        }
    }
    let [new, stored] = [&spec, &before].map(|spec| size(spec).unwrap_or(Quantity::whole(0)));
    if stored.exceeds(new) {
        let capacity_at = old.field("status").field("capacity").field("storage");
        let least = Quantity::at(&capacity_at).unwrap_or(Quantity::whole(0));
        if !new.exceeds(least) {
            let at = spec.field("resources").field("requests").field("storage");
            immutable::forbidden(&at, "field can not be less than status.capacity", verdict);
        }
    }
    check_mode_fixed(root, old, verdict);
    check_attributes_kept(root, old, verdict);
}

/// Checks that a class of attributes that a volume has is not taken away.
fn check_attributes_kept(root: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let [class, before] =
        [root, old].map(|root| root.field("spec").field("volumeAttributesClassName"));
    let current = old.field("status").field("currentVolumeAttributesClassName");
    if !current.is_set() || !immutable::is_field_changed("", &class, &before) {
        return;
    }
    let emptied = match class.node() {
        None => "nil",
        Some(_) if class.text_or_empty().is_empty() => "empty string",
        Some(_) => return,
    };
    let detail = format!(
        "update to {emptied} is forbidden when status.currentVolumeAttributesClassName is not nil"
    );
    immutable::forbidden(&class, detail, verdict);
}

/// Gives a field of one spec to the other, which then shows no change of it.
fn copy<'t>(name: &'static str, from: &Node<'t>, to: &mut Node<'t>) {
    match from.get(name) {
        Some(value) => to.set(name, value.clone()),
        None => drop(to.remove(name)),
    }
}

/// Checks that the mode of a volume or claim stays; the API reports the path without `spec`.
pub(super) fn check_mode_fixed<'a>(root: &At<'a>, old: &At<'a>, verdict: &mut Verdict) {
    let at = root.field("spec").field("volumeMode");
    let mode = |root: &At<'a>| {
        let mode = root.descend(&["spec", "volumeMode"]);
        if mode.is_set() { mode.text_or_empty() } else { "Filesystem" }
    };
    if mode(root) != mode(old) {
        let named = at.with_path(root.path().field("volumeMode"));
        let formatted =
            if at.is_set() { format_value::tree(at.node()) } else { "\"Filesystem\"".into() };
        immutable::changed(&named, formatted, verdict);
    }
}
