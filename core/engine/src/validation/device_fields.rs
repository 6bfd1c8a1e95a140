//! Checks of fields that kinds of `resource.k8s.io` have in common: pools, shares, names of attributes, taints and
//! conditions of binding.

use super::pod_parts::check_driver_name;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use ratchet_object::At;

const LONGEST_POOL: usize = 253;
const LONGEST_IDENTIFIER: usize = 32;
const MOST_BINDING_CONDITIONS: usize = 4;
const IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const NORMAL_UID: &str = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
const BAD_UID: &str = "invalid UUID format";
const OVERLAP: &str = "bindingFailureConditions must not overlap with bindingConditions";

/// The effects of taints, as errors list them.
pub(super) const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];

/// Checks the length of a list; a longer one is not looked into.
pub(super) fn is_within(list: &At<'_>, most: usize, errs: &mut FieldErrors<'_, '_>) -> bool {
    let is_within = list.len() <= most;
    if !is_within {
        errs.too_many(list, list.len(), most);
    }
    is_within
}

/// Checks that no two items have the same key.
pub(super) fn check_unique(
    list: &At<'_>,
    key: for<'a> fn(At<'a>) -> &'a str,
    errs: &mut FieldErrors<'_, '_>,
) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for at in list.items() {
        let text = key(at);
        if !seen.insert(text) {
            errs.duplicate(&at, quoted(text));
        }
    }
}

/// Checks the name of a pool: subdomains with slashes between them.
pub(super) fn check_pool(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !errs.needs_text(at) {
        return;
    }
    let name = at.text_or_empty();
    if name.len() > LONGEST_POOL {
        errs.too_long(at, LONGEST_POOL);
    }
    name.split('/').for_each(|part| errs.form_of(at, part, NameFormat::Subdomain));
}

/// Checks the ID of a share of a device, if there is one.
pub(super) fn check_share(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !at.is_set() {
        return;
    }
    let text = at.text_or_empty();
    let is_normal = text.len() == 36 && !text.bytes().any(|byte| byte.is_ascii_uppercase());
    match uid_fault(text) {
        Some(fault) => {
            errs.invalid_as(at, quoted(text), format!("error validating uid: {fault}"));
        }
        None if !is_normal => errs.invalid_as(at, quoted(text), NORMAL_UID),
        None => {}
    }
}

/// Why a text is no UUID in any of its forms, in the words of Go's library.
fn uid_fault(text: &str) -> Option<String> {
    let are_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hyphenated = |text: &str| {
        let lengths = text.split('-').map(str::len);
        let is_uid = lengths.eq([8, 4, 4, 4, 12]) && text.split('-').all(are_hex);
        (!is_uid).then(|| BAD_UID.to_string())
    };
    match text.len() {
        36 => hyphenated(text),
        45 => match text.split_at_checked(9) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case("urn:uuid:") => hyphenated(rest),
            Some((prefix, _)) => Some(format!("invalid urn prefix: {}", quoted(prefix))),
            None => Some(BAD_UID.to_string()),
        },
        38 => match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(inner) => hyphenated(inner),
            None => Some("invalid bracketed UUID format".to_string()),
        },
        32 => (!are_hex(text)).then(|| BAD_UID.to_string()),
        length => Some(format!("invalid UUID length: {length}")),
    }
}

/// Checks the name of an attribute or a capacity, reported at `at`: an identifier, or a domain, a slash and one.
pub(super) fn check_qualified_name(at: &At<'_>, name: &str, errs: &mut FieldErrors<'_, '_>) {
    match name.split_once('/') {
        None => check_identifier(at, name, errs),
        // The API leaves names with more slashes alone.
        Some((_, name)) if name.contains('/') => {}
        Some((domain, name)) => {
            if domain.is_empty() {
                errs.invalid_as(at, "\"\"", "the domain must not be empty");
            } else {
                check_driver_name(at, domain, errs);
            }
            if name.is_empty() {
                errs.invalid_as(at, "\"\"", "the name must not be empty");
            } else {
                check_identifier(at, name, errs);
            }
        }
    }
}

fn check_identifier(at: &At<'_>, text: &str, errs: &mut FieldErrors<'_, '_>) {
    if text.len() > LONGEST_IDENTIFIER {
        errs.too_long(at, LONGEST_IDENTIFIER);
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts_well = !text.is_empty() && !text.starts_with(|first: char| first.is_ascii_digit());
    if !starts_well || !text.bytes().all(is_part) {
        errs.invalid_as(at, quoted(text), IDENTIFIER);
    }
}

/// Checks a taint; an effect that it had before may stay.
pub(super) fn check_taint(taint: &At<'_>, old: Option<&At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    errs.form(&taint.field("key"), NameFormat::Qualified);
    errs.form_if_set(&taint.field("value"), NameFormat::LabelValue);
    let effect = taint.field("effect");
    let is_kept = |old: &At<'_>| old.field("effect").text_or_empty() == effect.text_or_empty();
    if !old.is_some_and(is_kept) && errs.needs_text(&effect) {
        errs.one_of(&effect, &EFFECTS);
    }
}

/// Checks the conditions that a device must reach, or must not, before it is bound.
pub(super) fn check_binding(holder: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let [conditions, failures] =
        ["bindingConditions", "bindingFailureConditions"].map(|name| holder.field(name));
    for list in [&conditions, &failures] {
        if is_within(list, MOST_BINDING_CONDITIONS, errs) {
            list.items().for_each(|at| errs.form(&at, NameFormat::Qualified));
        }
    }
    check_unique(&conditions, |at| at.text_or_empty(), errs);
    let bound: BTreeSet<&str> = conditions.items().map(|at| at.text_or_empty()).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for at in failures.items() {
        let text = at.text_or_empty();
        if !seen.insert(text) {
            errs.duplicate(&at, quoted(text));
        }
        if bound.contains(text) {
            errs.invalid(&at, OVERLAP);
        }
    }
    if conditions.is_empty() && !failures.is_empty() {
        let detail = "bindingConditions are required to use bindingFailureConditions";
        errs.invalid(&conditions, detail);
    }
    if failures.is_empty() && !conditions.is_empty() {
        let detail = "bindingFailureConditions are required to use bindingConditions";
        errs.invalid(&failures, detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uids_are_told_as_the_library_of_go_tells_them() {
        let uid = "0f8fad5b-d9cb-469f-a165-70867728950e";
        let fault = |text: &str| uid_fault(text).unwrap_or_default();
        assert_eq!(fault(uid), "");
        assert_eq!(fault(&uid.to_uppercase()), "");
        assert_eq!(fault(&uid.replace('-', "")), "");
        assert_eq!(fault(&format!("{{{uid}}}")), "");
        assert_eq!(fault(&format!("URN:uuid:{uid}")), "");
        assert_eq!(fault(&format!("urn:uid::{uid}")), "invalid urn prefix: \"urn:uid::\"");
        assert_eq!(fault(&format!("[{uid}]")), "invalid bracketed UUID format");
        assert_eq!(fault(&uid.replace('f', "x")), "invalid UUID format");
        assert_eq!(fault(&uid.replace('-', "0")), "invalid UUID format");
        assert_eq!(fault("x"), "invalid UUID length: 1");
        assert_eq!(fault(&"é".repeat(18)), "invalid UUID format");
        assert_eq!(fault(&format!("{}a", "é".repeat(22))), "invalid UUID format");
    }
}
