//! Validation of bindings.

use super::resources;
use super::values::check_enum;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use ratchet_engine::field_validation::{
    FieldErrors, NameFormat, check_selector, format_list, format_string,
};
use ratchet_object::At;

/// The spec of a binding of a validating policy.
pub(super) fn check(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_common(spec, errs);
    check_actions(&spec.field("validationActions"), errs);
}

/// What bindings of both kinds of policies have.
pub(super) fn check_common(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.needs_form(&spec.field("policyName"), NameFormat::Subdomain);
    let parameter = spec.field("paramRef");
    if parameter.is_set() {
        check_parameter(&parameter, errs);
    }
    let matched = spec.field("matchResources");
    if matched.is_set() {
        resources::check(&matched, errs);
    }
}

fn check_parameter(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    const BOTH: &str = "name and selector are mutually exclusive";
    let (name, selector) = (at.field("name"), at.field("selector"));
    let is_named = !name.text_or_empty().is_empty();
    if is_named {
        errs.form(&name, NameFormat::PathSegment);
        if selector.is_set() {
            errs.forbidden(&name, BOTH);
        }
    }
    if selector.is_set() {
        check_selector(&selector, errs);
        if is_named {
            errs.forbidden(&selector, BOTH);
        }
    }
    if !is_named && !selector.is_set() {
        errs.required(at, "one of name or selector must be specified");
    }
    let action = at.field("parameterNotFoundAction");
    if action.text_or_empty().is_empty() {
        errs.required(&action, "");
    } else {
        check_enum(&action, &["Deny", "Allow"], errs);
    }
}

fn check_actions(actions: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let release = errs.ctx.config.release;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for action in actions.items() {
        let text = action.text_or_empty();
        check_enum(&action, &["Audit", "Deny", "Warn"], errs);
        if !seen.insert(text) {
            errs.duplicate(&action, format_string(text, release));
        }
    }
    if seen.contains("Deny") && seen.contains("Warn") {
        const DETAIL: &str = "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
        let all: Vec<&str> = actions.items().map(|action| action.text_or_empty()).collect();
        errs.invalid_as(actions, format_list(&all, release), DETAIL);
    }
    if seen.is_empty() {
        errs.required(actions, "at least one validation action is required");
    }
}
