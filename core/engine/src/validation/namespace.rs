//! Validation of Namespaces: the finalizers of a new one, and the phase.

use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::metadata::STANDARD_FINALIZERS;
use crate::{Verdict, format_value};

/// Checks the finalizers of a new namespace; later, only its `finalize` subresource changes them.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    if !ctx.change.is_create() {
        return;
    }
    let finalizers = ctx.change.new_root().field("spec").field("finalizers");
    let mut errs = FieldErrors::new(ctx, verdict);
    for text in finalizers.items().map(|at| at.text_or_empty()) {
        errs.form_of(&finalizers, text, NameFormat::Qualified);
        if !text.contains('/') && !STANDARD_FINALIZERS.contains(&text) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errs.invalid_as(&finalizers, quoted(text), detail);
        }
    }
}

/// Checks that the phase of a namespace agrees with its `deletionTimestamp`.
pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let phase = root.field("status").field("phase");
    let is_deleting = root.field("metadata").field("deletionTimestamp").is_set();
    let (expected, detail) = match is_deleting {
        false => ("Active", "may only be 'Active' if `deletionTimestamp` is empty"),
        true => ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty"),
    };
    if !matches!(phase.text_or_empty(), text if text.is_empty() || text == expected) {
        let formatted = format_value::typed_string(phase.text_or_empty(), ctx.config.release);
        let at = phase.with_path(root.path().field("status").field("Phase"));
        FieldErrors::new(ctx, verdict).invalid_as(&at, formatted, detail);
    }
}
