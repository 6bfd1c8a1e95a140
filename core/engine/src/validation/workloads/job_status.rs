//! Validation of the status of a Job.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use ratchet_object::Node;

/// Validates an update of the status: a Job that runs has begun once.
pub(crate) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let (root, old) = (ctx.change.new_root(), ctx.change.old_root());
    let Some(old) = old else { return };
    let (now, before) =
        (root.field("status").field("startTime"), old.field("status").field("startTime"));
    let is_suspended = root.field("spec").field("suspend").node().and_then(Node::as_bool);
    if before.is_set() && now.node() != before.node() && is_suspended != Some(true) {
        let detail = "field is immutable for unsuspended job once set";
        FieldErrors::new(ctx, verdict).invalid(&now, detail);
    }
}
