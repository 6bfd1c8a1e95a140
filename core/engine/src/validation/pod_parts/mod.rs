//! Validation of the parts of a pod spec that Pods and templates share.

mod claims;
mod containers;
mod environment;
mod files;
mod iscsi;
mod options;
mod paths;
mod ports;
mod probes;
mod projections;
mod resources;
mod scheduling;
mod security;
mod source_holder;
mod sources;
mod sysctls;
mod volumes;
mod windows;

use crate::field_errors::{FieldErrors, has};
use crate::name_format::NameFormat;
use alloc::format;
use ratchet_object::At;

pub(super) use options::PodValidationOptions;
pub(super) use ports::PROTOCOLS;
pub(super) use resources::{
    can_overcommit, check_container_name, check_limits, check_quantity, check_resource_name,
    is_extended, is_standard,
};
pub(super) use scheduling::check_tolerations;
pub(super) use source_holder::Holder;
pub(super) use sources::{check as check_source, check_driver, check_driver_name};

/// Fields of a pod spec with a name format, checked if set.
const NAME_FORMATS: [(&str, NameFormat); 3] = [
    ("serviceAccountName", NameFormat::Subdomain),
    ("nodeName", NameFormat::Subdomain),
    ("priorityClassName", NameFormat::Subdomain),
];

const LONGEST_HOST_NAME: usize = 64;
const SOONEST: i64 = 1;
const LATEST: i64 = i32::MAX as i64;

/// Checks a pod spec, except for its DNS settings and host aliases.
pub(super) fn check(
    spec: &At<'_>,
    options: PodValidationOptions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let volumes = volumes::check(&spec.field("volumes"), options, errs);
    let claims = claims::check(&spec.field("resourceClaims"), options.is_pod, errs);
    let known = containers::Known { volumes: &volumes, claims: &claims };
    containers::check(spec, options, &known, errs);
    if has(spec, "resources") {
        resources::check_pod(spec, &claims, errs);
    }
    ports::check_host_network(spec, errs);
    errs.one_of(&spec.field("restartPolicy"), &["Always", "OnFailure", "Never"]);
    crate::rules::labels::check_map(&spec.field("nodeSelector"), errs.verdict);
    security::check_pod(spec, options, errs);
    for (name, format) in NAME_FORMATS.into_iter().filter(|row| has(spec, row.0)) {
        errs.form_if_set(&spec.field(name), format);
    }
    // It may be unset, but not empty.
    if spec.field("runtimeClassName").is_set() {
        errs.form(&spec.field("runtimeClassName"), NameFormat::Subdomain);
    }
    if has(spec, "hostnameOverride") {
        check_host_name(spec, errs);
    }
    errs.between(&spec.field("activeDeadlineSeconds"), SOONEST, LATEST);
    check_preemption(&spec.field("preemptionPolicy"), errs);
    if has(spec, "overhead") {
        let overhead = spec.field("overhead");
        // The API checks it as the limits of a container, and says so.
        check_limits(&overhead.with_path(overhead.path().field("limits")), &overhead, errs);
    }
    scheduling::check(spec, options, errs);
    environment::check_file_volumes(spec, errs);
}

/// Checks the host name that a pod sets for itself.
fn check_host_name(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let name = spec.field("hostnameOverride");
    if !name.is_set() {
        return;
    }
    for other in ["setHostnameAsFQDN", "hostNetwork"] {
        if spec.field(other).is_true() {
            errs.forbidden(&name, format!("may not be specified when {other} is true"));
        }
    }
    if name.text_or_empty().len() > LONGEST_HOST_NAME {
        errs.too_long(&name, LONGEST_HOST_NAME);
    }
    errs.form(&name, NameFormat::Subdomain);
}

/// Checks whether pods of a priority preempt others; the field may be unset, but not empty.
pub(super) fn check_preemption(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if at.is_set() && errs.needs_text(at) {
        errs.one_of(at, &["PreemptLowerPriority", "Never"]);
    }
}
