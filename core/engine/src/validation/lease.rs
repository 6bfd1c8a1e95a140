//! Validation of Leases and LeaseCandidates: how the holder of a lease is chosen, and by which versions.

use super::semantic_version::SemanticVersion;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use ratchet_object::At;

const OLDEST: &str = "OldestEmulationVersion";
const NO_VERSION: &str = "must be a valid semantic version";

/// Validates how the holder of a Lease is chosen; numbers have rows of their own.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    let (strategy, holder) = (spec.field("strategy"), spec.field("preferredHolder"));
    if strategy.is_set() {
        check_strategy(&strategy, &mut errs);
    }
    if !holder.text_or_empty().is_empty() && strategy.text_or_empty().is_empty() {
        errs.forbidden(&holder, "may only be specified if `strategy` is defined");
    }
}

/// Validates a LeaseCandidate.
pub(super) fn validate_candidate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    let lease = spec.field("leaseName");
    errs.needs_text(&lease);
    let (emulated, binary) = (spec.field("emulationVersion"), spec.field("binaryVersion"));
    let emulates = !emulated.text_or_empty().is_empty();
    let emulated_version = match emulates {
        true => check_version(&emulated, &mut errs),
        false => SemanticVersion::default(),
    };
    if errs.needs_text(&binary) {
        let version = check_version(&binary, &mut errs);
        if emulates && version < emulated_version {
            errs.invalid(&binary, "must be greater than or equal to `emulationVersion`");
        }
    }
    let strategy = spec.field("strategy");
    if errs.needs_text(&strategy) {
        if strategy.text_or_empty() == OLDEST && emulated_version == SemanticVersion::default() {
            errs.required(
                &emulated,
                "must be specified when `strategy` is 'OldestEmulationVersion'",
            );
        }
        check_strategy(&strategy, &mut errs);
    }
    let old = ctx.change.old_root().map(|old| old.descend(&["spec", "leaseName"]));
    if old.is_some_and(|old| old.text_or_empty() != lease.text_or_empty()) {
        let formatted = if lease.is_set() { format_node(lease.node()) } else { quoted("") };
        immutable::changed(&lease, formatted, errs.verdict);
    }
}

/// The version at a field; the lowest one if it cannot be read, which is reported.
fn check_version<'a>(at: &At<'a>, errs: &mut FieldErrors<'_, '_>) -> SemanticVersion<'a> {
    let version = SemanticVersion::parse(at.text_or_empty());
    if version.is_none() {
        errs.invalid(at, NO_VERSION);
    }
    version.unwrap_or_default()
}

/// Checks a strategy: one of the API's own, or a name with a domain.
fn check_strategy(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    // Errors have the name of the field twice.
    let twice = at.with_path(at.path().field("strategy"));
    match at.text_or_empty() {
        text if text.contains('/') => errs.form(&twice, NameFormat::Qualified),
        OLDEST => {}
        text => errs.unsupported(&twice, quoted(text), &[OLDEST]),
    }
}
