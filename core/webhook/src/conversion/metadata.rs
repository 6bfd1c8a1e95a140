//! Metadata of converted objects: a conversion may change labels and annotations, and nothing else.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_engine::field_validation::{NameFormat, name_format_faults};
use ratchet_net::Quoted;
use ratchet_object::go_syntax::type_name;
use ratchet_object::{Entry, Node, Value};

/// The most bytes of annotations.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// What must be equal before and after: the name in errors, and the field.
const IDENTITY: [(&str, &str); 3] = [("name", "name"), ("namespace", "namespace"), ("UID", "uid")];

/// Checks that an object is still the same one.
pub(super) fn check_identity(original: &Node<'_>, converted: &Node<'_>) -> Result<(), String> {
    for (name, field) in IDENTITY {
        let value = |object: &Node<'_>| object.text_at(&["metadata", field]).to_string();
        let (before, after) = (value(original), value(converted));
        if before != after {
            return Err(format!("must have the same {name}: {before} != {after}"));
        }
    }
    Ok(())
}

/// Gives a converted object the metadata of the original, with its own labels and annotations.
pub(super) fn restore(original: &Node<'_>, converted: &mut Node<'static>) -> Result<(), String> {
    let returned = converted.remove("metadata").ok_or("missing metadata in converted object")?;
    if !matches!(returned.value, Value::Map(_)) {
        let found = type_name(&returned);
        return Err(format!("invalid metadata of type {found} in converted object"));
    }
    let mut metadata = match original.get("metadata") {
        Some(metadata) => metadata.clone().into_owned(),
        None => Node::empty_map(),
    };
    for name in ["labels", "annotations"] {
        let Some(texts) = returned.get(name).filter(|texts| !texts.is_null()) else {
            metadata.remove(name);
            continue;
        };
        if !matches!(texts.value, Value::Map(_)) {
            let found = type_name(texts);
            return Err(format!("invalid metadata.{name} of type {found} in converted object"));
        }
        if let Some(entry) = texts.entries().iter().find(|entry| entry.node.text().is_none()) {
            let (key, found) = (&entry.key, type_name(&entry.node));
            return Err(format!(
                "metadata.{name}[{key}] must be a string, but is {found} in converted object"
            ));
        }
        if !is_same(texts, metadata.get(name)) {
            check_texts(name, texts.entries())?;
        }
        metadata.set(name, texts.clone().into_owned());
    }
    if let Some(entries) = converted.entries_mut() {
        entries.insert(0, Entry::new("metadata", metadata));
    }
    Ok(())
}

/// Whether two maps of texts are equal, whatever their order.
fn is_same(texts: &Node<'_>, others: Option<&Node<'_>>) -> bool {
    let others = others.map(Node::entries).unwrap_or_default();
    let texts = texts.entries();
    texts.len() == others.len()
        && texts.iter().all(|entry| {
            let other = others.iter().find(|other| other.key == entry.key);
            other.is_some_and(|other| other.node.text() == entry.node.text())
        })
}

/// Validates labels or annotations; the path of the latter is the reference's.
fn check_texts(name: &str, entries: &[Entry<'_>]) -> Result<(), String> {
    let mut errors: Vec<String> = Vec::new();
    let mut size = 0;
    for entry in entries {
        let (key, text) = (entry.key.as_ref(), entry.node.text().unwrap_or_default());
        size += key.len() + text.len();
        if name == "labels" {
            let mut report = |format, text: &str| {
                name_format_faults(format, text, |fault| {
                    let text = Quoted(text);
                    errors.push(format!("metadata.labels: Invalid value: {text}: {fault}"));
                });
            };
            report(NameFormat::Qualified, key);
            report(NameFormat::LabelValue, text);
        } else {
            name_format_faults(NameFormat::Qualified, &key.to_lowercase(), |fault| {
                let key = Quoted(key);
                errors.push(format!("metadata.annotation: Invalid value: {key}: {fault}"));
            });
        }
    }
    if name == "annotations" && size > MAX_ANNOTATIONS {
        errors.push(format!(
            "metadata.annotation: Too long: may not be more than {MAX_ANNOTATIONS} bytes"
        ));
    }
    match errors.as_slice() {
        [] => Ok(()),
        [error] => Err(error.clone()),
        errors => Err(format!("[{}]", errors.join(", "))),
    }
}
