//! Validation of CustomResourceDefinitions and Events.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::name_format::{self, NameFormat};
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) fn validate_definition(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    let group = spec.field("group");
    match group.text_or_empty() {
        "" => errs.required(&group, ""),
        text if !name_format::is_valid(NameFormat::Subdomain, text) => {
            check_name(&group, NameFormat::Subdomain, &mut errs);
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
        check_name(&version.field("name"), NameFormat::Label1035, &mut errs);
    }
    let names = spec.field("names");
    // `singular` and `listKind` have defaults.
    for name in ["plural", "kind"] {
        errs.needs_text(&names.field(name));
    }
    for name in ["plural", "singular"] {
        if !names.field(name).text_or_empty().is_empty() {
            check_name(&names.field(name), NameFormat::Label1035, &mut errs);
        }
    }
}

/// Checks a name, with all format violations in one error.
fn check_name(at: &At<'_>, format: NameFormat, errs: &mut FieldErrors<'_, '_>) {
    let mut details: Vec<String> = Vec::new();
    name_format::faults(format, at.text_or_empty(), |detail| details.push(detail.into_owned()));
    if !details.is_empty() {
        errs.invalid_as(at, crate::field_errors::quoted(at.text_or_empty()), details.join(","));
    }
}

/// Checks that an event is in the namespace of its involved object.
pub(super) fn validate_event(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let namespace = root.field("metadata").field("namespace").text_or_empty();
    let involved = root.field("involvedObject").field("namespace");
    let has_time = !root.field("eventTime").text_or_empty().is_empty();
    // Without a namespace there is nothing to compare with.
    if namespace.is_empty() || !ctx.change.is_create() {
        return;
    }
    let is_consistent = match (involved.text_or_empty(), has_time) {
        ("", false) => namespace == "default",
        ("", true) => matches!(namespace, "default" | "kube-system"),
        (text, false) => text == namespace,
        (_, true) => true,
    };
    if !is_consistent {
        let formatted = crate::field_errors::quoted(involved.text_or_empty());
        let mut errs = FieldErrors::new(ctx, verdict);
        errs.invalid_as(&involved, formatted, "does not match event.namespace");
    }
}
