//! Enumerations of values.

use super::Validator;
use super::finding::{Code, Finding};
use crate::errors::{bad_value, supported_values, tree};
use crate::path::Path;
use crate::structural::Checks;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{Node, Value};

impl Validator {
    pub(super) fn enumeration(&mut self, checks: &Checks, node: &Node<'_>, path: &Path<'_>) {
        let values = &checks.enumeration;
        if values.is_empty() || !self.effort.spend(u64::try_from(values.len()).unwrap_or(u64::MAX))
        {
            return;
        }
        if values.iter().any(|value| is_value(node, value)) {
            return;
        }
        // The texts are written only if there is room for them: they are as long as the schema.
        let length: usize = values.iter().filter_map(Node::text).map(str::len).sum();
        if length > self.effort.room() {
            self.findings.push(Finding::unlisted());
            return;
        }
        let text = |value: &Node<'_>| match value.text() {
            Some(text) => text.to_string(),
            None => tree(Some(value)),
        };
        let supported: Vec<String> = values.iter().map(text).collect();
        let message = alloc::format!("{path} in body should be one of [{}]", supported.join(" "));
        let code = Code::Enum(supported_values(&supported));
        self.push(code, path, node, bad_value(Some(node)), message);
    }
}

/// Whether a value is one of the enumeration, after Go's conversion to its type.
fn is_value(node: &Node<'_>, value: &Node<'_>) -> bool {
    match (&node.value, &value.value) {
        // Neither null is a value.
        (Value::Null, _) | (_, Value::Null) => false,
        // Fractions are cut.
        (Value::Float(number), Value::Int(value)) => *number as i64 == *value,
        (Value::Int(number), Value::Float(value)) => *number as f64 == *value,
        _ => node == value,
    }
}
