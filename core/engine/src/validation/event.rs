//! Validation of Events.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;

/// Checks that an event is in the namespace of its involved object.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let namespace = root.field("metadata").field("namespace").text_or_empty();
    let involved = root.field("involvedObject").field("namespace");
    let has_time = !root.field("eventTime").text_or_empty().is_empty();
    // Without a namespace there is nothing to compare with.
    if namespace.is_empty() || !ctx.change.is_create() {
        return;
    }
    let is_consistent = match (involved.text_or_empty(), has_time) {
        ("", false) => namespace == "default",
        ("", true) => matches!(namespace, "default" | "kube-system"),
        (text, false) => text == namespace,
        (_, true) => true,
    };
    if !is_consistent {
        let formatted = crate::field_errors::quoted(involved.text_or_empty());
        let mut errs = FieldErrors::new(ctx, verdict);
        errs.invalid_as(&involved, formatted, "does not match event.namespace");
    }
}
