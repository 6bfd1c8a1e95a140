//! Which attempts are meant: selectors, and rules about resources.

use super::{quoted, word};
use alloc::format;
use alloc::vec::Vec;
use ratchet_engine::writing::{Form, Pen, check_selector, shown_list};
use ratchet_object::At;

/// `matchConstraints` or `matchResources`.
pub(super) fn check(at: &At<'_>, pen: &mut Pen<'_, '_>) {
    let policy = at.field("matchPolicy");
    if policy.is_set() {
        word(&policy, &["Equivalent", "Exact"], pen);
    } else {
        pen.required(&policy, "");
    }
    for name in ["namespaceSelector", "objectSelector"] {
        let selector = at.field(name);
        if selector.is_set() {
            check_selector(&selector, pen);
        } else {
            pen.required(&selector, "");
        }
    }
    for name in ["resourceRules", "excludeResourceRules"] {
        for rule in at.field(name).items() {
            check_rule(&rule, pen);
        }
    }
}

fn check_rule(rule: &At<'_>, pen: &mut Pen<'_, '_>) {
    let mut names: Vec<&str> = Vec::new();
    for name in rule.field("resourceNames").items() {
        let text = name.text_or_empty();
        pen.form(&name, Form::PathSegment);
        if names.contains(&text) {
            pen.duplicate(&name, quoted(text));
        }
        names.push(text);
    }
    check_operations(&rule.field("operations"), pen);
    check_list(&rule.field("apiGroups"), "API groups", pen);
    let versions = rule.field("apiVersions");
    check_list(&versions, "API versions", pen);
    for version in versions.items() {
        pen.needs_text(&version);
    }
    check_resources(&rule.field("resources"), pen);
    let scope = rule.field("scope");
    if scope.is_set() {
        word(&scope, &["*", "Cluster", "Namespaced"], pen);
    }
}

fn texts<'a>(list: &At<'a>) -> Vec<&'a str> {
    list.items().map(|item| item.text_or_empty()).collect()
}

/// A list that is not empty, and says `*` only where it says nothing else.
fn check_list(list: &At<'_>, what: &str, pen: &mut Pen<'_, '_>) {
    if list.is_empty() {
        pen.required(list, "");
    }
    let all = texts(list);
    if all.len() > 1 && all.contains(&"*") {
        let shown = shown_list(&all, pen.scene.policy.release);
        pen.invalid_as(list, shown, format!("if '*' is present, must not specify other {what}"));
    }
}

fn check_operations(operations: &At<'_>, pen: &mut Pen<'_, '_>) {
    check_list(operations, "operations", pen);
    for operation in operations.items() {
        word(&operation, &["*", "CONNECT", "CREATE", "DELETE", "UPDATE"], pen);
    }
}

fn check_resources(resources: &At<'_>, pen: &mut Pen<'_, '_>) {
    if resources.is_empty() {
        pen.required(resources, "");
    }
    // What is already said of all parts of a resource, and of one part of all resources.
    let (mut whole, mut everywhere): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut last_is_named = false;
    for at in resources.items() {
        let text = at.text_or_empty();
        if text.is_empty() {
            pen.required(&at, "");
            continue;
        }
        let Some((resource, part)) = text.split_once('/') else {
            last_is_named = text != "*";
            continue;
        };
        if whole.contains(&resource) {
            pen.invalid(&at, format!("if '{resource}/*' is present, must not specify {text}"));
        }
        if everywhere.contains(&part) {
            pen.invalid(&at, format!("if '*/{part}' is present, must not specify {text}"));
        }
        if part == "*" {
            whole.push(resource);
        }
        if resource == "*" {
            everywhere.push(part);
        }
    }
    let all = texts(resources);
    let shown = shown_list(&all, pen.scene.policy.release);
    if all.len() > 1 && all.contains(&"*/*") {
        const DETAIL: &str = "if '*/*' is present, must not specify other resources";
        pen.invalid_as(resources, shown.clone(), DETAIL);
    }
    if all.contains(&"*") && last_is_named {
        const DETAIL: &str =
            "if '*' is present, must not specify other resources without subresources";
        pen.invalid_as(resources, shown, DETAIL);
    }
}
