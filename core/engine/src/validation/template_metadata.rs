//! Validation of the metadata of objects that are made from a template: labels and annotations are all that it has.

use crate::field_errors::FieldErrors;
use crate::rules::{labels, metadata};
use ratchet_object::At;

pub(super) fn check(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    metadata::check_annotations(&at.field("annotations"), errs.verdict);
    labels::check_map(&at.field("labels"), errs.verdict);
    for (name, _) in at.entries() {
        let member = at.field(name);
        if !matches!(name, "annotations" | "labels") && !member.is_zero() {
            errs.forbidden(&member, "cannot be set");
        }
    }
}
