//! Table-driven validation of simple fields, one row per field and check.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node};
use crate::rules::immutable;
use ratchet_object::At;

/// The check of a row.
#[derive(Clone, Copy)]
enum Check {
    /// One of these values, if set.
    OneOf(&'static [&'static str]),
    /// Not negative.
    Count,
    /// Greater than zero, if set; the detail message.
    Positive(&'static str),
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

const LEASES: &str = "coordination.k8s.io";
const EVICTION: &[&str] = &["AlwaysAllow", "IfHealthyBudget"];

static ROWS: &[Row] = &[
    row("", "Secret", &["type"], Check::Immutable("Opaque")),
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
        Check::OneOf(values) => errs.one_of(at, values),
        Check::Count => errs.not_negative(at),
        Check::Positive(detail) => {
            if at.int().is_some_and(|number| number <= 0) {
                errs.invalid(at, detail);
            }
        }
        Check::Immutable(default) => {
            let Some(old) = old else { return };
            // Unset on one side, it has the default there.
            let is_default =
                |one: &At<'_>, other: &At<'_>| !one.is_set() && other.text_or_empty() == default;
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
