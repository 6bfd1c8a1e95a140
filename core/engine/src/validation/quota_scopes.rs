//! Validation of the scopes of a ResourceQuota, in `scopes` and in `scopeSelector`.

use super::pod_parts::is_standard;
use crate::field_errors::FieldErrors;
use crate::{format_value, internal};
use alloc::vec::Vec;
use ratchet_object::At;

const SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];

/// Scopes that a pod has or has not: a selector cannot compare them with values.
const EXISTING: [&str; 5] =
    ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];

/// Resources of pods that scopes other than `BestEffort` limit, beside their number.
const COMPUTE: [&str; 6] =
    ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

const OPPOSITES: [[&str; 2]; 2] =
    [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]];
const NOT_EXISTS: &str = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
const MISAPPLIED: &str = "unsupported scope applied to resource";

/// Checks the scopes of the spec of a quota.
pub(super) fn check(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let scopes = spec.field("scopes");
    let formatted = format_value::tree(scopes.node());
    let counts = SCOPES.map(|scope| (scope, misapplied_count(spec, scope)));
    let names: Vec<&str> = scopes.items().map(|at| at.text_or_empty()).collect();
    for name in &names {
        let value = || formatted.clone();
        match counts.iter().find(|row| row.0 == *name) {
            None => errs.invalid_times(1, &scopes, value, "unsupported scope"),
            Some((_, count)) => errs.invalid_times(*count, &scopes, value, MISAPPLIED),
        }
    }
    check_opposites(&names, &scopes, &formatted, errs);
    if spec.field("scopeSelector").is_set() {
        check_selector(spec, &counts, &formatted, errs);
    }
}

/// The number of resources of a quota that a scope of `SCOPES` does not limit.
fn misapplied_count(spec: &At<'_>, scope: &str) -> usize {
    let is_valid = |resource: &str| match scope {
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => {
            matches!(resource, "persistentvolumeclaims" | "requests.storage")
        }
        _ => resource == "pods" || COMPUTE.contains(&resource),
    };
    let is_counted = |resource: &str| {
        let is_page =
            resource.starts_with("hugepages-") || resource.starts_with("requests.hugepages-");
        is_page || (is_standard(resource) && resource != "storage")
    };
    let hard = spec.field("hard");
    hard.entries().filter(|(name, _)| is_counted(name) && !is_valid(name)).count()
}

fn check_opposites(names: &[&str], at: &At<'_>, formatted: &str, errs: &mut FieldErrors<'_, '_>) {
    for pair in OPPOSITES {
        if pair.iter().all(|name| names.contains(name)) {
            errs.invalid_as(at, formatted, "conflicting scopes");
        }
    }
}

/// Checks the selector; the API leaves the numbers of its requirements out of paths.
fn check_selector(
    spec: &At<'_>,
    counts: &[(&str, usize)],
    scopes: &str,
    errs: &mut FieldErrors<'_, '_>,
) {
    let selector = spec.field("scopeSelector");
    let list = selector.field("matchExpressions");
    let release = errs.ctx.config.release;
    let mut names: Vec<&str> = Vec::new();
    for requirement in list.items() {
        let [name, operator, values] = ["scopeName", "operator", "values"]
            .map(|name| requirement.field(name).with_path(list.path().field(name)));
        let (text, verb) = (name.text_or_empty(), operator.text_or_empty());
        match counts.iter().find(|row| row.0 == text) {
            None => {
                let formatted = format_value::typed_string(text, release);
                errs.invalid_as(&name, formatted, "unsupported scope");
            }
            Some((_, count)) => {
                let formatted = || internal::format_as("ScopeSelector", &selector);
                errs.invalid_times(*count, &list, formatted, MISAPPLIED);
            }
        }
        if EXISTING.contains(&text) && verb != "Exists" {
            errs.invalid_as(&operator, format_value::typed_string(verb, release), NOT_EXISTS);
        }
        match verb {
            "In" | "NotIn" => {
                if values.is_empty() {
                    let detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
                    errs.required(&values, detail);
                }
            }
            "Exists" | "DoesNotExist" => {
                if !values.is_empty() {
                    let detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
                    errs.invalid_as(&values, format_value::tree(values.node()), detail);
                }
            }
            _ => {
                let formatted = format_value::typed_string(verb, release);
                errs.invalid_as(&operator, formatted, "not a valid selector operator");
            }
        }
        names.push(text);
    }
    check_opposites(&names, &list, scopes, errs);
}
