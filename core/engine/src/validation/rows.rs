//! Table-driven validation of simple fields, one row per field and check.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use ratchet_object::At;

/// The check of a row.
#[derive(Clone, Copy)]
enum Check {
    /// The string is not empty; the detail message.
    Required(&'static str),
    /// One of these values, if set.
    OneOf(&'static [&'static str]),
    /// Not negative.
    Count,
    /// Greater than zero, if set; the detail message.
    Positive(&'static str),
    /// A name format, if set.
    NameFormat(NameFormat),
    /// Immutable; an unset field has this default.
    Immutable(&'static str),
}

/// A field: group and kind, its path (`[]` after a list), and its check.
struct Row {
    group: &'static str,
    kind: &'static str,
    path: &'static [&'static str],
    check: Check,
}

const fn row(
    group: &'static str,
    kind: &'static str,
    path: &'static [&'static str],
    check: Check,
) -> Row {
    Row { group, kind, path, check }
}

const STORAGE: &str = "storage.k8s.io";
const NETWORKING: &str = "networking.k8s.io";
const LEASES: &str = "coordination.k8s.io";
const RECLAIM: &[&str] = &["Delete", "Retain"];
const BINDING: &[&str] = &["Immediate", "WaitForFirstConsumer"];
const PREEMPTION: &[&str] = &["PreemptLowerPriority", "Never"];
const EVICTION: &[&str] = &["AlwaysAllow", "IfHealthyBudget"];

static ROWS: &[Row] = &[
    row("", "Secret", &["type"], Check::Immutable("Opaque")),
    row(STORAGE, "StorageClass", &["provisioner"], Check::Required("")),
    row(STORAGE, "StorageClass", &["provisioner"], Check::NameFormat(NameFormat::Qualified)),
    row(STORAGE, "StorageClass", &["provisioner"], Check::Immutable("")),
    row(STORAGE, "StorageClass", &["parameters"], Check::Immutable("")),
    row(STORAGE, "StorageClass", &["reclaimPolicy"], Check::OneOf(RECLAIM)),
    row(STORAGE, "StorageClass", &["reclaimPolicy"], Check::Immutable("Delete")),
    row(STORAGE, "StorageClass", &["volumeBindingMode"], Check::OneOf(BINDING)),
    row(STORAGE, "StorageClass", &["volumeBindingMode"], Check::Immutable("Immediate")),
    row("scheduling.k8s.io", "PriorityClass", &["preemptionPolicy"], Check::OneOf(PREEMPTION)),
    row(
        "scheduling.k8s.io",
        "PriorityClass",
        &["preemptionPolicy"],
        Check::Immutable("PreemptLowerPriority"),
    ),
    row(
        "policy",
        "PodDisruptionBudget",
        &["spec", "unhealthyPodEvictionPolicy"],
        Check::OneOf(EVICTION),
    ),
    row(
        LEASES,
        "Lease",
        &["spec", "leaseDurationSeconds"],
        Check::Positive("must be greater than 0"),
    ),
    row(LEASES, "Lease", &["spec", "leaseTransitions"], Check::Count),
    row(
        NETWORKING,
        "Ingress",
        &["spec", "ingressClassName"],
        Check::NameFormat(NameFormat::Subdomain),
    ),
    row(NETWORKING, "IngressClass", &["spec", "controller"], Check::Immutable("")),
    row("node.k8s.io", "RuntimeClass", &["handler"], Check::NameFormat(NameFormat::Label)),
    row("node.k8s.io", "RuntimeClass", &["handler"], Check::Immutable("")),
];

/// Checks every row of the kind.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let kind = ctx.change.kind;
    let (root, old) = (ctx.change.new_root(), ctx.change.old_root());
    let mut errs = FieldErrors::new(ctx, verdict);
    for row in ROWS.iter().filter(|row| row.kind == kind.name && row.group == kind.group) {
        walk(&root, old, row.path, row.check, &mut errs);
    }
}

fn walk(
    at: &At<'_>,
    old: Option<At<'_>>,
    path: &'static [&'static str],
    check: Check,
    errs: &mut FieldErrors<'_, '_>,
) {
    let Some((step, rest)) = path.split_first() else { return apply(at, old, check, errs) };
    match step.strip_suffix("[]") {
        Some(list) => {
            for item in at.field(list).items() {
                walk(&item, None, rest, check, errs);
            }
        }
        None => walk(&at.field(step), old.map(|old| old.field(step)), rest, check, errs),
    }
}

fn apply(at: &At<'_>, old: Option<At<'_>>, check: Check, errs: &mut FieldErrors<'_, '_>) {
    match check {
        Check::Required(detail) => {
            if at.text_or_empty().is_empty() {
                errs.required(at, detail);
            }
        }
        Check::OneOf(values) => errs.one_of(at, values),
        Check::Count => errs.not_negative(at),
        Check::Positive(detail) => {
            if at.int().is_some_and(|number| number <= 0) {
                errs.invalid(at, detail);
            }
        }
        Check::NameFormat(NameFormat::Qualified) => {
            let lower = at.text_or_empty().to_ascii_lowercase();
            if !lower.is_empty() {
                errs.form_of(at, &lower, NameFormat::Qualified);
            }
        }
        Check::NameFormat(format) => errs.form_if_set(at, format),
        Check::Immutable(default) => {
            let Some(old) = old else { return };
            // Unset on one side, it has the default there.
            let is_default = |one: &At<'_>, other: &At<'_>| {
                !default.is_empty() && !one.is_set() && other.text_or_empty() == default
            };
            let is_unchanged = at.equals(&old) || is_default(at, &old) || is_default(&old, at);
            if !is_unchanged {
                immutable::changed(at, format_node(at.node()), errs.verdict);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ROWS;
    use ratchet_object::schema;

    #[test]
    fn every_row_is_about_a_kind_that_exists() {
        for row in ROWS {
            let exists =
                schema::KINDS.iter().any(|kind| kind.group == row.group && kind.kind == row.kind);
            assert!(exists, "{}/{}", row.group, row.kind);
        }
    }
}
