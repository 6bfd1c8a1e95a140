//! Validation of conditions of the common type `metav1.Condition`.

use super::declared::format_members;
use crate::field_errors::{FieldErrors, quoted};
use crate::format_value;
use crate::name_format::NameFormat;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const LONGEST_REASON: usize = 1024;
const LONGEST_MESSAGE: usize = 32 * 1024;
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];
const REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
/// The members of a condition in the order of the Go type, and whether each is there if it is not set.
pub(super) const MEMBERS: &[(&str, bool)] = &[
    ("type", true),
    ("status", true),
    ("observedGeneration", false),
    ("lastTransitionTime", true),
    ("reason", true),
    ("message", true),
];
/// Go's zero time, which is an unset one.
const ZERO_TIME: &str = "0001-01-01T00:00:00Z";

/// Checks a list of conditions, each of another type.
pub(super) fn check(conditions: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for condition in conditions.items() {
        let kind = condition.field("type");
        if !seen.insert(kind.text_or_empty()) {
            errs.duplicate(&kind, quoted(kind.text_or_empty()));
        }
        check_one(&condition, errs);
    }
}

/// Whether the first condition of a type is true.
pub(super) fn is_true(conditions: &At<'_>, kind: &str) -> bool {
    let mut all = conditions.items();
    let found = all.find(|condition| condition.field("type").text_or_empty() == kind);
    found.is_some_and(|condition| condition.field("status").text_or_empty() == "True")
}

/// A list of conditions as errors have it.
pub(super) fn format(conditions: &At<'_>) -> String {
    if !conditions.is_set() {
        return "null".into();
    }
    let formatted: Vec<String> =
        conditions.items().map(|condition| format_members(&condition, MEMBERS)).collect();
    format!("[{}]", formatted.join(","))
}

fn check_one(condition: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.form(&condition.field("type"), NameFormat::Qualified);
    let status = condition.field("status");
    if !STATUSES.contains(&status.text_or_empty()) {
        let release = errs.ctx.config.release;
        let formatted = format_value::typed_string(status.text_or_empty(), release);
        errs.unsupported(&status, formatted, &STATUSES);
    }
    let generation = condition.field("observedGeneration");
    if generation.int().is_some_and(|number| number < 0) {
        errs.invalid(&generation, "must be greater than or equal to zero");
    }
    let time = condition.field("lastTransitionTime");
    if matches!(time.text_or_empty(), "" | ZERO_TIME) {
        errs.required(&time, "");
    }
    let reason = condition.field("reason");
    if errs.needs_text(&reason) {
        if !is_reason(reason.text_or_empty()) {
            errs.invalid(&reason, REASON);
        }
        if reason.text_or_empty().len() > LONGEST_REASON {
            errs.too_long(&reason, LONGEST_REASON);
        }
    }
    let message = condition.field("message");
    if message.text_or_empty().len() > LONGEST_MESSAGE {
        errs.too_long(&message, LONGEST_MESSAGE);
    }
}

fn is_reason(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b',' | b':');
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(is_part)
        && !text.ends_with([',', ':'])
}

#[cfg(test)]
mod tests {
    use super::is_reason;

    #[test]
    fn reasons_begin_with_a_letter_and_end_with_a_word() {
        for text in ["A", "my_name", "ReasonA,ReasonB", "ReasonA:ReasonB", "a_"] {
            assert!(is_reason(text), "{text}");
        }
        for text in ["", "_a", "1", "a,", "a:", "a b", "a-b", "ä"] {
            assert!(!is_reason(text), "{text}");
        }
    }
}
