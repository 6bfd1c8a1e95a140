//! Validation of match constraints: selectors, and resource rules.

use super::values::{check_enum, quoted};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use ratchet_engine::field_validation::{FieldErrors, NameFormat, check_selector, format_list};
use ratchet_object::At;

/// `matchConstraints` or `matchResources`.
pub(super) fn check(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let policy = at.field("matchPolicy");
    if policy.is_set() {
        check_enum(&policy, &["Equivalent", "Exact"], errs);
    } else {
        errs.required(&policy, "");
    }
    for name in ["namespaceSelector", "objectSelector"] {
        let selector = at.field(name);
        if selector.is_set() {
            check_selector(&selector, errs);
        } else {
            errs.required(&selector, "");
        }
    }
    for name in ["resourceRules", "excludeResourceRules"] {
        for rule in at.field(name).items() {
            check_rule(&rule, errs);
        }
    }
}

/// A rule, with or without `resourceNames`.
pub(super) fn check_rule(rule: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for name in rule.field("resourceNames").items() {
        let text = name.text_or_empty();
        errs.form(&name, NameFormat::PathSegment);
        if !names.insert(text) {
            errs.duplicate(&name, quoted(text));
        }
    }
    check_operations(&rule.field("operations"), errs);
    check_list(&rule.field("apiGroups"), "API groups", errs);
    let versions = rule.field("apiVersions");
    check_list(&versions, "API versions", errs);
    for version in versions.items() {
        errs.needs_text(&version);
    }
    check_resources(&rule.field("resources"), errs);
    let scope = rule.field("scope");
    if scope.is_set() {
        check_enum(&scope, &["*", "Cluster", "Namespaced"], errs);
    }
}

fn strings<'a>(list: &At<'a>) -> Vec<&'a str> {
    list.items().map(|item| item.text_or_empty()).collect()
}

/// A list that is not empty, and has `*` only as its single item.
fn check_list(list: &At<'_>, items: &str, errs: &mut FieldErrors<'_, '_>) {
    if list.is_empty() {
        errs.required(list, "");
    }
    let all = strings(list);
    if all.len() > 1 && all.contains(&"*") {
        let formatted = format_list(&all, errs.ctx.config.release);
        errs.invalid_as(
            list,
            formatted,
            format!("if '*' is present, must not specify other {items}"),
        );
    }
}

fn check_operations(operations: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_list(operations, "operations", errs);
    for operation in operations.items() {
        check_enum(&operation, &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"], errs);
    }
}

fn check_resources(resources: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if resources.is_empty() {
        errs.required(resources, "");
    }
    // Resources with all their subresources, and subresources of all resources.
    let (mut whole, mut everywhere): (BTreeSet<&str>, BTreeSet<&str>) = Default::default();
    let mut last_is_named = false;
    for at in resources.items() {
        let text = at.text_or_empty();
        if text.is_empty() {
            errs.required(&at, "");
            continue;
        }
        let Some((resource, part)) = text.split_once('/') else {
            last_is_named = text != "*";
            continue;
        };
        if whole.contains(resource) {
            errs.invalid(&at, format!("if '{resource}/*' is present, must not specify {text}"));
        }
        if everywhere.contains(part) {
            errs.invalid(&at, format!("if '*/{part}' is present, must not specify {text}"));
        }
        if part == "*" {
            whole.insert(resource);
        }
        if resource == "*" {
            everywhere.insert(part);
        }
    }
    let all = strings(resources);
    let formatted = format_list(&all, errs.ctx.config.release);
    if all.len() > 1 && all.contains(&"*/*") {
        const DETAIL: &str = "if '*/*' is present, must not specify other resources";
        errs.invalid_as(resources, formatted.clone(), DETAIL);
    }
    if all.contains(&"*") && last_is_named {
        const DETAIL: &str =
            "if '*' is present, must not specify other resources without subresources";
        errs.invalid_as(resources, formatted, DETAIL);
    }
}
