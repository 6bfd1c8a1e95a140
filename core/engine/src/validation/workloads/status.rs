//! Validation of the counts in a workload's status: not negative, and no part above the total.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use alloc::string::ToString;
use ratchet_object::At;

/// The kind, the counts of its status, and which of them are part of `replicas`.
const ROWS: [(&str, &[&str], &[&str]); 5] = [
    (
        "Deployment",
        &["updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"],
        &["updatedReplicas", "readyReplicas", "availableReplicas"],
    ),
    (
        "ReplicaSet",
        &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
        &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    ),
    (
        "ReplicationController",
        &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
        &["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    ),
    (
        "StatefulSet",
        &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
        &["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
    ),
    (
        "DaemonSet",
        &[
            "currentNumberScheduled",
            "numberMisscheduled",
            "desiredNumberScheduled",
            "numberReady",
            "updatedNumberScheduled",
            "numberAvailable",
            "numberUnavailable",
        ],
        &[],
    ),
];

const SHARED: [&str; 4] =
    ["replicas", "observedGeneration", "collisionCount", "terminatingReplicas"];

pub(crate) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let kind = ctx.change.kind.name;
    let status = ctx.change.new_root().field("status");
    let mut errs = FieldErrors::new(ctx, verdict);
    let Some((_, counts, parts)) = ROWS.iter().find(|row| row.0 == kind) else { return };
    for name in SHARED.iter().chain(counts.iter()) {
        errs.not_negative(&status.field(name));
    }
    let count = |name: &'static str| status.field(name).int().unwrap_or_default();
    for name in parts.iter() {
        if count(name) > count("replicas") {
            let detail = "cannot be greater than status.replicas";
            errs.invalid_as(&status.field(name), count(name).to_string(), detail);
        }
    }
    if !parts.is_empty() && count("availableReplicas") > count("readyReplicas") {
        let detail = match kind {
            "StatefulSet" => "cannot be greater than status.readyReplicas",
            _ => "cannot be greater than readyReplicas",
        };
        let formatted = count("availableReplicas").to_string();
        errs.invalid_as(&status.field("availableReplicas"), formatted, detail);
    }
    let old = ctx.change.old_root().map(|old| old.field("status"));
    check_collisions(&status, old, &mut errs);
}

/// Checks that `collisionCount` does not decrease.
fn check_collisions(status: &At<'_>, old: Option<At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    let count = status.field("collisionCount");
    let before = old.and_then(|old| old.field("collisionCount").int());
    let now = count.int().unwrap_or_default();
    if before.is_some_and(|before| now < before) {
        errs.invalid_as(&count, alloc::format!("{now}"), "cannot be decremented");
    }
}
