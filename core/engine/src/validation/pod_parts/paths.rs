//! Validation of file paths that must stay below a directory.

use crate::field_errors::{FieldErrors, quoted};
use ratchet_object::At;

/// Checks that a path is relative and has no `..`.
pub(super) fn check_descending(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if text.starts_with('/') {
        errs.invalid_as(at, quoted(text), "must be a relative path");
    }
    check_no_backsteps(at, text, errs);
}

/// Checks that a path has no `..`.
pub(super) fn check_no_backsteps(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if text.split('/').any(|step| step == "..") {
        errs.invalid_as(at, quoted(text), "must not contain '..'");
    }
}

/// Checks that a path is relative, has no `..`, and does not begin with it: such names belong to the kubelet.
pub(super) fn check_not_reserved(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    check_descending(at, text, errs);
    if text.starts_with("..") && !text.starts_with("../") {
        errs.invalid_as(at, quoted(text), "must not start with '..'");
    }
}
