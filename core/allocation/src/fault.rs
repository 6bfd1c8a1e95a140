//! Why a Service does not get what it asks for.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::{Cause, StatusCause};
use ratchet_object::write_text;

/// A refusal, as the API answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// 422 with these causes.
    Invalid(Vec<StatusCause>),
    /// 500 `InternalError`: the text behind `Internal error occurred: `.
    Internal(String),
    /// 500 without a reason: the whole message.
    Unclassified(String),
}

/// A fault at a field: `shown` is the value as Kubernetes shows it.
pub(crate) fn invalid(
    field: impl Into<String>,
    shown: impl core::fmt::Display,
    detail: &str,
) -> StatusCause {
    let message = format!("Invalid value: {shown}: {detail}");
    StatusCause { reason: Cause::Invalid.reason(), message, field: field.into() }
}

/// A field that may not be set, or not so.
pub(crate) fn forbidden(field: impl Into<String>, detail: &str) -> StatusCause {
    let message = format!("Forbidden: {detail}");
    StatusCause { reason: Cause::Forbidden.reason(), message, field: field.into() }
}

/// A value that already stands elsewhere.
pub(crate) fn duplicate(field: impl Into<String>, shown: impl core::fmt::Display) -> StatusCause {
    let message = format!("Duplicate value: {shown}");
    StatusCause { reason: Cause::Duplicate.reason(), message, field: field.into() }
}

/// A text in JSON.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing to a String cannot fail.
    let _ = write_text(&mut out, text);
    out
}

/// Texts as a JSON list.
pub(crate) fn list(texts: &[String]) -> String {
    let items: Vec<String> = texts.iter().map(|text| json(text)).collect();
    format!("[{}]", items.join(","))
}

/// Nothing, or all the causes.
pub(crate) fn unless_empty(causes: Vec<StatusCause>) -> Result<(), Fault> {
    if causes.is_empty() { Ok(()) } else { Err(Fault::Invalid(causes)) }
}
