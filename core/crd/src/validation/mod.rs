//! Validation of CustomResourceDefinitions, in the order and the words of the API server.

mod columns;
mod conversion;
mod cost;
mod defaults;
mod internal;
mod list_keys;
mod names;
mod openapi_schema;
mod options;
mod patterns;
mod pruning;
mod rule;
mod schema;
mod selectable;
mod spec;
#[cfg(test)]
mod tests;
mod walk;
mod webhook;

use crate::definition::{
    APPROVED_ANNOTATION, ApprovalState, approval, is_protected_group, stored_versions,
};
use crate::errors::{ErrorList, json_list, quoted};
use crate::path::Path;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use internal::InternalSpec;
use options::Options;
use ratchet_engine::{ApiConfig, Change, Part, Verdict};
use ratchet_object::{Node, Span};

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "CustomResourceDefinition";
/// The rule that warns about formats without a meaning.
const FORMATS_RULE: &str = "RTC-API-006";

/// Adds the errors of a definition to a verdict; none for any other kind. They belong behind those of the engine, which
/// are about metadata.
pub fn validate(change: &Change<'_>, config: &ApiConfig, verdict: &mut Verdict) {
    if (change.kind.group, change.kind.name) != (GROUP, KIND) {
        return;
    }
    let new = change.new_object().node();
    let old = change.old_object().map(ratchet_object::Object::node);
    let mut errors = ErrorList::default();
    if change.part == Part::Main {
        validate_definition(new, old, u32::from(config.emulated.minor()), &mut errors);
    } else {
        validate_status(new, &mut errors);
    }
    // The API server warns only about definitions that it accepts.
    if !errors.is_empty() {
        verdict.warnings.retain(|warning| warning.rule.id != FORMATS_RULE);
    }
    errors.report(verdict);
}

/// Validates a new definition, or an update of a stored one.
fn validate_definition(new: &Node<'_>, old: Option<&Node<'_>>, minor: u32, errors: &mut ErrorList) {
    let spec = InternalSpec::decode(new);
    // Before anything is compiled.
    if !patterns::fit(&spec) {
        const TOO_LARGE: &str = "the patterns of all schemas together are too large";
        return errors.forbidden(&Path::root("spec").child("versions"), spec.span, TOO_LARGE);
    }
    let old_spec = old.map(InternalSpec::decode);
    let options = match (old, &old_spec) {
        (Some(old), Some(old_spec)) => Options::for_update(&spec, old, old_spec, minor),
        _ => Options::for_create(minor),
    };
    spec::validate(&spec, &options, errors);
    if let Some(old) = old {
        spec::validate_immutable(new, old, &options, errors);
        // The status stays as it was.
        validate_status(old, errors);
    }
    let before = old.and_then(|old| old.find(&["status", "storedVersions"]));
    let before: Vec<String> = before
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .map(|version| version.text().unwrap_or_default().to_string())
        .collect();
    validate_stored_versions(&stored_versions(new, &before), &spec, errors);
    validate_approval(new, old, errors);
    let preserved = old_spec.is_some_and(|old| old.preserve_unknown_fields);
    if spec.preserve_unknown_fields && !preserved {
        let path = Path::root("spec");
        errors.invalid(&path.child("preserveUnknownFields"), spec.span, "true", "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
    }
}

fn validate_status(definition: &Node<'_>, errors: &mut ErrorList) {
    if let Some(accepted) = definition.find(&["status", "acceptedNames"]) {
        names::validate(accepted, &Path::root("status").child("acceptedNames"), errors);
    }
}

fn validate_stored_versions(stored: &[String], spec: &InternalSpec<'_>, errors: &mut ErrorList) {
    let status = Path::root("status");
    let path = status.child("storedVersions");
    if stored.is_empty() {
        return errors.invalid(&path, spec.span, "null", "must have at least one stored version");
    }
    let last: BTreeMap<&str, usize> =
        stored.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for version in &spec.versions {
        // A name that is there twice is found once.
        let is_stored = names.insert(version.name) && last.contains_key(version.name);
        if version.storage && !is_stored {
            let detail = alloc::format!("must have the storage version {}", version.name);
            errors.invalid(&path, spec.span, json_list(stored), detail);
        }
    }
    for (index, name) in stored.iter().enumerate() {
        let is_last = last.get(name.as_str()) == Some(&index);
        if is_last && !names.contains(name.as_str()) {
            let detail = alloc::format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.invalid(&path.index(index), spec.span, quoted(name), detail);
        }
    }
}

fn validate_approval(new: &Node<'_>, old: Option<&Node<'_>>, errors: &mut ErrorList) {
    if !is_protected_group(new.text_at(&["spec", "group"])) {
        return;
    }
    let annotation = |node: &Node<'_>| {
        node.metadata().annotation(APPROVED_ANNOTATION).unwrap_or_default().to_string()
    };
    let text = annotation(new);
    let (state, reason) = approval(&text);
    // A state that did not change is never refused.
    if old.is_some_and(|old| approval(&annotation(old)).0 == state) {
        return;
    }
    let metadata = Path::root("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(APPROVED_ANNOTATION);
    match state {
        ApprovalState::Approved | ApprovalState::Bypassed => {}
        ApprovalState::Missing => errors.required(&path, Span::default(), reason),
        ApprovalState::Invalid => errors.invalid(&path, Span::default(), quoted(&text), reason),
    }
}
