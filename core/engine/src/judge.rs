//! `judge`, the pipeline of one change: validation, then warnings, then admission plugins.

use crate::context::ValidationContext;
use crate::validation::{self, KindValidation};
use crate::{ApiConfig, Change, Facts, Needs, Verdict, pod_security, rules};
use alloc::vec::Vec;

/// Validates and admits a change. The same change, facts and policy give the same verdict behind every door.
pub fn judge(change: &Change<'_>, facts: &Facts<'_>, config: &ApiConfig) -> Verdict {
    let mut verdict = Verdict::default();
    let ctx = ValidationContext { change, config };
    rules::deprecated_api::warn(&ctx, &mut verdict);
    rules::metadata::check(&ctx, &mut verdict);
    let rows = validation::KIND_VALIDATIONS.iter().filter(|row| row.applies_to(change));
    let rows: Vec<&KindValidation> = rows.collect();
    for row in &rows {
        (row.validate)(&ctx, &mut verdict);
    }
    verdict.set_aside(&config.unenforced);
    // The API sends no further warnings for an invalid object.
    if !verdict.errors.is_empty() {
        return verdict;
    }
    for row in &rows {
        (row.warn)(&ctx, &mut verdict);
    }
    if config.plugins.pod_security {
        pod_security::judge(change, facts, config, &mut verdict);
    }
    if verdict.admits() && config.plugins.deny_external_ips {
        rules::deny_external_ips::judge(&ctx, facts.requester, &mut verdict);
    }
    verdict
}

/// The facts that `judge` needs for such a change.
pub fn needs(change: &Change<'_>, config: &ApiConfig) -> Needs {
    if config.plugins.pod_security {
        pod_security::needs(&change.kind, change.part)
    } else {
        Needs::default()
    }
}
