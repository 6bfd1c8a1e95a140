//! Validation of ClusterTrustBundles: their signer.
//!
//! Who has a parser of certificates checks the anchors.

use super::signing_request;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::rules::immutable;

/// Validates a ClusterTrustBundle.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let signer = ctx.change.new_root().descend(&["spec", "signerName"]);
    let mut errs = FieldErrors::new(ctx, verdict);
    if !signer.text_or_empty().is_empty() {
        signing_request::check_signer(&signer, &mut errs);
    }
    let old = ctx.change.old_root().map(|old| old.descend(&["spec", "signerName"]));
    if old.is_some_and(|old| old.text_or_empty() != signer.text_or_empty()) {
        immutable::changed(&signer, quoted(signer.text_or_empty()), errs.verdict);
    }
}
