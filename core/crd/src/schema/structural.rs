//! Structural schemas: what a schema may not have, and what must stand outside of logical junctors.

use super::complete::validate_completeness;
use super::props::{JsonSchemaProps, SchemaOrArray, SchemaOrBool};
use crate::errors::{ErrorList, quoted};
use crate::path::Path;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_cel::Regex;

/// Where in a schema a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Keywords that no structural schema has, and whether a schema has them.
type Unsupported = (&'static str, fn(&JsonSchemaProps) -> bool);
static UNSUPPORTED: &[Unsupported] = &[
    ("id", |schema| !schema.id.is_empty()),
    ("schema", |schema| !schema.schema.is_empty()),
    ("$ref", |schema| schema.reference.as_deref().is_some_and(|reference| !reference.is_empty())),
    ("patternProperties", |schema| !schema.pattern_properties.is_empty()),
    ("dependencies", |schema| !schema.dependencies.is_empty()),
    ("additionalItems", |schema| schema.additional_items.is_some()),
    ("definitions", |schema| !schema.definitions.is_empty()),
];

/// Why a schema cannot be made structural at all (`NewStructural`).
pub(crate) fn structural_error(schema: &JsonSchemaProps) -> Option<String> {
    let mut error = None;
    // What stands below an unsupported keyword is not looked at, but then there is an error already.
    schema.any(|schema| {
        error = own_error(schema);
        error.is_some()
    });
    error
}

fn own_error(schema: &JsonSchemaProps) -> Option<String> {
    if let Some((keyword, _)) = UNSUPPORTED.iter().find(|(_, has)| has(schema)) {
        return Some(alloc::format!("OpenAPIV3Schema '{keyword}' is not supported"));
    }
    if schema.preserve_unknown_fields == Some(false) {
        return Some(
            "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
                .into(),
        );
    }
    match schema.items.as_deref() {
        Some(SchemaOrArray::Array(schemas)) if !schemas.is_empty() => {
            Some("OpenAPIV3Schema 'items' must be a schema, but is an array".into())
        }
        _ => None,
    }
}

/// The violations of a schema that could be made structural (`ValidateStructural`), sorted by their texts.
pub(crate) fn validate_structural(path: &Path<'_>, schema: &JsonSchemaProps) -> ErrorList {
    let mut errors = ErrorList::default();
    invariants(schema, Level::Root, path, &mut errors);
    validate_completeness(schema, path, &mut errors);
    let text =
        |error: &ratchet_engine::FieldError| alloc::format!("{}: {}", error.field, error.message());
    errors.0.sort_by_cached_key(text);
    errors
}

fn invariants(schema: &JsonSchemaProps, level: Level, path: &Path<'_>, errors: &mut ErrorList) {
    let span = schema.span;
    let items = path.child("items");
    match schema.item_schema() {
        None if schema.schema_type == "array" => errors.required(&items, span, "must be specified"),
        None => {}
        Some(item) => invariants(item, Level::Item, &items, errors),
    }
    let properties = path.child("properties");
    for (name, property) in &schema.properties {
        invariants(property, Level::Field, &properties.key(name), errors);
    }
    if let Some(additional) = schema.additional_properties.as_deref() {
        let path = path.child("additionalProperties");
        if level == Level::Root {
            errors.forbidden(&path, span, "must not be used at the root");
        }
        if let SchemaOrBool::Schema(additional) = additional {
            invariants(additional, Level::Field, &path, errors);
        }
    }
    extensions(schema, path, errors);
    let skip_any_of = is_int_or_string(&schema.any_of);
    let skip_first = schema.all_of.first().is_some_and(|first| is_int_or_string(&first.any_of));
    values(schema, skip_any_of, skip_first, level, path, errors);
    types(schema, level, path, errors);
    metadata(schema, level, path, errors);
    let preserves = schema.preserve_unknown_fields.is_some();
    if schema.embedded_resource && !preserves && schema.properties.is_empty() {
        errors.required(&properties, span, "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
    }
}

fn extensions(schema: &JsonSchemaProps, path: &Path<'_>, errors: &mut ErrorList) {
    const EXCLUSIVE: &str = "must be false if x-kubernetes-int-or-string is true";
    if !schema.int_or_string {
        return;
    }
    if schema.preserve_unknown_fields.is_some() {
        let path = path.child("x-kubernetes-preserve-unknown-fields");
        errors.invalid(&path, schema.span, "true", EXCLUSIVE);
    }
    if schema.embedded_resource {
        let path = path.child("x-kubernetes-embedded-resource");
        errors.invalid(&path, schema.span, "true", EXCLUSIVE);
    }
}

fn types(schema: &JsonSchemaProps, level: Level, path: &Path<'_>, errors: &mut ErrorList) {
    const EMBEDDED: &str = "must be object if x-kubernetes-embedded-resource is true";
    let (span, at) = (schema.span, path.child("type"));
    let schema_type = schema.schema_type.as_str();
    if schema.embedded_resource && schema_type != "object" {
        match schema_type {
            "" => errors.required(&at, span, EMBEDDED),
            other => errors.invalid(&at, span, quoted(other), EMBEDDED),
        }
    } else if schema_type.is_empty()
        && !schema.int_or_string
        && schema.preserve_unknown_fields.is_none()
    {
        errors.required(
            &at,
            span,
            match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            },
        );
    }
    if schema.embedded_resource && schema.additional_properties.is_some() {
        let path = path.child("additionalProperties");
        errors.forbidden(&path, span, "must not be used if x-kubernetes-embedded-resource is set");
    }
    if level == Level::Root && !schema_type.is_empty() && schema_type != "object" {
        errors.invalid(&at, span, quoted(schema_type), "must be object at the root");
    }
}

/// Checks what a schema says of the metadata that every object has.
fn metadata(schema: &JsonSchemaProps, level: Level, path: &Path<'_>, errors: &mut ErrorList) {
    let is_resource = level == Level::Root || schema.embedded_resource;
    let properties = path.child("properties");
    for name in ["kind", "apiVersion"] {
        if let Some(property) = schema.property(name)
            && is_resource
            && property.schema_type != "string"
        {
            let at = properties.key(name);
            let value = quoted(&property.schema_type);
            errors.invalid(&at.child("type"), property.span, value, "must be string");
        }
    }
    let Some(metadata) = schema.property("metadata") else { return };
    let at = properties.key("metadata");
    if is_resource && metadata.schema_type != "object" {
        let value = quoted(&metadata.schema_type);
        errors.invalid(&at.child("type"), metadata.span, value, "must be object");
    }
    if level == Level::Root && !restricts_names_only(metadata) {
        errors.forbidden(&at, metadata.span, "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
}

/// Whether a schema of metadata says nothing, or something of `name` and `generateName` alone.
fn restricts_names_only(metadata: &JsonSchemaProps) -> bool {
    let is_name = |(name, _): &(String, _)| matches!(name.as_str(), "name" | "generateName");
    let mut rest = metadata.clone();
    if rest.properties.iter().all(is_name) {
        rest.properties = Vec::new();
    }
    rest.schema_type = String::new();
    // That it may not have a default is checked elsewhere.
    rest.default = None;
    rest.is_zero()
}

/// Whether these are the alternatives of a number or a string, in this order.
pub(crate) fn is_int_or_string(any_of: &[JsonSchemaProps]) -> bool {
    let only = |schema: &JsonSchemaProps, schema_type: &str| {
        schema.schema_type == schema_type
            && JsonSchemaProps { schema_type: String::new(), ..schema.clone() }.is_zero()
    };
    matches!(any_of, [first, second] if only(first, "integer") && only(second, "string"))
}

fn values(
    schema: &JsonSchemaProps,
    skip_any_of: bool,
    skip_first_all_of: bool,
    level: Level,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (any_of, all_of, one_of) = (path.child("anyOf"), path.child("allOf"), path.child("oneOf"));
    if !skip_any_of {
        for (index, nested) in schema.any_of.iter().enumerate() {
            junctor(nested, false, level, &any_of.index(index), errors);
        }
    }
    for (index, nested) in schema.all_of.iter().enumerate() {
        junctor(nested, skip_first_all_of && index == 0, level, &all_of.index(index), errors);
    }
    for (index, nested) in schema.one_of.iter().enumerate() {
        junctor(nested, false, level, &one_of.index(index), errors);
    }
    if let Some(nested) = schema.not.as_deref() {
        junctor(nested, false, level, &path.child("not"), errors);
    }
    if !schema.pattern.is_empty()
        && let Err(error) = Regex::new(&schema.pattern)
    {
        let detail = alloc::format!("must be a valid regular expression, but isn't: {error}");
        errors.invalid(&path.child("pattern"), schema.span, quoted(&schema.pattern), detail);
    }
}

/// What a schema in a junctor may not have, with the reason.
type Forbidden = (&'static str, fn(&JsonSchemaProps) -> bool, &'static str);
static FORBIDDEN: &[Forbidden] = &[
    ("type", |schema| !schema.schema_type.is_empty(), "must be empty to be structural"),
    (
        "additionalProperties",
        |schema| match schema.additional_properties.as_deref() {
            Some(SchemaOrBool::Allows(allows)) => *allows,
            other => other.is_some(),
        },
        "must be undefined to be structural",
    ),
    ("default", |schema| schema.default.is_some(), "must be undefined to be structural"),
    ("title", |schema| !schema.title.is_empty(), "must be empty to be structural"),
    ("description", |schema| !schema.description.is_empty(), "must be empty to be structural"),
    ("nullable", |schema| schema.nullable, "must be false to be structural"),
    (
        "x-kubernetes-preserve-unknown-fields",
        |schema| schema.preserve_unknown_fields.is_some(),
        "must be false to be structural",
    ),
    (
        "x-kubernetes-embedded-resource",
        |schema| schema.embedded_resource,
        "must be false to be structural",
    ),
    ("x-kubernetes-int-or-string", |schema| schema.int_or_string, "must be false to be structural"),
    (
        "x-kubernetes-list-map-keys",
        |schema| !schema.list_map_keys.is_empty(),
        "must be empty to be structural",
    ),
    (
        "x-kubernetes-list-type",
        |schema| schema.list_type.is_some(),
        "must be undefined to be structural",
    ),
    (
        "x-kubernetes-map-type",
        |schema| schema.map_type.is_some(),
        "must be undefined to be structural",
    ),
    (
        "x-kubernetes-validations",
        |schema| !schema.validations.is_empty(),
        "must be empty to be structural",
    ),
];

/// Checks a schema in `allOf`, `anyOf`, `oneOf` or `not`.
fn junctor(
    schema: &JsonSchemaProps,
    skip_any_of: bool,
    level: Level,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    values(schema, skip_any_of, false, level, path, errors);
    if let Some(item) = schema.item_schema() {
        junctor(item, false, level, &path.child("items"), errors);
    }
    let properties = path.child("properties");
    for (name, property) in &schema.properties {
        junctor(property, false, Level::Field, &properties.key(name), errors);
    }
    for (keyword, has, detail) in FORBIDDEN {
        if has(schema) {
            errors.forbidden(&path.child(keyword), schema.span, detail.to_string());
        }
    }
    if let Some(metadata) = schema.property("metadata") {
        let path = properties.key("metadata");
        errors.forbidden(&path, metadata.span, "must not be specified in a nested context");
    }
}
