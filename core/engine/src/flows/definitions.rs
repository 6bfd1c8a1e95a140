//! Custom resources and events: what defines a kind, and what an event is about.

use crate::Verdict;
use crate::forms::{self, Form};
use crate::pen::Pen;
use crate::scene::Scene;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) fn validate_definition(scene: &Scene<'_>, verdict: &mut Verdict) {
    let spec = scene.change.new_root().field("spec");
    let mut pen = Pen::new(scene, verdict);
    let group = spec.field("group");
    match group.text_or_empty() {
        "" => pen.required(&group, ""),
        text if !forms::fits(Form::Subdomain, text) => joined(&group, Form::Subdomain, &mut pen),
        text if !text.contains('.') => {
            pen.invalid(&group, "should be a domain with at least one dot");
        }
        _ => {}
    }
    let scope = spec.field("scope");
    match scope.text_or_empty() {
        "" => pen.required(&scope, ""),
        _ => pen.one_of(&scope, &["Cluster", "Namespaced"]),
    }
    for version in spec.field("versions").items() {
        joined(&version.field("name"), Form::Label1035, &mut pen);
    }
    let names = spec.field("names");
    // The name of one and the name of the list have defaults.
    for name in ["plural", "kind"] {
        pen.needs_text(&names.field(name));
    }
    for name in ["plural", "singular"] {
        if !names.field(name).text_or_empty().is_empty() {
            joined(&names.field(name), Form::Label1035, &mut pen);
        }
    }
}

/// Everything that is wrong with a name, in one breath.
fn joined(at: &At<'_>, form: Form, pen: &mut Pen<'_, '_>) {
    let mut told: Vec<String> = Vec::new();
    forms::faults(form, at.text_or_empty(), |detail| told.push(detail.into_owned()));
    if !told.is_empty() {
        pen.invalid_as(at, crate::pen::quoted(at.text_or_empty()), told.join(","));
    }
}

/// An event stands in the namespace of what it is about.
pub(super) fn validate_event(scene: &Scene<'_>, verdict: &mut Verdict) {
    let root = scene.change.new_root();
    let namespace = root.field("metadata").field("namespace").text_or_empty();
    let about = root.field("involvedObject").field("namespace");
    let has_time = !root.field("eventTime").text_or_empty().is_empty();
    // Where nobody named a namespace yet, there is nothing to compare with.
    if namespace.is_empty() || !scene.change.is_create() {
        return;
    }
    let fits = match (about.text_or_empty(), has_time) {
        ("", false) => namespace == "default",
        ("", true) => matches!(namespace, "default" | "kube-system"),
        (text, false) => text == namespace,
        (_, true) => true,
    };
    if !fits {
        let shown = crate::pen::quoted(about.text_or_empty());
        let mut pen = Pen::new(scene, verdict);
        pen.invalid_as(&about, shown, "does not match event.namespace");
    }
}
