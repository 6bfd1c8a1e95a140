//! Types of values, and what schemas allow of them.

use super::finding::Code;
use super::{Origin, Validator};
use crate::errors::quoted;
use crate::path::Path;
use crate::structural::{SchemaType, Structural};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, Value};

/// The types that a schema allows.
pub(super) type Types = &'static [SchemaType];

const INT_OR_STRING: Types = &[SchemaType::Integer, SchemaType::String];

impl Validator {
    pub(super) fn types(&self, schema: &Structural) -> Types {
        if schema.int_or_string && self.origin == Origin::Request {
            return INT_OR_STRING;
        }
        match schema.schema_type {
            None => &[],
            Some(SchemaType::Array) => &[SchemaType::Array],
            Some(SchemaType::Boolean) => &[SchemaType::Boolean],
            Some(SchemaType::Integer) => &[SchemaType::Integer],
            Some(SchemaType::Number) => &[SchemaType::Number],
            Some(SchemaType::Object) => &[SchemaType::Object],
            Some(SchemaType::String) => &[SchemaType::String],
        }
    }

    pub(super) fn null_type(
        &mut self,
        types: Types,
        schema: &Structural,
        node: &Node<'_>,
        path: &Path<'_>,
    ) -> u32 {
        if types.is_empty() || schema.nullable {
            return 1;
        }
        self.wrong_type(&names(types), "null", node, path);
        0
    }

    /// Checks the type of a value that is not null.
    pub(super) fn value_type(
        &mut self,
        types: Types,
        format: &str,
        node: &Node<'_>,
        path: &Path<'_>,
    ) -> u32 {
        let (actual, actual_format) = type_of(node);
        let is_whole = matches!(node.value, Value::Float(number) if is_json_integer(number))
            && types.contains(&SchemaType::Integer);
        let is_number = actual == SchemaType::Integer && types.contains(&SchemaType::Number);
        let fits = types.contains(&actual) || is_whole || is_number;
        let is_text_or_list = matches!(node.value, Value::Text(_) | Value::List(_));
        if !is_text_or_list && !format.is_empty() && !fits && actual_format != format {
            self.wrong_type(format, actual_format, node, path);
            return 0;
        }
        let is_numeric =
            types.contains(&SchemaType::Number) || types.contains(&SchemaType::Integer);
        // The format decides alone.
        if !is_numeric && !format.is_empty() && is_text_or_list {
            return 1;
        }
        if !fits {
            self.wrong_type(&names(types), actual.as_str(), node, path);
            return 0;
        }
        1
    }

    fn wrong_type(&mut self, expected: &str, actual: &str, node: &Node<'_>, path: &Path<'_>) {
        let message = format!("{path} in body must be of type {expected}: {}", quoted(actual));
        self.push(Code::Type, path, node, quoted(actual), message);
    }
}

fn names(types: Types) -> String {
    let names: Vec<&str> = types.iter().map(|schema_type| schema_type.as_str()).collect();
    names.join(",")
}

/// The type of a value that is not null, and the format that numbers have.
fn type_of(node: &Node<'_>) -> (SchemaType, &'static str) {
    match node.value {
        Value::Bool(_) => (SchemaType::Boolean, ""),
        Value::Int(_) => (SchemaType::Integer, "int64"),
        Value::Float(_) => (SchemaType::Number, "float64"),
        Value::List(_) => (SchemaType::Array, ""),
        Value::Map(_) => (SchemaType::Object, ""),
        Value::Null | Value::Text(_) => (SchemaType::String, ""),
    }
}

/// Whether a number is whole, or nearly so, and small enough for JavaScript.
pub(super) fn is_json_integer(number: f64) -> bool {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if !(-LARGEST..=LARGEST).contains(&number) {
        return false;
    }
    let whole = (number as i64) as f64;
    // Go's unsigned conversion of a positive number; of a negative one nothing near it.
    let unsigned = (number as u64) as f64;
    if number == whole || number == unsigned {
        return true;
    }
    let difference = (number - unsigned).abs();
    if number == 0.0 || unsigned == 0.0 {
        return false;
    }
    difference / (number.abs() + unsigned.abs()) < 1e-9
}
