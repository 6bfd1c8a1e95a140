//! Validation of `spec` as a whole, and of its versions.

use super::internal::{InternalSpec, InternalVersion, Subresources, Validation, typed};
use super::options::Options;
use super::{columns, conversion, names, schema, selectable};
use crate::errors::{ErrorList, json, quoted};
use crate::names::{faults, label_faults};
use crate::path::Path;
use crate::schema::JsonSchemaProps;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::field_validation::NameFormat;
use ratchet_object::Node;

pub(super) fn validate(spec: &InternalSpec<'_>, options: &Options, errors: &mut ErrorList) {
    let path = Path::root("spec");
    let span = spec.span;
    validate_group(spec, &path, errors);
    let scope = path.child("scope");
    match spec.text(&["scope"]) {
        "" => errors.required(&scope, span, ""),
        "Cluster" | "Namespaced" => {}
        other => errors.not_supported(&scope, span, quoted(other), &["Cluster", "Namespaced"]),
    }
    require_schemas(spec, options, &path, errors);
    let has_defaults = has(spec, |schema| schema.default.is_some());
    if has_defaults && spec.preserve_unknown_fields {
        let detail = "must be false in order to use defaults in the schema";
        errors.invalid(&path.child("preserveUnknownFields"), span, "true", detail);
    }
    let structural = options.structural
        || !spec.preserve_unknown_fields
        || has_defaults
        || has(spec, is_extended);
    validate_versions(spec, options, structural, &path, errors);
    validate_version_set(spec, &path, errors);
    let names_path = path.child("names");
    for name in ["plural", "singular", "kind", "listKind"] {
        if spec.text(&["names", name]).is_empty() {
            errors.required(&names_path.child(name), span, "");
        }
    }
    if let Some(node) = spec.node.and_then(|node| node.get("names")) {
        names::validate(node, &names_path, errors);
    }
    let has_status = has_status(spec.subresources.as_ref())
        || spec.versions.iter().any(|version| has_status(version.subresources.as_ref()));
    let context = schema::Context {
        options,
        structural,
        has_status,
        is_unchanged: options.unchanged.contains(spec.version),
        span,
    };
    schema::validate(spec.validation.as_ref(), &context, &path.child("validation"), errors);
    columns::validate_subresources(spec.subresources.as_ref(), &path, span, errors);
    columns::validate_columns(&spec.columns, &path, span, errors);
    if !spec.selectable_fields.is_empty() {
        let schema = spec.validation.as_ref().and_then(|validation| validation.schema.as_ref());
        match schema {
            None => {
                let detail = "may only be set when validations.schema is included";
                errors.invalid(&path.child("selectableFields"), span, quoted(""), detail);
            }
            Some(schema) => {
                selectable::validate(
                    &spec.selectable_fields,
                    schema,
                    "",
                    &path,
                    options,
                    span,
                    errors,
                );
            }
        }
    }
    conversion::validate(spec, options, errors);
}

/// Whether one of the schemas has something.
fn has(spec: &InternalSpec<'_>, is_such: fn(&JsonSchemaProps) -> bool) -> bool {
    spec.schemas().any(|schema| schema.any(is_such))
}

fn is_extended(schema: &JsonSchemaProps) -> bool {
    schema.embedded_resource
        || schema.preserve_unknown_fields.is_some()
        || schema.int_or_string
        || !schema.list_map_keys.is_empty()
        || schema.list_type.is_some()
        || !schema.validations.is_empty()
}

fn has_status(subresources: Option<&Subresources>) -> bool {
    subresources.is_some_and(|subresources| subresources.has_status)
}

fn validate_group(spec: &InternalSpec<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let (group, path) = (spec.text(&["group"]), path.child("group"));
    if group.is_empty() {
        errors.required(&path, spec.span, "");
    } else if let Some(faults) = faults(NameFormat::Subdomain, group) {
        errors.invalid(&path, spec.span, quoted(group), faults);
    } else if !group.contains('.') {
        let detail = "should be a domain with at least one dot";
        errors.invalid(&path, spec.span, quoted(group), detail);
    }
}

fn require_schemas(
    spec: &InternalSpec<'_>,
    options: &Options,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let has = |validation: &Option<Validation>| {
        validation.as_ref().is_some_and(|validation| validation.schema.is_some())
    };
    if has(&spec.validation) || (!options.schema && spec.preserve_unknown_fields) {
        return;
    }
    let versions = path.child("versions");
    for (index, version) in spec.versions.iter().enumerate() {
        let is_needed = options.schema || version.served;
        if is_needed && !has(&version.validation) {
            let version_path = versions.index(index);
            let schema_path = version_path.child("schema");
            let detail =
                if options.schema { "" } else { "because otherwise all fields are pruned" };
            errors.required(&schema_path.child("openAPIV3Schema"), version.span, detail);
        }
    }
}

