//! The annotation of client-side apply: kubectl takes over what it applied that way, and keeps it up to date.

use crate::field_set::FieldSet;
use crate::schema::TypeRef;
use crate::typed::{Duplicates, compare, to_field_set, validate};
use crate::value::owned;
use alloc::string::String;
use ratchet_object::{Limits, Node, Value, decode_json};

/// The manager that both concern.
pub(crate) const KUBECTL: &str = "kubectl";

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The most bytes of all annotations of an object.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// The configuration that an object was applied from, as the annotation has it; none if it is of another version.
pub(crate) fn last_applied<'a>(object: &'a Node<'a>, api_version: &str) -> Option<Node<'a>> {
    let text = object.metadata().annotation(ANNOTATION).filter(|text| !text.is_empty())?;
    let mut documents = decode_json(text, Limits::DEFAULT).ok()?.documents;
    let applied = documents.pop()?;
    (applied.text_at(&["apiVersion"]) == api_version).then_some(applied)
}

/// The fields that the last applied configuration set and that still have its values: conflicts in them do not count.
pub(crate) fn allowed_conflicts<'a>(
    applied: &'a Node<'a>,
    live: &'a Node<'a>,
    ty: TypeRef<'a>,
) -> Option<FieldSet<'a>> {
    validate(live, ty, Duplicates::Refused).ok()?;
    validate(applied, ty, Duplicates::Refused).ok()?;
    let changes = compare(applied, live, ty);
    let set = to_field_set(applied, ty).difference(&changes.modified);
    Some(set.difference(&changes.added).difference(&changes.removed))
}

/// Writes the configuration into the annotation, if the object has it.
pub(crate) fn update(object: &mut Node<'static>, config: &Node<'_>) {
    let has_it = object.metadata().annotation(ANNOTATION).is_some_and(|text| !text.is_empty());
    let annotations = object.get_mut("metadata").and_then(|meta| meta.get_mut("annotations"));
    let (true, Some(annotations)) = (has_it, annotations) else { return };
    let mut text = sorted_json(config);
    text.push('\n');
    annotations.set(ANNOTATION, Node::string(text));
    let size = |node: &Node<'_>| {
        let texts = node.entries().iter();
        texts.map(|entry| entry.key.len() + entry.node.text().map_or(0, str::len)).sum::<usize>()
    };
    if size(annotations) > MAX_ANNOTATIONS {
        annotations.remove(ANNOTATION);
    }
}

/// The configuration as JSON, without the annotation itself.
fn sorted_json(config: &Node<'_>) -> String {
    let mut config = owned(config);
    if let Some(metadata) = config.get_mut("metadata") {
        if let Some(annotations) = metadata.get_mut("annotations") {
            annotations.remove(ANNOTATION);
        }
        let annotations = metadata.get("annotations");
        if annotations.is_some_and(|annotations| !matches!(annotations.value, Value::Map(_))) {
            metadata.remove("annotations");
        }
        metadata.remove("managedFields");
    }
    sort(&mut config);
    config.to_json()
}

fn sort(node: &mut Node<'_>) {
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(sort),
        Value::Map(entries) => {
            entries.sort_by(|a, b| a.key.cmp(&b.key));
            entries.iter_mut().for_each(|entry| sort(&mut entry.node));
        }
        _ => {}
    }
}
