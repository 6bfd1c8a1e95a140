//! `judge`, the pipeline of one change: validation, then warnings, then admission plugins.

use crate::context::ValidationContext;
use crate::{Change, Facts, Needs, Policy, Verdict, pod_security, rules, validation};

/// Validates and admits a change. The same change, facts and policy give the same verdict behind every door.
pub fn judge(change: &Change<'_>, facts: &Facts<'_>, policy: &Policy) -> Verdict {
    let mut verdict = Verdict::default();
    let ctx = ValidationContext { change, policy };
    rules::deprecated_api::warn(&ctx, &mut verdict);
    rules::metadata::check(&ctx, &mut verdict);
    let rows = || validation::KIND_VALIDATIONS.iter().filter(|row| row.applies_to(change));
    for row in rows() {
        (row.validate)(&ctx, &mut verdict);
    }
    // The API sends no further warnings for an invalid object.
    if !verdict.problems.is_empty() {
        return verdict;
    }
    for row in rows() {
        (row.warn)(&ctx, &mut verdict);
    }
    if policy.plugins.pod_security {
        pod_security::judge(change, facts, policy, &mut verdict);
    }
    if verdict.admits() && policy.plugins.deny_external_ips {
        rules::deny_external_ips::judge(&ctx, &mut verdict);
    }
    verdict
}

/// The facts that `judge` needs for such a change.
pub fn needs(change: &Change<'_>, policy: &Policy) -> Needs {
    if policy.plugins.pod_security {
        pod_security::needs(&change.kind, change.part)
    } else {
        Needs::default()
    }
}
