//! The walk through a schema that checks every node (`ValidateCustomResourceDefinitionOpenAPISchema`).

use super::list_keys;
use super::walk::{Cel, Walk};
use crate::errors::{ErrorList, json_list, json_option, quoted};
use crate::path::Path;
use crate::schema::{JsonSchemaProps, SchemaOrArray, SchemaOrBool, SchemaOrStrings, dump_items};
use crate::structural::{META_FIELDS, SchemaType};
use alloc::borrow::Cow;
use alloc::string::ToString;
use ratchet_cel::decl::DeclKind;

/// What a node inherits from those above it.
#[derive(Clone)]
pub(super) struct Inherited<'p> {
    /// Why no default may be set.
    forbidden_defaults: Option<Cow<'static, str>>,
    /// Whether it is about metadata.
    inside_meta: bool,
    /// The first node above that cannot be compared with its past.
    pub(super) uncorrelatable: Option<&'p Path<'p>>,
}

impl Inherited<'_> {
    pub(super) fn root() -> Self {
        Self { forbidden_defaults: None, inside_meta: false, uncorrelatable: None }
    }
}

impl<'s> Cel<'s> {
    /// The same below a node: at a property, at the items, or at the values of a map.
    fn below(&self, schema: &JsonSchemaProps, name: Option<&str>) -> Option<Self> {
        let (structural, decl) = match (&self.decl.kind, name) {
            (DeclKind::Object(fields), Some(name)) => {
                (self.structural.property(name)?, &fields.named(name)?.ty)
            }
            (DeclKind::List { items, .. }, None) => (self.structural.items()?, items),
            (DeclKind::Map { values }, None) => (self.structural.additional_properties()?, values),
            _ => return None,
        };
        let cardinality = self
            .cardinality
            .and_then(|count| max_elements(schema).map(|elements| count.saturating_mul(elements)));
        Some(Self { structural, decl: decl.clone(), cardinality })
    }
}

/// How many values below a node there can be for each of its own.
fn max_elements(schema: &JsonSchemaProps) -> Option<u64> {
    let most = |limit: Option<i64>| limit.map(|limit| u64::try_from(limit).unwrap_or_default());
    match schema.schema_type.as_str() {
        "object" if schema.additional_properties.is_some() => most(schema.max_properties),
        "array" => most(schema.max_items),
        _ => Some(1),
    }
}

