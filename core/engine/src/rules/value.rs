//! `FieldCheck`, the check of an address or CIDR by the class of its field, with the stored values that may stay.

use super::{canonical_form, cidr_spelling, interface_address, ip_spelling};
use crate::context::ValidationContext;
use crate::fields::{Class, Field};
use crate::{Difference, StoredValues, Verdict};
use ratchet_object::At;

/// A row of `FIELDS` with the stored values that exempt a value from its rule.
pub(crate) struct FieldCheck<'a> {
    /// The field's row.
    pub(crate) field: &'static Field,
    /// The stored values that may stay.
    pub(crate) stored: &'a StoredValues<'a>,
    /// The stored values that may stay by the proposal but not in the release, and that difference.
    pub(crate) frozen: Option<(&'a StoredValues<'a>, &'static Difference)>,
}

impl<'a> FieldCheck<'a> {
    /// A check in which no stored value may stay.
    pub(crate) fn without_ratchet(field: &'static Field) -> FieldCheck<'static> {
        const NOTHING: &StoredValues<'static> = &StoredValues::NOTHING;
        FieldCheck { field, stored: NOTHING, frozen: None }
    }

    /// A check in which stored values may stay, unless the release decides and does not ratchet the field.
    pub(crate) fn with_ratchet(
        ctx: &ValidationContext<'_>,
        field: &'static Field,
        stored: &'a StoredValues<'a>,
    ) -> Self {
        match field.frozen_by.filter(|row| !ctx.config.follows_proposal(row)) {
            None => Self { field, stored, frozen: None },
            Some(row) => Self { frozen: Some((stored, row)), ..FieldCheck::without_ratchet(field) },
        }
    }

    /// The difference that causes the refusal of `text`, if any.
    pub(crate) fn difference(&self, text: &str) -> Option<&'static Difference> {
        self.frozen.filter(|(stored, _)| stored.holds(text)).map(|(_, difference)| difference)
    }

    /// Checks the value `at`; returns whether it passed.
    pub(crate) fn check(
        &self,
        ctx: &ValidationContext<'_>,
        at: &At<'_>,
        text: &str,
        verdict: &mut Verdict,
    ) -> bool {
        let before = verdict.errors.len();
        match self.field.class {
            Class::LegacyAddress => ip_spelling::check(self, ctx, at, text, verdict),
            Class::LegacyNetwork => cidr_spelling::check(self, ctx, at, text, verdict),
            Class::Address => canonical_form::check_address(self, ctx, at, text, verdict),
            Class::Network => canonical_form::check_network(self, ctx, at, text, verdict),
            Class::InterfaceAddress => interface_address::check(ctx, at, text, verdict),
            Class::Follows(_) => {}
        }
        verdict.errors.len() == before
    }

    /// Checks the values of a list, each by itself: a new bad value does not affect stored ones that may stay.
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

    /// The difference by which a bad value freezes the object once it is stored.
    pub(crate) fn frozen_by(&self, ctx: &ValidationContext<'_>) -> Option<&'static Difference> {
        self.field.frozen_by.filter(|row| !ctx.config.follows_proposal(row))
    }

    /// Warns about a non-standard value `at`.
    pub(crate) fn warn(
        &self,
        ctx: &ValidationContext<'_>,
        at: &At<'_>,
        text: &str,
        verdict: &mut Verdict,
    ) {
        let warns = self.field.warns_since.is_some_and(|since| ctx.config.release.since(since));
        match self.field.class {
            Class::LegacyAddress if warns => ip_spelling::warn(self, ctx, at, text, verdict),
            Class::LegacyNetwork if warns => cidr_spelling::warn(self, ctx, at, text, verdict),
            _ => {}
        }
    }
}
