//! Validation of the anchors of ClusterTrustBundles: PEM blocks of certificates of authorities, each once.

use ratchet_certificate::trust_anchor_faults;
use ratchet_engine::field_validation::{FieldErrors, ValidationContext};
use ratchet_engine::{ApiConfig, Change, Verdict};

const LONGEST: usize = 1024 * 1024;
const OMITTED: &str = "\"<value omitted>\"";
/// The rule about immutable fields: the reference checks that the signer is kept after the anchors.
const IMMUTABLE: &str = "RTC-API-002";

/// Adds errors in `spec.trustBundle` of a bundle that is new or changed.
pub(super) fn check(change: &Change<'_>, config: &ApiConfig, verdict: &mut Verdict) {
    if (change.kind.group, change.kind.name) != ("certificates.k8s.io", "ClusterTrustBundle") {
        return;
    }
    let at = change.new_root().descend(&["spec", "trustBundle"]);
    let old = change.old_root().map(|old| old.descend(&["spec", "trustBundle"]));
    let text = at.text_or_empty();
    if old.is_some_and(|old| old.text_or_empty() == text) {
        return;
    }
    let ctx = ValidationContext { change, config };
    let mut own = Verdict::default();
    let mut errs = FieldErrors::new(&ctx, &mut own);
    match text.len() > LONGEST {
        true => errs.too_long(&at, LONGEST),
        false => trust_anchor_faults(text)
            .into_iter()
            .for_each(|fault| errs.invalid_as(&at, OMITTED, fault)),
    }
    let before = verdict.errors.iter().position(|error| error.rule.id == IMMUTABLE);
    let place = before.unwrap_or(verdict.errors.len());
    verdict.errors.splice(place..place, own.errors);
}
