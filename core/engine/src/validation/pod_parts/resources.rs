//! Validation of container resources: requests and limits.

use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::{self, NameFormat};
use alloc::format;
use alloc::string::ToString;
use core::cmp::Ordering;
use ratchet_object::{At, Quantity};

/// Resources of a container that need no domain prefix.
const STANDARD: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Resources of quotas and limits that need no domain prefix.
const KNOWN: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

/// Resources that are counted in integers.
const INTEGER: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

pub(super) fn check(resources: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (limits, requests) = (resources.field("limits"), resources.field("requests"));
    let mut has_basics = false;
    let mut has_pages = false;
    for (name, at) in limits.entries().chain(requests.entries()) {
        check_name(name, &at, errs);
        check_quantity(name, &at, errs);
        has_basics |= matches!(name, "cpu" | "memory");
        has_pages |= is_page(name);
    }
    for (name, at) in requests.entries() {
        let limit = limits.key(name);
        check_pair(name, &at.with_path(*requests.path()), &limit, &limits, errs);
    }
    if has_pages && !has_basics {
        errs.forbidden(resources, "HugePages require cpu or memory");
    }
}

fn check_pair(
    name: &str,
    at: &At<'_>,
    limit: &At<'_>,
    limits: &At<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let can_overcommit = is_native(name) && !is_page(name);
    let Some(request) = Quantity::at(at) else { return };
    let Some(most) = Quantity::at(limit) else {
        if !can_overcommit {
            errs.required(limits, "Limit must be set for non overcommitable resources");
        }
        return;
    };
    let relation = match request.compare(most) {
        Ordering::Equal => return,
        _ if !can_overcommit => "equal to",
        Ordering::Greater => "less than or equal to",
        Ordering::Less => return,
    };
    let detail = format!("must be {relation} {name} limit of {most}");
    errs.invalid_as(at, quoted(&request.to_string()), detail);
}

/// Checks the name of a container resource.
fn check_name(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !name_format::is_valid(NameFormat::Qualified, name) {
        return errs.form_of(at, name, NameFormat::Qualified);
    }
    if !name.contains('/') {
        if !is_standard(name) && !is_page(name) {
            let detail = "must be a standard resource type or fully qualified";
            errs.invalid_as(at, quoted(name), detail);
        }
        if !STANDARD.contains(&name) && !is_page(name) {
            errs.invalid_as(at, quoted(name), "must be a standard resource for containers");
        }
    } else if !is_native(name) && !is_extended(name) {
        errs.invalid_as(at, quoted(name), "doesn't follow extended resource name standard");
    }
}

/// Checks that a quantity is not negative, and an integer where required.
pub(crate) fn check_quantity(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let Some(quantity) = Quantity::at(at) else { return };
    if quantity.is_negative() {
        errs.invalid_as(at, quoted(&quantity.to_string()), "must be greater than or equal to 0");
    }
    if (INTEGER.contains(&name) || is_extended(name)) && !quantity.is_whole() {
        errs.invalid_as(at, quoted(&quantity.to_string()), "must be an integer");
    }
}

/// Whether a resource of quotas and limits needs no domain prefix.
pub(crate) fn is_standard(name: &str) -> bool {
    KNOWN.contains(&name)
}

fn is_page(name: &str) -> bool {
    name.starts_with("hugepages-") || name.starts_with("requests.hugepages-")
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && name_format::is_valid(NameFormat::Qualified, &format!("requests.{name}"))
}
