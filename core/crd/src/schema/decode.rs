//! Decoding of schemas from trees.

use super::props::{JsonSchemaProps, SchemaOrArray, SchemaOrBool, SchemaOrStrings, ValidationRule};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{Node, Value};

/// What a keyword of a schema is decoded with.
type Decode = fn(&mut JsonSchemaProps, &Node<'_>);

/// Keywords, and where their values go.
#[rustfmt::skip] // one row a line
static KEYWORDS: &[(&str, Decode)] = &[
    ("$ref", |schema, node| schema.reference = Some(text(node))),
    ("$schema", |schema, node| schema.schema = text(node)),
    ("additionalItems", |schema, node| schema.additional_items = schema_or_bool(node)),
    ("additionalProperties", |schema, node| schema.additional_properties = schema_or_bool(node)),
    ("allOf", |schema, node| schema.all_of = schemas(node)),
    ("anyOf", |schema, node| schema.any_of = schemas(node)),
    ("default", |schema, node| schema.default = Some(node.clone().into_owned())),
    ("definitions", |schema, node| schema.definitions = named(node)),
    ("dependencies", |schema, node| { schema.has_dependencies = true; schema.dependencies = dependencies(node); }),
    ("description", |schema, node| schema.description = text(node)),
    ("enum", |schema, node| schema.enumeration = node.items().iter().map(|item| item.clone().into_owned()).collect()),
    ("example", |schema, node| schema.example = Some(node.clone().into_owned())),
    ("exclusiveMaximum", |schema, node| schema.exclusive_maximum = truth(node)),
    ("exclusiveMinimum", |schema, node| schema.exclusive_minimum = truth(node)),
    ("externalDocs", |schema, node| schema.external_docs = Some((node.text_at(&["description"]).into(), node.text_at(&["url"]).into()))),
    ("format", |schema, node| schema.format = text(node)),
    ("id", |schema, node| schema.id = text(node)),
    ("items", |schema, node| schema.items = schema_or_array(node)),
    ("maxItems", |schema, node| schema.max_items = int(node)),
    ("maxLength", |schema, node| schema.max_length = int(node)),
    ("maxProperties", |schema, node| schema.max_properties = int(node)),
    ("maximum", |schema, node| schema.maximum = float(node)),
    ("minItems", |schema, node| schema.min_items = int(node)),
    ("minLength", |schema, node| schema.min_length = int(node)),
    ("minProperties", |schema, node| schema.min_properties = int(node)),
    ("minimum", |schema, node| schema.minimum = float(node)),
    ("multipleOf", |schema, node| schema.multiple_of = float(node)),
    ("not", |schema, node| schema.not = Some(Box::new(JsonSchemaProps::decode(node)))),
    ("nullable", |schema, node| schema.nullable = truth(node)),
    ("oneOf", |schema, node| schema.one_of = schemas(node)),
    ("pattern", |schema, node| schema.pattern = text(node)),
    ("patternProperties", |schema, node| schema.pattern_properties = named(node)),
    ("properties", |schema, node| schema.properties = named(node)),
    ("required", |schema, node| schema.required = texts(node)),
    ("title", |schema, node| schema.title = text(node)),
    ("type", |schema, node| schema.schema_type = text(node)),
    ("uniqueItems", |schema, node| schema.unique_items = truth(node)),
    ("x-kubernetes-embedded-resource", |schema, node| schema.embedded_resource = truth(node)),
    ("x-kubernetes-int-or-string", |schema, node| schema.int_or_string = truth(node)),
    ("x-kubernetes-list-map-keys", |schema, node| schema.list_map_keys = texts(node)),
    ("x-kubernetes-list-type", |schema, node| schema.list_type = Some(text(node))),
    ("x-kubernetes-map-type", |schema, node| schema.map_type = Some(text(node))),
    ("x-kubernetes-preserve-unknown-fields", |schema, node| schema.preserve_unknown_fields = node.as_bool()),
    ("x-kubernetes-validations", |schema, node| schema.validations = node.items().iter().map(rule).collect()),
];

impl JsonSchemaProps {
    /// Decodes a schema. Values of another type than their keyword's count as absent: decoding has refused them.
    pub fn decode(node: &Node<'_>) -> Self {
        let mut schema = Self { span: node.span, ..Self::default() };
        for entry in node.entries() {
            if entry.node.is_null() {
                continue;
            }
            let row = KEYWORDS.binary_search_by(|(keyword, _)| (*keyword).cmp(&*entry.key));
            if let Some((_, decode)) = row.ok().and_then(|index| KEYWORDS.get(index)) {
                decode(&mut schema, &entry.node);
            }
        }
        schema
    }
}

fn text(node: &Node<'_>) -> String {
    node.text().unwrap_or_default().to_string()
}

fn texts(node: &Node<'_>) -> Vec<String> {
    node.items().iter().map(text).collect()
}

fn truth(node: &Node<'_>) -> bool {
    node.as_bool() == Some(true)
}

fn int(node: &Node<'_>) -> Option<i64> {
    node.as_int()
}

fn float(node: &Node<'_>) -> Option<f64> {
    match node.value {
        Value::Int(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}

fn schemas(node: &Node<'_>) -> Vec<JsonSchemaProps> {
    node.items().iter().map(JsonSchemaProps::decode).collect()
}

fn sorted<T>(mut all: Vec<(String, T)>) -> Vec<(String, T)> {
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

fn named(node: &Node<'_>) -> Vec<(String, JsonSchemaProps)> {
    let entries = node.entries().iter();
    sorted(
        entries
            .map(|entry| (entry.key.to_string(), JsonSchemaProps::decode(&entry.node)))
            .collect(),
    )
}

fn dependencies(node: &Node<'_>) -> Vec<(String, SchemaOrStrings)> {
    let dependency = |node: &Node<'_>| match node.value {
        Value::List(_) => SchemaOrStrings::Strings(texts(node)),
        _ => SchemaOrStrings::Schema(JsonSchemaProps::decode(node)),
    };
    let entries = node.entries().iter();
    sorted(entries.map(|entry| (entry.key.to_string(), dependency(&entry.node))).collect())
}

fn schema_or_bool(node: &Node<'_>) -> Option<Box<SchemaOrBool>> {
    Some(Box::new(match &node.value {
        Value::Map(_) => SchemaOrBool::Schema(JsonSchemaProps::decode(node)),
        other => SchemaOrBool::Allows(matches!(other, Value::Bool(true))),
    }))
}

fn schema_or_array(node: &Node<'_>) -> Option<Box<SchemaOrArray>> {
    Some(Box::new(match &node.value {
        Value::Map(_) => SchemaOrArray::Schema(JsonSchemaProps::decode(node)),
        _ => SchemaOrArray::Array(schemas(node)),
    }))
}

fn rule(node: &Node<'_>) -> ValidationRule {
    let member = |name: &str| node.text_at(&[name]).to_string();
    ValidationRule {
        rule: member("rule"),
        message: member("message"),
        message_expression: member("messageExpression"),
        reason: node.get("reason").and_then(Node::text).map(ToString::to_string),
        field_path: member("fieldPath"),
        optional_old_self: node.get("optionalOldSelf").and_then(Node::as_bool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted_by(|one, other| one.0 < other.0));
    }
}
