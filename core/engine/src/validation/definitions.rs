//! Custom resources and events: what defines a kind, and what an event is about.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::forms::{self, NameFormat};
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) fn validate_definition(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    let group = spec.field("group");
    match group.text_or_empty() {
        "" => errs.required(&group, ""),
        text if !forms::fits(NameFormat::Subdomain, text) => {
            joined(&group, NameFormat::Subdomain, &mut errs)
        }
        text if !text.contains('.') => {
            errs.invalid(&group, "should be a domain with at least one dot");
        }
        _ => {}
    }
    let scope = spec.field("scope");
    match scope.text_or_empty() {
        "" => errs.required(&scope, ""),
        _ => errs.one_of(&scope, &["Cluster", "Namespaced"]),
    }
    for version in spec.field("versions").items() {
        joined(&version.field("name"), NameFormat::Label1035, &mut errs);
    }
    let names = spec.field("names");
    // The name of one and the name of the list have defaults.
    for name in ["plural", "kind"] {
        errs.needs_text(&names.field(name));
    }
    for name in ["plural", "singular"] {
        if !names.field(name).text_or_empty().is_empty() {
            joined(&names.field(name), NameFormat::Label1035, &mut errs);
        }
    }
}

/// Everything that is wrong with a name, in one breath.
fn joined(at: &At<'_>, form: NameFormat, errs: &mut FieldErrors<'_, '_>) {
    let mut told: Vec<String> = Vec::new();
    forms::faults(form, at.text_or_empty(), |detail| told.push(detail.into_owned()));
    if !told.is_empty() {
        errs.invalid_as(at, crate::field_errors::quoted(at.text_or_empty()), told.join(","));
    }
}

/// An event stands in the namespace of what it is about.
pub(super) fn validate_event(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let namespace = root.field("metadata").field("namespace").text_or_empty();
    let about = root.field("involvedObject").field("namespace");
    let has_time = !root.field("eventTime").text_or_empty().is_empty();
    // Where nobody named a namespace yet, there is nothing to compare with.
    if namespace.is_empty() || !ctx.change.is_create() {
        return;
    }
    let fits = match (about.text_or_empty(), has_time) {
        ("", false) => namespace == "default",
        ("", true) => matches!(namespace, "default" | "kube-system"),
        (text, false) => text == namespace,
        (_, true) => true,
    };
    if !fits {
        let shown = crate::field_errors::quoted(about.text_or_empty());
        let mut errs = FieldErrors::new(ctx, verdict);
        errs.invalid_as(&about, shown, "does not match event.namespace");
    }
}
