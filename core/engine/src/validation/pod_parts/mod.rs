//! Validation of the parts of a pod spec that Pods and templates share.

mod containers;
mod environment;
mod ports;
mod probes;
mod resources;
mod scheduling;
mod security;
mod volumes;

use crate::field_errors::{FieldErrors, has};
use crate::name_format::NameFormat;
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) use ports::PROTOCOLS;
pub(super) use resources::{check_quantity, is_standard};
pub(super) use scheduling::check_tolerations;
pub(super) use volumes::is_source;

/// Options of pod validation that depend on the enclosing object.
#[derive(Clone, Copy)]
pub(super) struct PodValidationOptions<'a> {
    /// Whether it is a Pod, not a template.
    pub(super) is_pod: bool,
    /// Volumes from outside the spec: the claim templates of a StatefulSet.
    pub(super) claims: &'a [&'a str],
}

/// Fields of a pod spec with a name format, checked if set.
const NAME_FORMATS: [(&str, NameFormat); 4] = [
    ("serviceAccountName", NameFormat::Subdomain),
    ("nodeName", NameFormat::Subdomain),
    ("priorityClassName", NameFormat::Subdomain),
    ("runtimeClassName", NameFormat::Subdomain),
];

const SOONEST: i64 = 1;
const LATEST: i64 = i32::MAX as i64;

/// Checks a pod spec, except for its DNS settings and host aliases.
pub(super) fn check(
    spec: &At<'_>,
    options: PodValidationOptions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let known = volumes::check(&spec.field("volumes"), options, errs);
    containers::check(spec, options, &known, errs);
    ports::check_host_network(spec, errs);
    errs.one_of(&spec.field("restartPolicy"), &["Always", "OnFailure", "Never"]);
    crate::rules::labels::check_map(&spec.field("nodeSelector"), errs.verdict);
    security::check_pod(spec, errs);
    for (name, format) in NAME_FORMATS.into_iter().filter(|row| has(spec, row.0)) {
        errs.form_if_set(&spec.field(name), format);
    }
    errs.between(&spec.field("activeDeadlineSeconds"), SOONEST, LATEST);
    errs.one_of(&spec.field("preemptionPolicy"), &["PreemptLowerPriority", "Never"]);
    scheduling::check(spec, errs);
}

/// The `name` of every item of a list.
fn names_of<'a>(list: &At<'a>) -> Vec<&'a str> {
    list.items().map(|at| at.field("name").text_or_empty()).collect()
}

/// `terminationGracePeriodSeconds`, with its default.
fn grace(spec: &At<'_>) -> i64 {
    spec.field("terminationGracePeriodSeconds").int().unwrap_or(30)
}

/// Checks that a path is relative and has no `..`.
fn check_descending(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if text.starts_with('/') {
        errs.invalid_as(at, crate::field_errors::quoted(text), "must be a relative path");
    }
    check_no_backsteps(at, text, errs);
}

/// Checks that a path has no `..`.
fn check_no_backsteps(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if text.split('/').any(|step| step == "..") {
        errs.invalid_as(at, crate::field_errors::quoted(text), "must not contain '..'");
    }
}
