//! What a container asks for and what it may use at most.

use crate::field_errors::{FieldErrors, quoted};
use crate::forms::{self, NameFormat};
use crate::quantity::Quantity;
use alloc::format;
use core::cmp::Ordering;
use ratchet_object::At;

/// What a container can ask for without naming whose it is.
const STANDARD: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// What quotas and limits can name without naming whose it is.
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

/// What comes in whole pieces.
const WHOLE: [&str; 9] = [
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
        check_pair(name, &at.named(*requests.path()), &limit, &limits, errs);
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
    let Some(asked) = Quantity::at(at) else { return };
    let Some(most) = Quantity::at(limit) else {
        if !can_overcommit {
            errs.required(limits, "Limit must be set for non overcommitable resources");
        }
        return;
    };
    let order = asked.partial_cmp(&most);
    let must = match order {
        Some(Ordering::Equal) => return,
        _ if !can_overcommit => "equal to",
        Some(Ordering::Greater) => "less than or equal to",
        _ => return,
    };
    let detail = format!("must be {must} {name} limit of {}", most.shown());
    errs.invalid_as(at, quoted(&asked.shown()), detail);
}

/// The name of what a container asks for.
fn check_name(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !forms::fits(NameFormat::Qualified, name) {
        return errs.form_of(at, name, NameFormat::Qualified);
    }
    if !name.contains('/') {
        if !KNOWN.contains(&name) && !is_page(name) {
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

/// How much of it: not less than nothing, and whole where it comes in pieces.
pub(crate) fn check_quantity(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let Some(quantity) = Quantity::at(at) else { return };
    if quantity.sign() == Ordering::Less {
        errs.invalid_as(at, quoted(&quantity.shown()), "must be greater than or equal to 0");
    }
    if (WHOLE.contains(&name) || is_extended(name)) && !quantity.is_whole() {
        errs.invalid_as(at, quoted(&quantity.shown()), "must be an integer");
    }
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
        && forms::fits(NameFormat::Qualified, &format!("requests.{name}"))
}
