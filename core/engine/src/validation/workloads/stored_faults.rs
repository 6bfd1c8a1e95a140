//! What is wrong with the stored template of a StatefulSet, and what that means for a new one.

use super::super::pod_parts::Place;
use super::super::pod_spec;
use crate::context::ValidationContext;
use crate::difference::UNCHECKED_STATEFUL_SETS;
use crate::{Behavior, FieldError, Policy, Verdict};
use alloc::vec::Vec;
use ratchet_object::At;

/// The faults of a stored template.
#[derive(Default)]
pub(super) struct Faults {
    /// Whether the new template is not looked at, as in the release.
    pub(super) skips: bool,
    /// Whether the release would not look at it.
    is_unchecked: bool,
    /// What is stored already, and may stay.
    stored: Vec<FieldError>,
}

impl Faults {
    /// Looks at a stored template by itself, its own searches having loosened the reading.
    pub(super) fn stored(ctx: &ValidationContext<'_>, old: &At<'_>, place: Place<'_>) -> Self {
        let problems = |behavior| {
            let policy = Policy { behavior, ..ctx.policy.clone() };
            let mut alone = Verdict::default();
            let ctx = &ValidationContext { policy: &policy, ..*ctx };
            pod_spec::validate(ctx, old, Some(old), place, &mut alone);
            alone.problems
        };
        // The release forgets that what is stored may stay: this is its way to look at it.
        let is_unchecked = !problems(Behavior::Released).is_empty();
        if !is_unchecked || !ctx.policy.follows_proposal(&UNCHECKED_STATEFUL_SETS) {
            return Self { skips: is_unchecked, is_unchecked, stored: Vec::new() };
        }
        Self { skips: false, is_unchecked, stored: problems(Behavior::Proposal) }
    }

    /// Takes back what was found only because it is stored, from `start` on; what is left is new, and the release
    /// would have let it in.
    pub(super) fn forgive(&self, verdict: &mut Verdict, start: usize) {
        // What was not listed cannot be told from what is stored, and might be new.
        if self.skips || !self.is_unchecked || verdict.unlisted > 0 {
            return;
        }
        let found = verdict.problems.split_off(start.min(verdict.problems.len()));
        let is_stored = |problem: &FieldError| self.stored.iter().any(|old| is_same(old, problem));
        for mut problem in found.into_iter().filter(|problem| !is_stored(problem)) {
            problem.difference.get_or_insert(&UNCHECKED_STATEFUL_SETS);
            verdict.problems.push(problem);
        }
    }
}

/// The same fault of the same value at the same place.
fn is_same(one: &FieldError, other: &FieldError) -> bool {
    one.rule == other.rule
        && one.cause == other.cause
        && one.field == other.field
        && one.value == other.value
        && one.detail == other.detail
}
