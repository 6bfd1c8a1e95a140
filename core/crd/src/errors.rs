//! `ErrorList`: field errors in the order of their finding, with values formatted as Go formats them.

use crate::path::Path;
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_engine::field_validation::{error_at_path, format_tree};
use ratchet_engine::{Cause, FieldError, Verdict};
use ratchet_net::Quoted;
use ratchet_object::{Node, Span, Value, write_text};

/// A list of field errors (`field.ErrorList`).
#[derive(Debug, Default)]
pub(crate) struct ErrorList(pub(crate) Vec<FieldError>);

impl ErrorList {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// Adds all errors to a verdict.
    pub(crate) fn report(self, verdict: &mut Verdict) {
        self.0.into_iter().for_each(|error| verdict.add_error(error));
    }

    fn push(
        &mut self,
        cause: Cause,
        path: &Path<'_>,
        span: Span,
        value: Option<String>,
        detail: Cow<'static, str>,
    ) {
        let mut error = error_at_path(cause, path.to_string(), span, detail);
        error.value = value;
        self.0.push(error);
    }

    pub(crate) fn required(
        &mut self,
        path: &Path<'_>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(Cause::Required, path, span, None, detail.into());
    }

    pub(crate) fn forbidden(
        &mut self,
        path: &Path<'_>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(Cause::Forbidden, path, span, None, detail.into());
    }

    pub(crate) fn invalid(
        &mut self,
        path: &Path<'_>,
        span: Span,
        value: impl Into<String>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(Cause::Invalid, path, span, Some(value.into()), detail.into());
    }

    pub(crate) fn duplicate(&mut self, path: &Path<'_>, span: Span, value: String) {
        self.push(Cause::Duplicate, path, span, Some(value), "".into());
    }

    pub(crate) fn internal(&mut self, path: &Path<'_>, span: Span, detail: String) {
        self.push(Cause::Internal, path, span, None, detail.into());
    }

    pub(crate) fn too_many(&mut self, path: &Path<'_>, span: Span, count: usize, most: usize) {
        let detail = too_many_detail(i64::try_from(most).unwrap_or(i64::MAX));
        self.push(Cause::TooMany, path, span, Some(count.to_string()), detail.into());
    }

    pub(crate) fn not_supported<T: AsRef<str>>(
        &mut self,
        path: &Path<'_>,
        span: Span,
        value: String,
        supported: &[T],
    ) {
        let detail = supported_values(supported);
        self.push(Cause::NotSupported, path, span, Some(value), detail.into());
    }
}

/// `supported values: "a", "b"`; nothing if there are none.
pub(crate) fn supported_values<T: AsRef<str>>(supported: &[T]) -> String {
    if supported.is_empty() {
        return String::new();
    }
    let values: Vec<String> = supported.iter().map(|value| quoted(value.as_ref())).collect();
    alloc::format!("supported values: {}", values.join(", "))
}

/// The detail of a list or object with too many items.
pub(crate) fn too_many_detail(most: i64) -> String {
    if most < 0 {
        return "has too many items".into();
    }
    let items = if most == 1 { "item" } else { "items" };
    alloc::format!("must have at most {most} {items}")
}

/// The detail of a string that is too long.
pub(crate) fn too_long_detail(most: i64) -> String {
    if most < 0 {
        return "value is too long".into();
    }
    let bytes = if most == 1 { "byte" } else { "bytes" };
    alloc::format!("may not be more than {most} {bytes}")
}

/// A string as `%q` writes it.
pub(crate) fn quoted(text: &str) -> String {
    Quoted(text).to_string()
}

/// A string as JSON.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing to a String cannot fail.
    let _ = write_text(&mut out, text);
    out
}

/// A string or `null` as JSON.
pub(crate) fn json_option(text: Option<&str>) -> String {
    text.map_or("null".into(), json)
}

/// Strings as JSON.
pub(crate) fn json_list<T: AsRef<str>>(texts: &[T]) -> String {
    let items: Vec<String> = texts.iter().map(|text| json(text.as_ref())).collect();
    alloc::format!("[{}]", items.join(","))
}

/// A tree as JSON, its members sorted.
pub(crate) fn tree(node: Option<&Node<'_>>) -> String {
    format_tree(node)
}

/// A bad value as `field.Error` shows it.
pub(crate) fn bad_value(node: Option<&Node<'_>>) -> String {
    match node.map(|node| &node.value) {
        Some(Value::Text(text)) => quoted(text),
        Some(Value::Float(number)) => float(*number, false),
        _ => tree(node),
    }
}

/// A floating-point number as Go writes it: as JSON, or as `%v`, which turns to exponents sooner.
pub(crate) fn float(number: f64, as_json: bool) -> String {
    if as_json {
        return Node::new(Value::Float(number)).to_json();
    }
    let text = alloc::format!("{number:e}");
    let Some((digits, power)) = text.split_once('e') else { return text };
    let exponent: i32 = power.parse().unwrap_or_default();
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return alloc::format!("{digits}e{sign}{:02}", exponent.unsigned_abs());
    }
    alloc::format!("{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_look_as_in_go() {
        assert_eq!(float(1.5, false), "1.5");
        assert_eq!(float(123_456.0, false), "123456");
        assert_eq!(float(1_234_567.0, false), "1.234567e+06");
        assert_eq!(float(1e6, true), "1000000");
        assert_eq!(float(1.5e-7, false), "1.5e-07");
        assert_eq!(float(3.0, false), "3");
        assert_eq!(bad_value(None), "null");
        assert_eq!(bad_value(Some(&Node::string("a\"b"))), "\"a\\\"b\"");
        let map = Node::map([("b", Node::int(1)), ("a", Node::bool(true))]);
        assert_eq!(bad_value(Some(&map)), r#"{"a":true,"b":1}"#);
        assert_eq!(too_long_detail(1), "may not be more than 1 byte");
        assert_eq!(too_many_detail(2), "must have at most 2 items");
    }
}
