//! Validation of the parts of a pod spec that Pods and templates share.

mod containers;
mod environment;
mod options;
mod paths;
mod ports;
mod probes;
mod resources;
mod scheduling;
mod security;
mod volumes;

use crate::field_errors::{FieldErrors, has};
use crate::name_format::NameFormat;
use ratchet_object::At;

pub(super) use options::PodValidationOptions;
pub(super) use ports::PROTOCOLS;
pub(super) use resources::{check_quantity, is_standard};
pub(super) use scheduling::check_tolerations;
pub(super) use volumes::is_source;

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