impl Walk<'_> {
    pub(super) fn schema(
        &mut self,
        schema: &JsonSchemaProps,
        path: &Path<'_>,
        inherited: &Inherited<'_>,
        cel: Option<&Cel<'_>>,
    ) {
        self.node(schema, path, inherited, true, cel);
    }

    fn node(
        &mut self,
        schema: &JsonSchemaProps,
        path: &Path<'_>,
        inherited: &Inherited<'_>,
        is_root: bool,
        cel: Option<&Cel<'_>>,
    ) {
        let before = self.errors.schema.0.len();
        self.keywords(schema, path, inherited);
        self.children(schema, path, inherited, is_root, cel);
        self.junctors(schema, path, inherited);
        self.extensions(schema, path);
        let errors = &mut self.errors.schema;
        if self.options.list_keys {
            list_keys::validate(schema, path, errors);
        }
        if schema.validations.is_empty() {
            return;
        }
        super::rule::validate_texts(schema, path, errors);
        // Rules on a schema with errors would have errors that nobody understands.
        if errors.0.len() == before
            && let Some(cel) = cel
        {
            self.rules(schema, path, inherited, cel);
        }
    }

    fn keywords(&mut self, schema: &JsonSchemaProps, path: &Path<'_>, inherited: &Inherited<'_>) {
        const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
        let (errors, span) = (&mut self.errors.schema, schema.span);
        let schema_type = schema.schema_type.as_str();
        if self.options.valid_types
            && !schema_type.is_empty()
            && SchemaType::parse(schema_type).is_none()
        {
            errors.not_supported(&path.child("type"), span, quoted(schema_type), &TYPES);
        }
        if schema.default.is_some()
            && let Some(reason) = &inherited.forbidden_defaults
        {
            let detail = alloc::format!("must not be set {reason}");
            errors.forbidden(&path.child("default"), span, detail);
        }
        let unsupported = [
            ("id", !schema.id.is_empty()),
            ("additionalItems", schema.additional_items.is_some()),
            ("patternProperties", !schema.pattern_properties.is_empty()),
            ("definitions", !schema.definitions.is_empty()),
            ("dependencies", schema.has_dependencies),
            ("$ref", schema.reference.is_some()),
        ];
        for (keyword, is_set) in unsupported {
            if is_set {
                let detail = alloc::format!("{keyword} is not supported");
                errors.forbidden(&path.child(keyword), span, detail);
            }
        }
        if schema_type == "null" {
            let detail = "type cannot be set to null, use nullable as an alternative";
            errors.forbidden(&path.child("type"), span, detail);
        }
        if matches!(schema.items.as_deref(), Some(SchemaOrArray::Array(items)) if !items.is_empty())
        {
            let detail = "items must be a schema object and not an array";
            errors.forbidden(&path.child("items"), span, detail);
        }
        if inherited.inside_meta && schema.embedded_resource {
            let path = path.child("x-kubernetes-embedded-resource");
            errors.forbidden(&path, span, "must not be used inside of resource meta");
        }
        if schema.unique_items {
            let detail =
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            errors.forbidden(&path.child("uniqueItems"), span, detail);
        }
    }

    fn children(
        &mut self,
        schema: &JsonSchemaProps,
        path: &Path<'_>,
        inherited: &Inherited<'_>,
        is_root: bool,
        cel: Option<&Cel<'_>>,
    ) {
        if let Some(additional) = schema.additional_properties.as_deref() {
            let path = path.child("additionalProperties");
            let is_plain = matches!(additional, SchemaOrBool::Allows(true));
            if !schema.properties.is_empty() && !is_plain {
                let detail = "additionalProperties and properties are mutual exclusive";
                self.errors.schema.forbidden(&path, schema.span, detail);
            }
            if let SchemaOrBool::Schema(additional) = additional {
                let mut inherited = inherited.clone();
                if inherited.inside_meta {
                    let reason = "inside additionalProperties applying to object metadata";
                    inherited.forbidden_defaults = Some(reason.into());
                }
                let cel = cel.and_then(|cel| cel.below(schema, None));
                self.node(additional, &path, &inherited, false, cel.as_ref());
            }
        }
        let is_resource = is_root || schema.embedded_resource;
        let is_correlatable =
            matches!(schema.map_type.as_deref(), None | Some("granular" | "atomic"));
        let properties = path.child("properties");
        for (name, property) in &schema.properties {
            let mut inherited = inherited.clone();
            if !is_correlatable {
                inherited.uncorrelatable = inherited.uncorrelatable.or(Some(path));
            }
            if is_resource && META_FIELDS.contains(&name.as_str()) {
                inherited.inside_meta = true;
                if is_root {
                    inherited.forbidden_defaults =
                        Some(alloc::format!("in top-level {name}").into());
                }
            }
            let cel = cel.and_then(|cel| cel.below(schema, Some(name)));
            self.node(property, &properties.key(name), &inherited, false, cel.as_ref());
        }
        let Some(items) = schema.items.as_deref() else { return };
        let mut inherited = inherited.clone();
        // Only items with keys can be compared with their past.
        if schema.list_type.as_deref() != Some("map") {
            inherited.uncorrelatable = inherited.uncorrelatable.or(Some(path));
        }
        let items_path = path.child("items");
        match items {
            SchemaOrArray::Schema(items) => {
                let cel = cel.and_then(|cel| cel.below(schema, None));
                self.node(items, &items_path, &inherited, false, cel.as_ref());
            }
            SchemaOrArray::Array(schemas) => {
                for (index, items) in schemas.iter().enumerate() {
                    self.node(items, &items_path.index(index), &inherited, false, None);
                }
            }
        }
    }

    fn junctors(&mut self, schema: &JsonSchemaProps, path: &Path<'_>, inherited: &Inherited<'_>) {
        if let Some(not) = schema.not.as_deref() {
            self.node(not, &path.child("not"), inherited, false, None);
        }
        let lists =
            [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)];
        for (keyword, schemas) in lists {
            let path = path.child(keyword);
            for (index, nested) in schemas.iter().enumerate() {
                self.node(nested, &path.index(index), inherited, false, None);
            }
        }
        let definitions = path.child("definitions");
        for (name, nested) in &schema.definitions {
            self.node(nested, &definitions.key(name), inherited, false, None);
        }
        let dependencies = path.child("dependencies");
        for (name, dependency) in &schema.dependencies {
            if let SchemaOrStrings::Schema(nested) = dependency {
                self.node(nested, &dependencies.key(name), inherited, false, None);
            }
        }
    }

    fn extensions(&mut self, schema: &JsonSchemaProps, path: &Path<'_>) {
        let (errors, span) = (&mut self.errors.schema, schema.span);
        if schema.preserve_unknown_fields == Some(false) {
            let path = path.child("x-kubernetes-preserve-unknown-fields");
            errors.invalid(&path, span, "false", "must be true or undefined");
        }
        if let Some(map_type) = schema.map_type.as_deref() {
            let detail = "must be object if x-kubernetes-map-type is specified";
            require_type(schema, "object", detail, path, errors);
            if !matches!(map_type, "atomic" | "granular") {
                let path = path.child("x-kubernetes-map-type");
                errors.not_supported(&path, span, quoted(map_type), &["atomic", "granular"]);
            }
        }
        let list_path = path.child("x-kubernetes-list-type");
        if let Some(list_type) = schema.list_type.as_deref() {
            if schema.schema_type != "array" {
                let detail = "must be array if x-kubernetes-list-type is specified";
                require_type(schema, "array", detail, path, errors);
            } else if self.options.atomic_sets {
                atomic_items(schema, path, errors);
            }
            if !matches!(list_type, "atomic" | "set" | "map") {
                let value = quoted(list_type);
                errors.not_supported(&list_path, span, value, &["atomic", "set", "map"]);
            }
        }
        if !schema.list_map_keys.is_empty() {
            let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
            match schema.list_type.as_deref() {
                None => errors.required(&list_path, span, detail),
                Some("map") => {}
                Some(other) => errors.invalid(&list_path, span, quoted(other), detail),
            }
        }
        if schema.list_type.as_deref() == Some("map") {
            keyed_list(schema, path, errors);
        }
    }
}

