//! The judgement: validation first, then what the writer is told, then the admission plugins.

use crate::scene::Scene;
use crate::{Change, Facts, Needs, Policy, Verdict, flows, pod_security, rules};

/// Judges a change. The same change, facts and policy give the same verdict behind every door.
pub fn judge(change: &Change<'_>, facts: &Facts<'_>, policy: &Policy) -> Verdict {
    let mut verdict = Verdict::default();
    let scene = Scene { change, policy };
    rules::deprecated_api::warn(&scene, &mut verdict);
    rules::metadata::check(&scene, &mut verdict);
    let rows = || flows::FLOWS.iter().filter(|flow| flow.speaks_of(change));
    for flow in rows() {
        (flow.validate)(&scene, &mut verdict);
    }
    // The API tells an invalid object's writer nothing else.
    if !verdict.problems.is_empty() {
        return verdict;
    }
    for flow in rows() {
        (flow.warn)(&scene, &mut verdict);
    }
    if policy.plugins.pod_security {
        pod_security::judge(change, facts, policy, &mut verdict);
    }
    if verdict.admits() && policy.plugins.deny_external_ips {
        rules::deny_external_ips::judge(&scene, &mut verdict);
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
