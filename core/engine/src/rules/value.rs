//! `FieldCheck`: a field of addresses or CIDRs, with the stored values that may stay.

use crate::context::ValidationContext;
use crate::fields::Field;
use crate::{Difference, StoredValues};

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

    /// The difference by which a bad value freezes the object once it is stored.
    pub(crate) fn frozen_by(&self, ctx: &ValidationContext<'_>) -> Option<&'static Difference> {
        self.field.frozen_by.filter(|row| !ctx.config.follows_proposal(row))
    }
}
