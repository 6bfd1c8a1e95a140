//! Files that volumes project: their paths and modes.

use super::paths::check_not_reserved;
use crate::field_errors::FieldErrors;
use ratchet_object::At;

const HIGHEST_MODE: i64 = 0o777;
const MODE: &str = "must be a number between 0 and 0777 (octal), both inclusive";

/// Checks the permissions of a file.
pub(super) fn check_mode(mode: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if mode.int().is_some_and(|number| !(0..=HIGHEST_MODE).contains(&number)) {
        errs.invalid(mode, MODE);
    }
}

/// Checks one key of a Secret or ConfigMap, and the path of its file.
pub(super) fn check_item(item: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.needs_text(&item.field("key"));
    let path = item.field("path");
    errs.needs_text(&path);
    check_not_reserved(&path, path.text_or_empty(), errs);
    check_mode(&item.field("mode"), errs);
}
