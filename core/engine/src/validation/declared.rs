//! Checks as the API makes them where a type declares its validation: their messages differ from those that are written by
//! hand, and what an update leaves as it was is not checked again.

use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::name_format::{self, NameFormat};
use crate::rules::{immutable, names, values};
use crate::{Cause, FieldError, format_value};
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const CASELESS: &str = r"an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LONGEST_POOL: usize = 253;

/// Whether an update leaves a value as it was.
pub(super) fn is_kept(at: &At<'_>, old: Option<&At<'_>>) -> bool {
    old.is_some_and(|old| at.equals(old))
}

/// Whether an update changes a field that is immutable, which is reported without its value.
pub(super) fn is_changed(
    name: &str,
    at: &At<'_>,
    old: Option<&At<'_>>,
    errs: &mut FieldErrors<'_, '_>,
) -> bool {
    let is_changed = old.is_some_and(|old| immutable::is_field_changed(name, at, old));
    if is_changed {
        immutable::changed(at, "null", errs.verdict);
    }
    is_changed
}

/// Checks that exactly one of the members is set.
pub(super) fn check_union(at: &At<'_>, members: &[&'static str], errs: &mut FieldErrors<'_, '_>) {
    let listed: Vec<String> = members.iter().map(|name| format!("`{name}`")).collect();
    let listed = listed.join(", ");
    let set: Vec<&str> = members.iter().copied().filter(|name| at.field(name).is_set()).collect();
    match set.len() {
        0 => errs.invalid_as(at, "\"\"", format!("must specify one of: {listed}")),
        1 => {}
        _ => {
            let formatted = quoted(&format!("{{{}}}", set.join(", ")));
            errs.invalid_as(at, formatted, format!("must specify exactly one of: {listed}"));
        }
    }
}

/// Checks that there are no more than `most` items; returns whether that is so.
pub(super) fn is_within(list: &At<'_>, most: usize, errs: &mut FieldErrors<'_, '_>) -> bool {
    let count = list.len();
    if count <= most {
        return true;
    }
    match most {
        1 => {
            let rule = &crate::rules::placement::RULE;
            let error = FieldError::new(rule, Cause::TooMany, list, "must have at most 1 item");
            errs.verdict.add_error(error.with_value(format!("{count}")));
        }
        _ => errs.too_many(list, count, most),
    }
    false
}

/// Checks that no two items have the same value of the field `key`; errors have the item with these members, in their order.
pub(super) fn check_unique(
    list: &At<'_>,
    key: &'static str,
    members: &[Member],
    errs: &mut FieldErrors<'_, '_>,
) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for item in list.items() {
        if !seen.insert(item.field(key).text_or_empty()) {
            errs.duplicate(&item, format_members(&item, members));
        }
    }
}

/// A member of a value in an error: its name, and whether it is there if it is not set.
pub(super) type Member = (&'static str, bool);

/// A value as JSON, with its members in the order of the Go type.
pub(super) fn format_members(at: &At<'_>, members: &[Member]) -> String {
    let formatted =
        members.iter().filter(|(name, is_always)| *is_always || at.field(name).is_set());
    let formatted: Vec<String> = formatted
        .map(|(name, _)| {
            format!("{}:{}", format_value::json(name), format_value::tree(at.field(name).node()))
        })
        .collect();
    format!("{{{}}}", formatted.join(","))
}

/// Checks the format of a name.
pub(super) fn check_form(at: &At<'_>, format: NameFormat, errs: &mut FieldErrors<'_, '_>) {
    form_of(at, at.text_or_empty(), format, "", errs);
}

/// Checks the format of a name that must not be empty.
pub(super) fn needs_form(at: &At<'_>, format: NameFormat, errs: &mut FieldErrors<'_, '_>) {
    if errs.needs_text(at) {
        check_form(at, format, errs);
    }
}

fn form_of(
    at: &At<'_>,
    text: &str,
    format: NameFormat,
    before: &str,
    errs: &mut FieldErrors<'_, '_>,
) {
    name_format::faults(format, text, |detail| {
        let detail = format!("{before}{}", in_bytes(detail));
        errs.verdict.add_error(FieldError::invalid(&names::FORMS, at, text, detail));
    });
}

/// Declared lengths are counted in bytes, and called so.
fn in_bytes(detail: Cow<'static, str>) -> Cow<'static, str> {
    match detail.strip_suffix(" characters") {
        Some(length) if length.starts_with("must be no more than") => {
            Cow::Owned(format!("{length} bytes"))
        }
        _ => detail,
    }
}

/// Checks a subdomain in letters of either case, which must not be empty.
pub(super) fn check_caseless(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !errs.needs_text(at) {
        return;
    }
    let text = at.text_or_empty();
    name_format::faults(NameFormat::Subdomain, &text.to_ascii_lowercase(), |detail| {
        let is_length = detail.starts_with("must be no more than");
        let detail = if is_length { in_bytes(detail) } else { Cow::Borrowed(CASELESS) };
        errs.verdict.add_error(FieldError::invalid(&names::FORMS, at, text, detail));
    });
}

/// Checks the name of a pool of devices: subdomains with slashes between them.
pub(super) fn check_pool(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    if text.len() > LONGEST_POOL {
        errs.too_long(at, LONGEST_POOL);
    }
    for (index, part) in text.split('/').enumerate() {
        if part.is_empty() {
            errs.verdict.add_errors(1, || {
                let detail = format!("segment {index}: must not be empty");
                FieldError::invalid(&values::RULE, at, text, detail)
            });
        } else {
            form_of(at, part, NameFormat::Subdomain, &format!("segment {index}: "), errs);
        }
    }
}

/// Checks that a number, if it is set, is not above `most`.
pub(super) fn check_most(at: &At<'_>, most: i64, errs: &mut FieldErrors<'_, '_>) {
    if at.int().is_some_and(|number| number > most) {
        errs.invalid_as(
            at,
            format_node(at.node()),
            format!("must be less than or equal to {most}"),
        );
    }
}

/// Checks that a number, if it is set, is not below `least`.
pub(super) fn check_least(at: &At<'_>, least: i64, errs: &mut FieldErrors<'_, '_>) {
    if at.int().is_some_and(|number| number < least) {
        let detail = format!("must be greater than or equal to {least}");
        errs.invalid_as(at, format_node(at.node()), detail);
    }
}

/// Checks a number that must not be zero, nor below `least`.
pub(super) fn needs_least(at: &At<'_>, least: i64, errs: &mut FieldErrors<'_, '_>) {
    match at.int().unwrap_or_default() {
        0 => errs.required(at, ""),
        _ => check_least(at, least, errs),
    }
}