fn require_type(
    schema: &JsonSchemaProps,
    expected: &str,
    detail: &'static str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let path = path.child("type");
    match schema.schema_type.as_str() {
        actual if actual == expected => {}
        "" => errors.required(&path, schema.span, detail),
        other => errors.invalid(&path, schema.span, quoted(other), detail),
    }
}

/// Checks that the items of a set are values as a whole.
fn atomic_items(schema: &JsonSchemaProps, path: &Path<'_>, errors: &mut ErrorList) {
    const DETAIL: &str = "must be atomic as item of a list with x-kubernetes-list-type=set";
    if !super::options::has_mutable_items(schema) {
        return;
    }
    let Some(items) = schema.item_schema() else { return };
    let items_path = path.child("items");
    let keyword = match items.schema_type.as_str() {
        "array" => "x-kubernetes-list-type",
        _ => "x-kubernetes-map-type",
    };
    // The reference shows the list type in both cases.
    let value = json_option(items.list_type.as_deref());
    errors.invalid(&items_path.child(keyword), items.span, value, DETAIL);
}

fn keyed_list(schema: &JsonSchemaProps, path: &Path<'_>, errors: &mut ErrorList) {
    let span = schema.span;
    let (items_path, keys_path) = (path.child("items"), path.child("x-kubernetes-list-map-keys"));
    if schema.list_map_keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        errors.required(&keys_path, span, detail);
    }
    let items = match schema.items.as_deref() {
        None => {
            let detail = "must have a schema if x-kubernetes-list-type is map";
            return errors.required(&items_path, span, detail);
        }
        Some(items @ SchemaOrArray::Array(_)) => {
            let detail = "must only have a single schema if x-kubernetes-list-type is map";
            return errors.invalid(&items_path, span, dump_items(items), detail);
        }
        Some(SchemaOrArray::Schema(items)) => items,
    };
    if items.schema_type != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        let value = quoted(&items.schema_type);
        return errors.invalid(&items_path.child("type"), items.span, value, detail);
    }
    let properties = items_path.child("properties");
    for (index, key) in schema.list_map_keys.iter().enumerate() {
        match items.property(key) {
            Some(property) if matches!(property.schema_type.as_str(), "array" | "object") => {
                let path = properties.key(key);
                let detail =
                    "must be a scalar type if parent array's x-kubernetes-list-type is map";
                // The reference shows the type of the items.
                let value = quoted(&items.schema_type);
                errors.invalid(&path.child("type"), property.span, value, detail);
            }
            Some(_) => {}
            None => {
                let detail = "entries must all be names of item properties";
                errors.invalid(&keys_path, span, json_list(&schema.list_map_keys), detail);
            }
        }
        if schema.list_map_keys.iter().take(index).any(|before| before == key) {
            let detail = "must not contain duplicate entries";
            errors.invalid(&keys_path, span, json_list(&schema.list_map_keys), detail);
        }
    }
}

impl Walk<'_> {
    fn rules(
        &mut self,
        schema: &JsonSchemaProps,
        path: &Path<'_>,
        inherited: &Inherited<'_>,
        cel: &Cel<'_>,
    ) {
        let uncorrelatable = inherited.uncorrelatable.map(ToString::to_string);
        let node = super::rule::RuleNode { schema, path, cel, uncorrelatable };
        super::rule::validate(&node, self);
    }
}
