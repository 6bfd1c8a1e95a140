//! The judgement: validation first, then what the writer is told, then the admission plugins.

use crate::context::ValidationContext;
use crate::{Change, Facts, Needs, Policy, Verdict, pod_security, rules, validation};

/// Judges a change. The same change, facts and policy give the same verdict behind every door.
pub fn judge(change: &Change<'_>, facts: &Facts<'_>, policy: &Policy) -> Verdict {
    let mut verdict = Verdict::default();
    let ctx = ValidationContext { change, policy };
    rules::deprecated_api::warn(&ctx, &mut verdict);
    rules::metadata::check(&ctx, &mut verdict);
    let rows = || validation::KIND_VALIDATIONS.iter().filter(|row| row.speaks_of(change));
    for row in rows() {
        (row.validate)(&ctx, &mut verdict);
    }
    // The API tells an invalid object's writer nothing else.
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

/// What `judge` will want to know about the world for such a change.
pub fn needs(change: &Change<'_>, policy: &Policy) -> Needs {
    if policy.plugins.pod_security {
        pod_security::needs(&change.kind, change.part)
    } else {
        Needs::default()
    }
}
