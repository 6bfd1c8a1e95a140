//! Schemas as the API server's internal Go types, which some error messages contain: every field by its Go name.

use super::props::{JsonSchemaProps, SchemaOrArray, SchemaOrBool, SchemaOrStrings, ValidationRule};
use crate::errors::{float, json, json_list, json_option, tree};
use alloc::string::{String, ToString};
use core::fmt::Write as _;
use ratchet_object::Node;

/// A schema as JSON of its Go type.
pub(crate) fn dump(schema: &JsonSchemaProps) -> String {
    let mut out = String::new();
    write(schema, &mut out);
    out
}

fn write(schema: &JsonSchemaProps, out: &mut String) {
    let mut separator = '{';
    let mut member = |name: &str, value: &dyn Fn(&mut String)| {
        let _ = write!(out, "{separator}\"{name}\":");
        separator = ',';
        value(out);
    };
    let mut plain = |name: &str, value: String| member(name, &|out| out.push_str(&value));
    plain("ID", json(&schema.id));
    plain("Schema", json(&schema.schema));
    plain("Ref", json_option(schema.reference.as_deref()));
    plain("Description", json(&schema.description));
    plain("Type", json(&schema.schema_type));
    plain("Nullable", schema.nullable.to_string());
    plain("Format", json(&schema.format));
    plain("Title", json(&schema.title));
    plain("Default", value(schema.default.as_ref()));
    plain("Maximum", number(schema.maximum));
    plain("ExclusiveMaximum", schema.exclusive_maximum.to_string());
    plain("Minimum", number(schema.minimum));
    plain("ExclusiveMinimum", schema.exclusive_minimum.to_string());
    plain("MaxLength", length(schema.max_length));
    plain("MinLength", length(schema.min_length));
    plain("Pattern", json(&schema.pattern));
    plain("MaxItems", length(schema.max_items));
    plain("MinItems", length(schema.min_items));
    plain("UniqueItems", schema.unique_items.to_string());
    plain("MultipleOf", number(schema.multiple_of));
    plain("Enum", list(&schema.enumeration, |node| value(Some(node))));
    plain("MaxProperties", length(schema.max_properties));
    plain("MinProperties", length(schema.min_properties));
    plain("Required", strings(&schema.required));
    plain("Items", schema.items.as_deref().map_or("null".into(), dump_items));
    plain("AllOf", list(&schema.all_of, dump));
    plain("OneOf", list(&schema.one_of, dump));
    plain("AnyOf", list(&schema.any_of, dump));
    plain("Not", schema.not.as_deref().map_or("null".into(), dump));
    plain("Properties", named(&schema.properties, dump));
    plain("AdditionalProperties", or_bool(schema.additional_properties.as_deref()));
    plain("PatternProperties", named(&schema.pattern_properties, dump));
    plain("Dependencies", named(&schema.dependencies, dependency));
    plain("AdditionalItems", or_bool(schema.additional_items.as_deref()));
    plain("Definitions", named(&schema.definitions, dump));
    let docs = schema.external_docs.as_ref().map(|(description, url)| {
        alloc::format!("{{\"Description\":{},\"URL\":{}}}", json(description), json(url))
    });
    plain("ExternalDocs", docs.unwrap_or("null".into()));
    plain("Example", value(schema.example.as_ref()));
    let preserve = schema.preserve_unknown_fields.map(|truth| truth.to_string());
    plain("XPreserveUnknownFields", preserve.unwrap_or("null".into()));
    plain("XEmbeddedResource", schema.embedded_resource.to_string());
    plain("XIntOrString", schema.int_or_string.to_string());
    plain("XListMapKeys", strings(&schema.list_map_keys));
    plain("XListType", json_option(schema.list_type.as_deref()));
    plain("XMapType", json_option(schema.map_type.as_deref()));
    plain("XValidations", list(&schema.validations, dump_rule));
    out.push('}');
}

/// A rule as JSON of its Go type.
pub(crate) fn dump_rule(rule: &ValidationRule) -> String {
    let optional = rule.optional_old_self.map(|truth| truth.to_string());
    alloc::format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{},\"FieldPath\":{},\"OptionalOldSelf\":{}}}",
        json(&rule.rule),
        json(&rule.message),
        json(&rule.message_expression),
        json_option(rule.reason.as_deref()),
        json(&rule.field_path),
        optional.as_deref().unwrap_or("null"),
    )
}

/// The value of `items` as JSON of its Go type.
pub(crate) fn dump_items(items: &SchemaOrArray) -> String {
    let (schema, schemas) = match items {
        SchemaOrArray::Schema(schema) => (dump(schema), "null".into()),
        SchemaOrArray::Array(schemas) if schemas.is_empty() => ("null".into(), "[]".into()),
        SchemaOrArray::Array(schemas) => ("null".into(), list(schemas, dump)),
    };
    alloc::format!("{{\"Schema\":{schema},\"JSONSchemas\":{schemas}}}")
}

fn or_bool(value: Option<&SchemaOrBool>) -> String {
    match value {
        None => "null".into(),
        Some(SchemaOrBool::Schema(schema)) => {
            alloc::format!("{{\"Allows\":true,\"Schema\":{}}}", dump(schema))
        }
        Some(SchemaOrBool::Allows(allows)) => {
            alloc::format!("{{\"Allows\":{allows},\"Schema\":null}}")
        }
    }
}

fn dependency(value: &SchemaOrStrings) -> String {
    match value {
        SchemaOrStrings::Schema(schema) => {
            alloc::format!("{{\"Schema\":{},\"Property\":null}}", dump(schema))
        }
        SchemaOrStrings::Strings(names) => {
            alloc::format!("{{\"Schema\":null,\"Property\":{}}}", json_list(names))
        }
    }
}

fn value(node: Option<&Node<'_>>) -> String {
    tree(node)
}

fn number(value: Option<f64>) -> String {
    value.map_or("null".into(), |number| float(number, true))
}

fn length(value: Option<i64>) -> String {
    value.map_or("null".into(), |length| length.to_string())
}

fn strings(values: &[String]) -> String {
    if values.is_empty() { "null".into() } else { json_list(values) }
}

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    if items.is_empty() {
        return "null".into();
    }
    let items: alloc::vec::Vec<String> = items.iter().map(write).collect();
    alloc::format!("[{}]", items.join(","))
}

fn named<T>(items: &[(String, T)], write: impl Fn(&T) -> String) -> String {
    if items.is_empty() {
        return "null".into();
    }
    let item = |(name, value): &(String, T)| alloc::format!("{}:{}", json(name), write(value));
    let items: alloc::vec::Vec<String> = items.iter().map(item).collect();
    alloc::format!("{{{}}}", items.join(","))
}
