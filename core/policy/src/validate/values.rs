//! Values of fields: a choice of a few, and their quoted form in errors.

use alloc::format;
use alloc::string::String;
use ratchet_engine::field_validation::{FieldErrors, format_string};
use ratchet_net::Quoted;
use ratchet_object::At;

/// Checks that a field has one of a few values, also where it is empty.
pub(super) fn check_enum(at: &At<'_>, supported: &[&str], errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    if !supported.contains(&text) {
        errs.unsupported(at, format_string(text, errs.ctx.config.release), supported);
    }
}

/// A text in quotes, as Go formats it.
pub(super) fn quoted(text: &str) -> String {
    format!("{}", Quoted(text))
}
