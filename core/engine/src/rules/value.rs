//! One value of one field: which rule reads it is in the field's row.

use super::{canonical_form, cidr_spelling, interface_address, ip_spelling};
use crate::context::ValidationContext;
use crate::fields::{Class, Field};
use crate::{Difference, StoredValues, Verdict};
use ratchet_object::At;

/// What decides about one value beside its text.
pub(crate) struct FieldCheck<'a> {
    /// The field's row.
    pub(crate) field: &'static Field,
    /// What the stored object holds already.
    pub(crate) kept: &'a StoredValues<'a>,
    /// What it holds by the proposal where the release forgets it, and the difference to name.
    pub(crate) forgotten: Option<(&'a StoredValues<'a>, &'static Difference)>,
}

impl<'a> FieldCheck<'a> {
    /// A field of which nothing is kept.
    pub(crate) fn fresh(field: &'static Field) -> FieldCheck<'static> {
        const NOTHING: &StoredValues<'static> = &StoredValues::NOTHING;
        FieldCheck { field, kept: NOTHING, forgotten: None }
    }

    /// A field that keeps what is stored, unless the release forgets it and decides.
    pub(crate) fn keeping(
        ctx: &ValidationContext<'_>,
        field: &'static Field,
        stored: &'a StoredValues<'a>,
    ) -> Self {
        match field.frozen_by.filter(|row| !ctx.policy.follows_proposal(row)) {
            None => Self { field, kept: stored, forgotten: None },
            Some(row) => Self { forgotten: Some((stored, row)), ..FieldCheck::fresh(field) },
        }
    }

    /// The difference that a refusal of `text` comes from, if one does.
    pub(crate) fn difference(&self, text: &str) -> Option<&'static Difference> {
        self.forgotten.filter(|(kept, _)| kept.holds(text)).map(|(_, difference)| difference)
    }

    /// Checks the value `at`; says whether it passed.
    pub(crate) fn check(
        &self,
        ctx: &ValidationContext<'_>,
        at: &At<'_>,
        text: &str,
        verdict: &mut Verdict,
    ) -> bool {
        let before = verdict.problems.len();
        match self.field.class {
            Class::LegacyAddress => ip_spelling::check(self, ctx, at, text, verdict),
            Class::LegacyNetwork => cidr_spelling::check(self, ctx, at, text, verdict),
            Class::Address => canonical_form::check_address(self, ctx, at, text, verdict),
            Class::Network => canonical_form::check_network(self, ctx, at, text, verdict),
            Class::InterfaceAddress => interface_address::check(ctx, at, text, verdict),
            Class::Follows(_) => {}
        }
        verdict.problems.len() == before
    }

    /// Checks the values of a list, each by itself: a new bad value does not make those worse that may stay.
    pub(crate) fn check_all<'v>(
        &self,
        ctx: &ValidationContext<'_>,
        values: impl Iterator<Item = At<'v>>,
        verdict: &mut Verdict,
    ) {
        for at in values {
            self.check(ctx, &at, at.text_or_empty(), verdict);
        }
    }

    /// What storing a bad value leads to where the release forgets the ratchet.
    pub(crate) fn later(&self, ctx: &ValidationContext<'_>) -> Option<&'static Difference> {
        self.field.frozen_by.filter(|row| !ctx.policy.follows_proposal(row))
    }

    /// Tells what is odd about the value `at`.
    pub(crate) fn warn(
        &self,
        ctx: &ValidationContext<'_>,
        at: &At<'_>,
        text: &str,
        verdict: &mut Verdict,
    ) {
        let speaks = self.field.warns_since.is_some_and(|since| ctx.policy.release.since(since));
        match self.field.class {
            Class::LegacyAddress if speaks => ip_spelling::warn(self, ctx, at, text, verdict),
            Class::LegacyNetwork if speaks => cidr_spelling::warn(self, ctx, at, text, verdict),
            _ => {}
        }
    }
}
