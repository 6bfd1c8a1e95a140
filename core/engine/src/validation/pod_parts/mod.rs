//! The parts of a pod's spec that every pod and every template is checked for.

mod containers;
mod environment;
mod ports;
mod probes;
mod resources;
mod scheduling;
mod security;
mod volumes;

use crate::field_errors::{FieldErrors, has};
use crate::forms::NameFormat;
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) use ports::PROTOCOLS;
pub(super) use resources::check_quantity;
pub(super) use scheduling::check_tolerations;
pub(super) use volumes::is_source;

/// Where a pod stands, as far as it matters to its parts.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// Whether it is a Pod, and not the template of one.
    pub(super) is_pod: bool,
    /// Volumes that come from elsewhere: the claims of a StatefulSet.
    pub(super) claims: &'a [&'a str],
}

/// Fields of a pod's spec that have a form where they are set.
const FORMS: [(&str, NameFormat); 4] = [
    ("serviceAccountName", NameFormat::Subdomain),
    ("nodeName", NameFormat::Subdomain),
    ("priorityClassName", NameFormat::Subdomain),
    ("runtimeClassName", NameFormat::Subdomain),
];

const SOONEST: i64 = 1;
const LATEST: i64 = i32::MAX as i64;

/// Checks a pod's spec but for its DNS and its host aliases.
pub(super) fn check(spec: &At<'_>, place: Place<'_>, errs: &mut FieldErrors<'_, '_>) {
    let known = volumes::check(&spec.field("volumes"), place, errs);
    containers::check(spec, place, &known, errs);
    ports::check_host_network(spec, errs);
    errs.one_of(&spec.field("restartPolicy"), &["Always", "OnFailure", "Never"]);
    crate::rules::labels::check_map(&spec.field("nodeSelector"), errs.verdict);
    security::check_pod(spec, errs);
    for (name, form) in FORMS.into_iter().filter(|row| has(spec, row.0)) {
        errs.form_if_set(&spec.field(name), form);
    }
    errs.between(&spec.field("activeDeadlineSeconds"), SOONEST, LATEST);
    errs.one_of(&spec.field("preemptionPolicy"), &["PreemptLowerPriority", "Never"]);
    scheduling::check(spec, errs);
}

/// The texts of a field of every item of a list.
fn names_of<'a>(list: &At<'a>) -> Vec<&'a str> {
    list.items().map(|at| at.field("name").text_or_empty()).collect()
}

/// How long a pod has to end, with its default.
fn grace(spec: &At<'_>) -> i64 {
    spec.field("terminationGracePeriodSeconds").int().unwrap_or(30)
}

/// A path that leads down from where it starts.
fn check_descending(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if text.starts_with('/') {
        errs.invalid_as(at, crate::field_errors::quoted(text), "must be a relative path");
    }
    check_no_backsteps(at, text, errs);
}

/// A path that never leads up.
fn check_no_backsteps(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if text.split('/').any(|step| step == "..") {
        errs.invalid_as(at, crate::field_errors::quoted(text), "must not contain '..'");
    }
}
