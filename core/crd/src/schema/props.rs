//! `JsonSchemaProps`: the schema of a value, as a definition writes it.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, Span};

/// A JSON schema (`apiextensions.JSONSchemaProps`). Maps are sorted by key; absent and `null` are the same.
#[derive(Clone, Debug, Default)]
pub struct JsonSchemaProps {
    /// Its place in the source text.
    pub span: Span,
    /// `id`
    pub id: String,
    /// `$schema`
    pub schema: String,
    /// `$ref`
    pub reference: Option<String>,
    /// `description`
    pub description: String,
    /// `type`
    pub schema_type: String,
    /// `nullable`
    pub nullable: bool,
    /// `format`
    pub format: String,
    /// `title`
    pub title: String,
    /// `default`
    pub default: Option<Node<'static>>,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `minimum`
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `maxLength`
    pub max_length: Option<i64>,
    /// `minLength`
    pub min_length: Option<i64>,
    /// `pattern`
    pub pattern: String,
    /// `maxItems`
    pub max_items: Option<i64>,
    /// `minItems`
    pub min_items: Option<i64>,
    /// `uniqueItems`
    pub unique_items: bool,
    /// `multipleOf`
    pub multiple_of: Option<f64>,
    /// `enum`
    pub enumeration: Vec<Node<'static>>,
    /// `maxProperties`
    pub max_properties: Option<i64>,
    /// `minProperties`
    pub min_properties: Option<i64>,
    /// `required`
    pub required: Vec<String>,
    /// `items`
    pub items: Option<Box<SchemaOrArray>>,
    /// `allOf`
    pub all_of: Vec<Self>,
    /// `oneOf`
    pub one_of: Vec<Self>,
    /// `anyOf`
    pub any_of: Vec<Self>,
    /// `not`
    pub not: Option<Box<Self>>,
    /// `properties`
    pub properties: Vec<(String, Self)>,
    /// `additionalProperties`
    pub additional_properties: Option<Box<SchemaOrBool>>,
    /// `patternProperties`
    pub pattern_properties: Vec<(String, Self)>,
    /// `dependencies`
    pub dependencies: Vec<(String, SchemaOrStrings)>,
    /// Whether `dependencies` is set, even if it is empty.
    pub has_dependencies: bool,
    /// `additionalItems`
    pub additional_items: Option<Box<SchemaOrBool>>,
    /// `definitions`
    pub definitions: Vec<(String, Self)>,
    /// `externalDocs`: description and URL
    pub external_docs: Option<(String, String)>,
    /// `example`
    pub example: Option<Node<'static>>,
    /// `x-kubernetes-preserve-unknown-fields`
    pub preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    pub int_or_string: bool,
    /// `x-kubernetes-list-map-keys`
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-list-type`
    pub list_type: Option<String>,
    /// `x-kubernetes-map-type`
    pub map_type: Option<String>,
    /// `x-kubernetes-validations`
    pub validations: Vec<ValidationRule>,
}

/// A schema for all items, or one for each.
#[expect(clippy::large_enum_variant, reason = "almost all of them are schemas")]
#[derive(Clone, Debug)]
pub enum SchemaOrArray {
    /// One schema.
    Schema(JsonSchemaProps),
    /// A schema for each of the first items.
    Array(Vec<JsonSchemaProps>),
}

/// A schema, or whether anything is allowed.
#[expect(clippy::large_enum_variant, reason = "almost all of them are schemas")]
#[derive(Clone, Debug)]
pub enum SchemaOrBool {
    /// What is allowed has a schema.
    Schema(JsonSchemaProps),
    /// Anything, or nothing.
    Allows(bool),
}

/// A schema, or names of properties.
#[expect(clippy::large_enum_variant, reason = "almost all of them are schemas")]
#[derive(Clone, Debug)]
pub enum SchemaOrStrings {
    /// A schema.
    Schema(JsonSchemaProps),
    /// Names of properties.
    Strings(Vec<String>),
}

/// A rule of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationRule {
    /// The expression.
    pub rule: String,
    /// What a violation is answered with.
    pub message: String,
    /// An expression for the message.
    pub message_expression: String,
    /// The reason of the error.
    pub reason: Option<String>,
    /// The field that the error is about, relative to the rule's own.
    pub field_path: String,
    /// Whether the rule is evaluated without an old value too.
    pub optional_old_self: Option<bool>,
}

impl JsonSchemaProps {
    /// The property `name`.
    pub fn property(&self, name: &str) -> Option<&Self> {
        let index = self.properties.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok()?;
        self.properties.get(index).map(|(_, schema)| schema)
    }

    /// The schema of all items, if there is one.
    pub fn item_schema(&self) -> Option<&Self> {
        match self.items.as_deref() {
            Some(SchemaOrArray::Schema(schema)) => Some(schema),
            _ => None,
        }
    }

    /// The schema of properties without a name, if there is one.
    pub fn additional_schema(&self) -> Option<&Self> {
        match self.additional_properties.as_deref() {
            Some(SchemaOrBool::Schema(schema)) => Some(schema),
            _ => None,
        }
    }
}
