//! Validation of a policy's status: warnings that name a field, and conditions.

use super::values::{check_enum, quoted};
use alloc::collections::BTreeSet;
use ratchet_engine::field_validation::{FieldErrors, NameFormat};
use ratchet_object::At;

const MAX_REASON_LEN: usize = 1024;
const MAX_MESSAGE_LEN: usize = 32 * 1024;
const REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/// The status of a policy.
pub(super) fn check(status: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for warning in status.descend(&["typeChecking", "expressionWarnings"]).items() {
        errs.needs_text(&warning.field("warning"));
        let field_ref = warning.field("fieldRef");
        if field_ref.text_or_empty().trim().is_empty() {
            errs.required(&field_ref, "");
        }
    }
    let mut types: BTreeSet<&str> = BTreeSet::new();
    for condition in status.field("conditions").items() {
        let kind = condition.field("type");
        let text = kind.text_or_empty();
        if !types.insert(text) {
            errs.duplicate(&kind, quoted(text));
        }
        check_condition(&condition, errs);
    }
}

fn check_condition(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.form(&at.field("type"), NameFormat::Qualified);
    check_enum(&at.field("status"), &["False", "True", "Unknown"], errs);
    let generation = at.field("observedGeneration");
    if generation.int().is_some_and(|number| number < 0) {
        errs.invalid(&generation, "must be greater than or equal to zero");
    }
    let time = at.field("lastTransitionTime");
    if time.text_or_empty().is_empty() {
        errs.required(&time, "");
    }
    let reason = at.field("reason");
    if errs.needs_text(&reason) {
        let text = reason.text_or_empty();
        if !is_reason(text) {
            errs.invalid(&reason, REASON);
        }
        if text.len() > MAX_REASON_LEN {
            errs.too_long(&reason, MAX_REASON_LEN);
        }
    }
    let message = at.field("message");
    if message.text_or_empty().len() > MAX_MESSAGE_LEN {
        errs.too_long(&message, MAX_MESSAGE_LEN);
    }
}

fn is_reason(text: &str) -> bool {
    let is_end = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && text.bytes().last().is_some_and(is_end)
        && text.bytes().all(|byte| is_end(byte) || matches!(byte, b',' | b':'))
}
