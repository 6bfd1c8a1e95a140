//! Errors in the stored template of a StatefulSet, and their effect on the validation of the new one.

use super::super::pod_parts::PodValidationOptions;
use super::super::pod_spec;
use crate::context::ValidationContext;
use crate::difference::UNCHECKED_STATEFUL_SETS;
use crate::{ApiConfig, Behavior, Cause, FieldError, Verdict};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use ratchet_object::At;

/// The validation errors of a stored template.
#[derive(Default)]
pub(super) struct StoredTemplateErrors {
    /// Whether the new template is not validated, as in the release.
    pub(super) skips_validation: bool,
    /// Whether the release would not validate it.
    is_unchecked: bool,
    /// Errors of stored values, which may stay.
    errors: Vec<FieldError>,
}

impl StoredTemplateErrors {
    /// Validates a stored template against itself, so that its own DNS searches relax their validation.
    pub(super) fn of(
        ctx: &ValidationContext<'_>,
        old: &At<'_>,
        options: PodValidationOptions<'_>,
    ) -> Self {
        let errors = |behavior| {
            let config = ApiConfig { behavior, ..ctx.config.clone() };
            let mut verdict = Verdict::default();
            let ctx = &ValidationContext { config: &config, ..*ctx };
            pod_spec::validate(ctx, old, Some(old), options, &mut verdict);
            verdict.errors
        };
        // The release does not let stored values stay, which `Behavior::Released` reproduces.
        let is_unchecked = !errors(Behavior::Released).is_empty();
        if !is_unchecked || !ctx.config.follows_proposal(&UNCHECKED_STATEFUL_SETS) {
            return Self { skips_validation: is_unchecked, is_unchecked, errors: Vec::new() };
        }
        Self { skips_validation: false, is_unchecked, errors: errors(Behavior::Proposal) }
    }

    /// Removes errors of stored values from `start` on; the remaining ones are new, and the release would have admitted
    /// them.
    pub(super) fn exempt(&self, verdict: &mut Verdict, start: usize) {
        // Unlisted errors cannot be compared with the stored ones, and might be new.
        if self.skips_validation || !self.is_unchecked || verdict.unlisted > 0 {
            return;
        }
        let found = verdict.errors.split_off(start.min(verdict.errors.len()));
        let stored: BTreeSet<_> = self.errors.iter().map(identity).collect();
        for mut error in found.into_iter().filter(|error| !stored.contains(&identity(error))) {
            error.difference.get_or_insert(&UNCHECKED_STATEFUL_SETS);
            verdict.errors.push(error);
        }
    }
}

/// What two errors share that are the same: of the same value at the same field.
fn identity(error: &FieldError) -> (&str, Cause, &str, Option<&str>, &str) {
    (error.rule.id, error.cause, &error.field, error.value.as_deref(), &error.detail)
}
