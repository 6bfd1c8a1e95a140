//! Validation of RBAC roles and bindings; the role of a binding is immutable.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{format_value, selectors};
use alloc::format;
use alloc::string::String;
use ratchet_object::At;

const GROUP: &str = "rbac.authorization.k8s.io";

pub(super) fn validate_role(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let is_namespaced = ctx.change.kind.name == "Role";
    let mut errs = FieldErrors::new(ctx, verdict);
    for rule in root.field("rules").items() {
        check_rule(&rule, is_namespaced, &mut errs);
    }
    let aggregation = root.field("aggregationRule");
    if !is_namespaced && aggregation.is_set() {
        let list = aggregation.field("clusterRoleSelectors");
        if list.is_empty() {
            let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
            errs.required(&list, detail);
        }
        for selector in list.items() {
            let count = errs.verdict.errors.len();
            selectors::check(&selector, &mut errs);
            // The API parses it once more, and reports the failure again.
            if errs.verdict.errors.len() > count {
                errs.invalid_as(&selector, "null", "invalid label selector.");
            }
        }
    }
}

fn check_rule(rule: &At<'_>, is_namespaced: bool, errs: &mut FieldErrors<'_, '_>) {
    let [verbs, urls, groups, resources, names] =
        ["verbs", "nonResourceURLs", "apiGroups", "resources", "resourceNames"]
            .map(|name| rule.field(name));
    if verbs.is_empty() {
        errs.required(&verbs, "verbs must contain at least one value");
    }
    if !urls.is_empty() {
        let formatted = format_value::tree(urls.node());
        if is_namespaced {
            let detail = "namespaced rules cannot apply to non-resource URLs";
            errs.invalid_as(&urls, formatted.clone(), detail);
        }
        if [&groups, &resources, &names].iter().any(|list| !list.is_empty()) {
            let detail = "rules cannot apply to both regular resources and non-resource URLs";
            errs.invalid_as(&urls, formatted, detail);
        }
        return;
    }
    if groups.is_empty() {
        errs.required(&groups, "resource rules must supply at least one api group");
    }
    if resources.is_empty() {
        errs.required(&resources, "resource rules must supply at least one resource");
    }
}

pub(super) fn validate_binding(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let is_namespaced = ctx.change.kind.name == "RoleBinding";
    let role = root.field("roleRef");
    let mut errs = FieldErrors::new(ctx, verdict);
    // An unset group defaults to this one.
    let group = role.field("apiGroup");
    if !matches!(group.text_or_empty(), "" | GROUP) {
        errs.unsupported(&group, quoted(group.text_or_empty()), &[GROUP]);
    }
    let kind = role.field("kind");
    let kinds: &[&str] = if is_namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if !kinds.contains(&kind.text_or_empty()) {
        errs.unsupported(&kind, quoted(kind.text_or_empty()), kinds);
    }
    errs.needs_form(&role.field("name"), NameFormat::PathSegment);
    for subject in root.field("subjects").items() {
        check_subject(&subject, is_namespaced, &mut errs);
    }
    let Some(old) = ctx.change.old_root() else { return };
    let before = old.field("roleRef");
    let parts = ["kind", "name"];
    let group_of = |role: &At<'_>| match role.field("apiGroup").text_or_empty() {
        "" => String::from(GROUP),
        text => String::from(text),
    };
    let group = group_of(&role);
    let is_other = |name: &&'static str| role.field(name).text() != before.field(name).text();
    if group != group_of(&before) || parts.iter().any(is_other) {
        let text = |name: &'static str| format_value::json(role.field(name).text_or_empty());
        let formatted = format!(
            "{{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}",
            format_value::json(&group),
            text("kind"),
            text("name")
        );
        immutable::changed_with_detail(&role, formatted, "cannot change roleRef", verdict);
    }
}

fn check_subject(subject: &At<'_>, is_namespaced: bool, errs: &mut FieldErrors<'_, '_>) {
    let [name, kind, group, namespace] =
        ["name", "kind", "apiGroup", "namespace"].map(|name| subject.field(name));
    let has_name = errs.needs_text(&name);
    match kind.text_or_empty() {
        "ServiceAccount" => {
            if has_name {
                errs.form(&name, NameFormat::Subdomain);
            }
            if !group.text_or_empty().is_empty() {
                errs.unsupported(&group, quoted(group.text_or_empty()), &[""]);
            }
            if !is_namespaced && namespace.text_or_empty().is_empty() {
                errs.required(&namespace, "");
            }
        }
        "User" | "Group" => {
            if !matches!(group.text_or_empty(), "" | GROUP) {
                errs.unsupported(&group, quoted(group.text_or_empty()), &[GROUP]);
            }
        }
        text => errs.unsupported(&kind, quoted(text), &["ServiceAccount", "User", "Group"]),
    }
}
