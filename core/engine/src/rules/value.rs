//! One value of one field: which rule reads it is in the field's row.

use super::{canonical_form, cidr_spelling, interface_address, ip_spelling};
use crate::fields::{Class, Field};
use crate::scene::Scene;
use crate::{Difference, Kept, Verdict};
use ratchet_object::At;

/// What decides about one value beside its text.
pub(crate) struct Reading<'a> {
    /// The field's row.
    pub(crate) field: &'static Field,
    /// What the stored object holds already.
    pub(crate) kept: &'a Kept<'a>,
    /// What it holds by the proposal where the release forgets it, and the difference to name.
    pub(crate) forgotten: Option<(&'a Kept<'a>, &'static Difference)>,
}

impl<'a> Reading<'a> {
    /// A field of which nothing is kept.
    pub(crate) fn fresh(field: &'static Field) -> Reading<'static> {
        const NOTHING: &Kept<'static> = &Kept::NOTHING;
        Reading { field, kept: NOTHING, forgotten: None }
    }

    /// A field that keeps what is stored, unless the release forgets it and decides.
    pub(crate) fn keeping(scene: &Scene<'_>, field: &'static Field, stored: &'a Kept<'a>) -> Self {
        match field.frozen_by.filter(|row| !scene.policy.follows_proposal(row)) {
            None => Self { field, kept: stored, forgotten: None },
            Some(row) => Self { forgotten: Some((stored, row)), ..Reading::fresh(field) },
        }
    }

    /// The difference that a refusal of `text` comes from, if one does.
    pub(crate) fn difference(&self, text: &str) -> Option<&'static Difference> {
        self.forgotten.filter(|(kept, _)| kept.holds(text)).map(|(_, difference)| difference)
    }

    /// Checks the value `at`; says whether it passed.
    pub(crate) fn check(
        &self,
        scene: &Scene<'_>,
        at: &At<'_>,
        text: &str,
        verdict: &mut Verdict,
    ) -> bool {
        let before = verdict.problems.len();
        match self.field.class {
            Class::LegacyAddress => ip_spelling::check(self, scene, at, text, verdict),
            Class::LegacyNetwork => cidr_spelling::check(self, scene, at, text, verdict),
            Class::Address => canonical_form::check_address(self, scene, at, text, verdict),
            Class::Network => canonical_form::check_network(self, scene, at, text, verdict),
            Class::InterfaceAddress => interface_address::check(scene, at, text, verdict),
            Class::Follows(_) => {}
        }
        verdict.problems.len() == before
    }

    /// Checks the values of a list, each by itself: a new bad value does not make those worse that may stay.
    pub(crate) fn check_all<'v>(
        &self,
        scene: &Scene<'_>,
        values: impl Iterator<Item = At<'v>>,
        verdict: &mut Verdict,
    ) {
        for at in values {
            self.check(scene, &at, at.text_or_empty(), verdict);
        }
    }

    /// What storing a bad value leads to where the release forgets the ratchet.
    pub(crate) fn later(&self, scene: &Scene<'_>) -> Option<&'static Difference> {
        self.field.frozen_by.filter(|row| !scene.policy.follows_proposal(row))
    }

    /// Tells what is odd about the value `at`.
    pub(crate) fn warn(&self, scene: &Scene<'_>, at: &At<'_>, text: &str, verdict: &mut Verdict) {
        let speaks = self.field.warns_since.is_some_and(|since| scene.policy.release.since(since));
        match self.field.class {
            Class::LegacyAddress if speaks => ip_spelling::warn(self, scene, at, text, verdict),
            Class::LegacyNetwork if speaks => cidr_spelling::warn(self, scene, at, text, verdict),
            _ => {}
        }
    }
}
