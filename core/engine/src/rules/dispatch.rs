//! Dispatch of a `FieldCheck` to the rules of its field's class, with the messages of the release.

use super::value::FieldCheck;
use super::{canonical_form, cidr_spelling, interface_address, ip_spelling, messages_before_1_33};
use crate::Verdict;
use crate::context::ValidationContext;
use crate::fields::Class;
use ratchet_object::At;

impl FieldCheck<'_> {
    /// Checks the value `at`; returns whether it passed.
    pub(crate) fn check(
        &self,
        ctx: &ValidationContext<'_>,
        at: &At<'_>,
        text: &str,
        verdict: &mut Verdict,
    ) -> bool {
        let before = verdict.errors.len();
        let is_before_1_33 = !ctx.config.release.since(33);
        let is_strict = ctx.config.strict_ip();
        match self.field.class {
            Class::LegacyAddress | Class::LegacyNetwork if self.stored.holds(text) => {}
            Class::LegacyAddress => ip_spelling::check(self, is_strict, at, text, verdict),
            Class::LegacyNetwork => cidr_spelling::check(self, is_strict, at, text, verdict),
            Class::Address if is_before_1_33 => {
                messages_before_1_33::check_address(at, text, verdict);
            }
            Class::Address => {
                ip_spelling::check(self, true, at, text, verdict);
                if verdict.errors.len() == before {
                    canonical_form::check_address(at, text, verdict);
                }
            }
            Class::Network if is_before_1_33 => {
                messages_before_1_33::check_network(at, text, verdict);
            }
            Class::Network => {
                cidr_spelling::check(self, true, at, text, verdict);
                if verdict.errors.len() == before {
                    canonical_form::check_network(at, text, verdict);
                }
            }
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

    /// Warns about a non-standard value `at`.
    pub(crate) fn warn(
        &self,
        ctx: &ValidationContext<'_>,
        at: &At<'_>,
        text: &str,
        verdict: &mut Verdict,
    ) {
        let release = ctx.config.release;
        if !self.field.warns_since.is_some_and(|since| release.since(since)) {
            return;
        }
        match self.field.class {
            Class::LegacyAddress if release.since(33) => {
                ip_spelling::warn(self, ctx, at, text, verdict);
            }
            Class::LegacyAddress => messages_before_1_33::warn_address(at, text, verdict),
            Class::LegacyNetwork if release.since(33) => {
                cidr_spelling::warn(self, ctx, at, text, verdict);
            }
            Class::LegacyNetwork => messages_before_1_33::warn_network(at, text, verdict),
            _ => {}
        }
    }
}
