//! Conversion of an applied object to Go's types: values may fit the schema and still not their type.

use alloc::format;
use alloc::string::{String, ToString};
use ratchet_object::go_time::{RFC3339, RFC3339_MICRO, parse_error};
use ratchet_object::schema::{self, Shape};
use ratchet_object::{Node, Quantity, Value, decode_base64};

const FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX: &str = "unable to parse quantity's suffix";
const NUMERIC: &str = "unable to parse numeric part of quantity";

/// Why an object that fits the schema cannot be converted to the type at this index of the tables.
pub(crate) fn conversion_error(object: &Node<'_>, type_index: u16) -> Option<String> {
    let row = schema::type_of(type_index);
    object
        .entries()
        .iter()
        .find_map(|entry| value_error(&entry.node, &row.field(&entry.key)?.shape))
}

fn value_error(node: &Node<'_>, shape: &Shape) -> Option<String> {
    if node.is_null() {
        return None;
    }
    match shape {
        Shape::Object(type_index) => conversion_error(node, *type_index),
        Shape::List(items) => node.items().iter().find_map(|item| value_error(item, items)),
        Shape::Map(values) => {
            node.entries().iter().find_map(|entry| value_error(&entry.node, values))
        }
        Shape::Int32 => integer_error(node, "int32"),
        Shape::Int64 => integer_error(node, "int64"),
        Shape::Quantity => quantity_error(node),
        Shape::Time => time_error(node, RFC3339),
        Shape::MicroTime => time_error(node, RFC3339_MICRO),
        Shape::IntOrString => int_or_string_error(node),
        Shape::Bytes => {
            let at = decode_base64(node.text()?).err()?;
            Some(format!("error decoding from json: illegal base64 data at input byte {at}"))
        }
        Shape::String | Shape::Bool | Shape::Float | Shape::Any | Shape::OneOf(_) => None,
    }
}

fn integer_error(node: &Node<'_>, ty: &str) -> Option<String> {
    match node.value {
        Value::Float(number) if number % 1.0 != 0.0 => {
            Some(format!("cannot convert float64 to {ty}"))
        }
        _ => None,
    }
}

fn quantity_error(node: &Node<'_>) -> Option<String> {
    let text = match &node.value {
        Value::Text(text) => text.trim().to_string(),
        _ => node.to_json(),
    };
    if Quantity::saturating(&text).is_some() {
        return None;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let suffix = unsigned.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let power = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let power = power.strip_prefix(['+', '-']).unwrap_or(power);
    let has_format =
        suffix.len() < unsigned.len() && power.chars().all(|letter| letter.is_ascii_digit());
    Some(String::from(if !has_format {
        FORMAT
    } else if Quantity::saturating(&format!("1{suffix}")).is_none() {
        SUFFIX
    } else {
        NUMERIC
    }))
}

fn time_error(node: &Node<'_>, layout: &str) -> Option<String> {
    match &node.value {
        Value::Text(text) => parse_error(text, layout),
        _ => {
            let found = node.type_name();
            Some(format!("json: cannot unmarshal {found} into Go value of type string"))
        }
    }
}

fn int_or_string_error(node: &Node<'_>) -> Option<String> {
    let found = match &node.value {
        Value::Text(_) => return None,
        Value::Int(number) if i32::try_from(*number).is_ok() => return None,
        Value::Float(number) if *number % 1.0 == 0.0 && number.abs() < 2e9 => return None,
        Value::Int(_) | Value::Float(_) => format!("number {}", node.to_json()),
        _ => node.type_name().to_string(),
    };
    Some(format!("json: cannot unmarshal {found} into Go value of type int32"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn error(group: &str, kind: &str, object: &str) -> Option<String> {
        let object = decode(object, Limits::DEFAULT).unwrap().documents.remove(0);
        conversion_error(&object, schema::kind(group, "v1", kind).unwrap().ty)
    }

    #[test]
    fn values_that_no_schema_refuses() {
        let limits = |memory: &str| {
            format!("{{spec: {{containers: [{{resources: {{limits: {{memory: {memory}}}}}}}]}}}}")
        };
        for (group, kind, object, message) in [
            ("apps", "Deployment", "{spec: {replicas: 1.5}}", "cannot convert float64 to int32"),
            ("", "Pod", limits("banana").as_str(), FORMAT),
            ("", "Pod", limits("1ii").as_str(), SUFFIX),
            ("", "Pod", limits("1.1.1").as_str(), NUMERIC),
            (
                "",
                "Secret",
                "{data: {a: b}}",
                "error decoding from json: illegal base64 data at input byte 0",
            ),
            (
                "",
                "Service",
                "{spec: {ports: [{targetPort: 1.5}]}}",
                "json: cannot unmarshal number 1.5 into Go value of type int32",
            ),
            (
                "",
                "Service",
                "{spec: {ports: [{targetPort: {}}]}}",
                "json: cannot unmarshal object into Go value of type int32",
            ),
            (
                "coordination.k8s.io",
                "Lease",
                "{spec: {renewTime: 7}}",
                "json: cannot unmarshal number into Go value of type string",
            ),
        ] {
            assert_eq!(error(group, kind, object).as_deref(), Some(message), "{object}");
        }
    }

    #[test]
    fn what_fits() {
        for (group, kind, object) in [
            ("apps", "Deployment", "{spec: {replicas: 2.0}, unknown: 1}"),
            ("", "Pod", "{spec: {containers: [{resources: {limits: {memory: 1Gi, cpu: 0.5}}}]}}"),
            ("", "Secret", "{data: {a: null, b: YQ==}}"),
            ("", "Service", "{spec: {ports: [{targetPort: 80}, {targetPort: web}]}}"),
            ("coordination.k8s.io", "Lease", "{spec: {renewTime: '2026-01-01T00:00:00.000000Z'}}"),
        ] {
            assert_eq!(error(group, kind, object), None, "{object}");
        }
    }
}
