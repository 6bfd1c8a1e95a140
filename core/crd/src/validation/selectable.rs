//! Validation of selectable fields.

use super::options::{MAX_SELECTABLE_FIELDS, Options};
use crate::errors::{ErrorList, quoted};
use crate::path::Path;
use crate::rules::valid_field_path;
use crate::schema::{JsonSchemaProps, structural_error};
use crate::structural::{SchemaType, Structural};
use alloc::collections::BTreeSet;
use alloc::string::String;
use ratchet_object::Span;

/// Checks the selectable fields of a version, or (with an empty name) those of all versions.
pub(super) fn validate(
    fields: &[String],
    schema: &JsonSchemaProps,
    version: &str,
    path: &Path<'_>,
    options: &Options,
    span: Span,
    errors: &mut ErrorList,
) {
    if let Some(error) = structural_error(schema) {
        return errors.invalid(&path.child("schema.openAPIV3Schema"), span, quoted(""), error);
    }
    let schema = Structural::compile(schema);
    let path = path.child("selectableFields");
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (index, text) in fields.iter().enumerate() {
        let item = path.index(index);
        let at = item.child("jsonPath");
        if text.is_empty() {
            errors.required(&at, span, "");
            continue;
        }
        let found = match valid_field_path(text, &schema, false) {
            Ok(found) => found,
            Err(error) => {
                let detail = alloc::format!("is an invalid path: {error}");
                errors.invalid(&at, span, quoted(text), detail);
                continue;
            }
        };
        if found.root == "metadata" {
            errors.invalid(&at, span, quoted(text), "must not point to fields in metadata");
        }
        let schema_type = found.schema.and_then(Structural::schema_type);
        let is_allowed = matches!(
            schema_type,
            Some(SchemaType::String | SchemaType::Boolean | SchemaType::Integer)
        );
        if !is_allowed {
            errors.invalid(&at, span, quoted(text), "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.");
        }
        if !seen.insert(found.text) {
            errors.duplicate(&at, span, quoted(text));
        }
    }
    if seen.len() > MAX_SELECTABLE_FIELDS && !options.many_fields.contains(version) {
        errors.too_many(&path, span, seen.len(), MAX_SELECTABLE_FIELDS);
    }
}
