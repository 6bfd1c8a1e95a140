//! Validation of embedded resources: their kind and metadata are those of an object.

use super::Structural;
use crate::errors::{ErrorList, bad_value, quoted};
use crate::names::label_faults;
use crate::path::Path;
use alloc::string::String;
use ratchet_engine::Verdict;
use ratchet_engine::field_validation::check_embedded_metadata;
use ratchet_object::{Node, Value};

impl Structural {
    /// Checks the embedded resources in a value (`objectmeta.Validate`).
    pub(crate) fn validate_embedded(
        &self,
        value: &Node<'_>,
        path: &Path<'_>,
        is_resource_root: bool,
        errors: &mut ErrorList,
    ) {
        if !self.has_resources && !is_resource_root {
            return;
        }
        match &value.value {
            Value::Map(entries) => {
                if self.embedded_resource || is_resource_root {
                    resource(value, path, errors);
                }
                for entry in entries {
                    if let Some(schema) = self.property(&entry.key) {
                        let path = path.child(&entry.key);
                        schema.validate_embedded(&entry.node, &path, false, errors);
                    } else if let Some(schema) = self.additional_properties() {
                        let path = path.key(&entry.key);
                        schema.validate_embedded(&entry.node, &path, false, errors);
                    }
                }
            }
            Value::List(items) => {
                if let Some(schema) = self.items() {
                    for (index, item) in items.iter().enumerate() {
                        schema.validate_embedded(item, &path.index(index), false, errors);
                    }
                }
            }
            _ => {}
        }
    }
}

fn resource(value: &Node<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, check) in [("apiVersion", api_version_fault as Check), ("kind", kind_fault)] {
        let at = path.child(name);
        match value.get(name) {
            None => errors.required(&at, value.span, ""),
            Some(member) => match member.text() {
                None => {
                    errors.invalid(&at, member.span, bad_value(Some(member)), "must be a string");
                }
                Some("") => errors.invalid(&at, member.span, quoted(""), "must not be empty"),
                Some(text) => {
                    if let Some(detail) = check(text) {
                        errors.invalid(&at, member.span, quoted(text), detail);
                    }
                }
            },
        }
    }
    if let Some(metadata) = value.get("metadata") {
        let at = path.child("metadata");
        let mut verdict = Verdict::default();
        check_embedded_metadata(metadata, &mut verdict);
        errors.0.extend(verdict.errors.into_iter().map(|mut error| {
            error.field = at.join(&error.field);
            error
        }));
    }
}

type Check = fn(&str) -> Option<String>;

fn api_version_fault(text: &str) -> Option<String> {
    (text.matches('/').count() > 1)
        .then(|| alloc::format!("unexpected GroupVersion string: {text}"))
}

fn kind_fault(text: &str) -> Option<String> {
    label_faults(&text.to_lowercase())
        .map(|faults| alloc::format!("may have mixed case, but should otherwise match: {faults}"))
}