fn validate_versions(
    spec: &InternalSpec<'_>,
    options: &Options,
    structural: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let versions = path.child("versions");
    let per_version = spec.versions.iter().any(|version| version.subresources.is_some());
    for (index, version) in spec.versions.iter().enumerate() {
        let path = versions.index(index);
        if let Some(faults) = label_faults(version.name) {
            errors.invalid(&path.child("name"), version.span, quoted(version.name), faults);
        }
        let subresources =
            if per_version { version.subresources.as_ref() } else { spec.subresources.as_ref() };
        let context = schema::Context {
            options,
            structural,
            has_status: has_status(subresources),
            is_unchanged: options.unchanged.contains(version.name),
            span: version.span,
        };
        validate_version(version, &context, &path, errors);
    }
}

fn validate_version(
    version: &InternalVersion<'_>,
    context: &schema::Context<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let span = version.span;
    if let Some(warning) = &version.deprecation_warning {
        for detail in deprecation_faults(version.deprecated, warning) {
            errors.invalid(&path.child("deprecationWarning"), span, json(warning), detail);
        }
    }
    schema::validate(version.validation.as_ref(), context, &path.child("schema"), errors);
    columns::validate_subresources(version.subresources.as_ref(), path, span, errors);
    columns::validate_columns(&version.columns, path, span, errors);
    if !version.selectable_fields.is_empty() {
        let schema = version.validation.as_ref().and_then(|validation| validation.schema.as_ref());
        match schema {
            None => {
                let detail =
                    "may only be set when `version.schema.openAPIV3Schema` is not included";
                errors.invalid(&path.child("selectableFields"), span, quoted(""), detail);
            }
            Some(schema) => {
                let fields = &version.selectable_fields;
                let options = context.options;
                selectable::validate(fields, schema, version.name, path, options, span, errors);
            }
        }
    }
}

fn deprecation_faults(deprecated: bool, warning: &str) -> Vec<String> {
    if !deprecated {
        return ["can only be set for deprecated versions".into()].into();
    }
    let mut faults = Vec::new();
    if warning.len() > 256 {
        faults.push("must be <= 256 characters long".into());
    }
    if warning.is_empty() {
        faults.push("must not be an empty string".into());
    }
    // Go escapes what it does not call printable when it quotes a text.
    let is_printable = |letter: char| {
        let mut buffer = [0; 4];
        let text = letter.encode_utf8(&mut buffer);
        matches!(letter, '"' | '\\') || quoted(text).len() == text.len() + 2
    };
    if let Some((index, _)) = warning.char_indices().find(|(_, letter)| !is_printable(*letter)) {
        faults.push(alloc::format!("must only contain printable UTF-8 characters; non-printable character found at index {index}"));
    }
    faults
}

/// Checks that versions have different names, and that exactly one is stored.
fn validate_version_set(spec: &InternalSpec<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let mut names: Vec<&str> = spec.versions.iter().map(|version| version.name).collect();
    names.sort_unstable();
    let has_repeated = names.windows(2).any(|pair| matches!(pair, [one, other] if one == other));
    let versions = path.child("versions");
    if has_repeated {
        let detail = "must contain unique version names";
        errors.invalid(&versions, spec.span, spec.dump_versions(), detail);
    }
    if spec.versions.iter().filter(|version| version.storage).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.invalid(&versions, spec.span, spec.dump_versions(), detail);
    }
    if !spec.version.is_empty()
        && let Some(faults) = label_faults(spec.version)
    {
        errors.invalid(&path.child("version"), spec.span, quoted(spec.version), faults);
    }
}

/// Checks what cannot change: the names in URLs and in the storage.
pub(super) fn validate_immutable(
    new: &Node<'_>,
    old: &Node<'_>,
    options: &Options,
    errors: &mut ErrorList,
) {
    const IMMUTABLE: &str = "field is immutable";
    let spec = Path::root("spec");
    let names = spec.child("names");
    let changed = |path: &[&str]| {
        let path: Vec<&str> = ["spec"].iter().chain(path).copied().collect();
        let text = new.text_at(&path);
        (text != old.text_at(&path)).then(|| String::from(text))
    };
    let span = new.get("spec").map_or(new.span, |spec| spec.span);
    if options.immutable_names {
        if let Some(scope) = changed(&["scope"]) {
            errors.invalid(&spec.child("scope"), span, typed(&scope), IMMUTABLE);
        }
        if let Some(kind) = changed(&["names", "kind"]) {
            errors.invalid(&names.child("kind"), span, quoted(&kind), IMMUTABLE);
        }
    }
    if let Some(group) = changed(&["group"]) {
        errors.invalid(&spec.child("group"), span, quoted(&group), IMMUTABLE);
    }
    if let Some(plural) = changed(&["names", "plural"]) {
        errors.invalid(&names.child("plural"), span, quoted(&plural), IMMUTABLE);
    }
}
