//! Bounds of numbers, multiples, and the ranges of integer types.

use super::Validator;
use super::finding::Code;
use super::types::is_json_integer;
use crate::errors::float;
use crate::path::Path;
use crate::structural::{SchemaType, Structural};
use alloc::format;
use alloc::string::{String, ToString};
use ratchet_object::{Node, Value};

/// What a schema's type says about the range of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    /// Nothing.
    Any,
    /// Whole numbers of 32 bits.
    Int32,
    /// Whole numbers of 64 bits, with the format that the message names.
    Int64(&'static str),
    /// Floating-point numbers of 32 bits.
    Float,
}

impl Range {
    fn of(schema: &Structural) -> Self {
        let format = schema.checks.as_deref().map(|checks| &*checks.format_name);
        // A number or a string has no range.
        match (schema.int_or_string, schema.schema_type, format.unwrap_or_default()) {
            (false, Some(SchemaType::Integer), "int32") => Self::Int32,
            (false, Some(SchemaType::Integer), "int64") => Self::Int64("int64"),
            (false, Some(SchemaType::Integer), _) => Self::Int64(""),
            (false, Some(SchemaType::Number), "float") => Self::Float,
            _ => Self::Any,
        }
    }

    fn holds(self, number: Number) -> bool {
        match (self, number) {
            (Self::Any, _) | (Self::Int64(_), Number::Int(_)) => true,
            (Self::Int32, Number::Int(number)) => i32::try_from(number).is_ok(),
            (Self::Int32, Number::Float(number)) => {
                is_whole(number) && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number)
            }
            (Self::Int64(_), Number::Float(number)) => {
                is_whole(number)
                    && (-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&number)
            }
            (Self::Float, Number::Int(_)) => true,
            (Self::Float, Number::Float(number)) => (number as f32).is_finite(),
        }
    }

    /// `integer with format int32`
    fn describe(self) -> String {
        let (name, format) = match self {
            Self::Any => ("", ""),
            Self::Int32 => ("integer", "int32"),
            Self::Int64(format) => ("integer", format),
            Self::Float => ("number", "float"),
        };
        match format {
            "" => format!("{name} (default format)"),
            format => format!("{name} with format {format}"),
        }
    }
}

fn is_whole(number: f64) -> bool {
    // Beyond 2^53 all numbers are whole.
    number.abs() >= 9_007_199_254_740_992.0 || (number as i64) as f64 == number
}

#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    fn as_float(self) -> f64 {
        match self {
            Self::Int(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    fn text(self) -> String {
        match self {
            Self::Int(number) => number.to_string(),
            Self::Float(number) => float(number, false),
        }
    }
}

/// A bound of numbers.
struct Bound {
    /// What the message calls the bound itself.
    name: &'static str,
    limit: f64,
    exclusive: bool,
    is_maximum: bool,
}

impl Validator {
    pub(super) fn number(&mut self, schema: &Structural, node: &Node<'_>, path: &Path<'_>) {
        let number = match node.value {
            Value::Int(number) => Number::Int(number),
            Value::Float(number) => Number::Float(number),
            _ => return,
        };
        let range = Range::of(schema);
        self.in_range(range, number, "Checked", node, path);
        let Some(checks) = schema.checks.as_deref() else { return };
        if let Some(factor) = checks.multiple_of {
            self.multiple(range, number, factor, node, path);
        }
        let bounds = [
            (checks.minimum, checks.exclusive_minimum, "Minimum boundary", false),
            (checks.maximum, checks.exclusive_maximum, "Maximum boundary", true),
        ];
        for (limit, exclusive, name, is_maximum) in bounds {
            if let Some(limit) = limit {
                let bound = Bound { name, limit, exclusive, is_maximum };
                self.bound(range, number, &bound, node, path);
            }
        }
    }

    fn in_range(
        &mut self,
        range: Range,
        number: Number,
        what: &str,
        node: &Node<'_>,
        path: &Path<'_>,
    ) -> bool {
        let holds = range.holds(number);
        if !holds {
            let message = format!("{what} value must be of type {} in {path}", range.describe());
            self.push(Code::Composite, path, node, "\"\"".into(), message);
        }
        holds
    }

    fn bound(
        &mut self,
        range: Range,
        number: Number,
        bound: &Bound,
        node: &Node<'_>,
        path: &Path<'_>,
    ) {
        let fits = self.in_range(range, Number::Float(bound.limit), bound.name, node, path);
        // A limit that fits the type is compared in the value's own type.
        let (number, limit) = match number {
            Number::Int(number) if fits => (Number::Int(number), Number::Int(bound.limit as i64)),
            other => (Number::Float(other.as_float()), Number::Float(bound.limit)),
        };
        let order = match (number, limit) {
            (Number::Int(number), Number::Int(limit)) => Some(number.cmp(&limit)),
            (number, limit) => number.as_float().partial_cmp(&limit.as_float()),
        };
        let Some(order) = order else { return };
        let order = if bound.is_maximum { order } else { order.reverse() };
        if order.is_lt() || (order.is_eq() && !bound.exclusive) {
            return;
        }
        let relation = match (bound.is_maximum, bound.exclusive) {
            (true, false) => "less than or equal to",
            (true, true) => "less than",
            (false, false) => "greater than or equal to",
            (false, true) => "greater than",
        };
        let message = format!("{path} in body should be {relation} {}", limit.text());
        self.push(Code::Invalid, path, node, number.text(), message);
    }

    fn multiple(
        &mut self,
        range: Range,
        number: Number,
        factor: f64,
        node: &Node<'_>,
        path: &Path<'_>,
    ) {
        let fits = self.in_range(range, Number::Float(factor), "MultipleOf", node, path);
        let (number, factor, is_multiple) = match number {
            Number::Int(number) if fits => {
                let factor = factor as i64;
                let is_multiple = (factor > 0).then(|| number % factor == 0);
                (Number::Int(number), Number::Int(factor), is_multiple)
            }
            other => {
                let value = other.as_float();
                let quotient = if factor < 1.0 { 1.0 / factor * value } else { value / factor };
                let is_multiple = (factor > 0.0).then(|| is_json_integer(quotient));
                (Number::Float(value), Number::Float(factor), is_multiple)
            }
        };
        match is_multiple {
            Some(true) => {}
            Some(false) => {
                let message = format!("{path} in body should be a multiple of {}", factor.text());
                self.push(Code::Invalid, path, node, number.text(), message);
            }
            None => {
                let factor = factor.text();
                let message =
                    format!("factor MultipleOf declared for {path} must be positive: {factor}");
                self.push(Code::Invalid, path, node, factor, message);
            }
        }
    }
}
