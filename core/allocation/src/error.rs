//! Errors of allocation.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::{Cause, StatusCause};
use ratchet_object::write_text;

/// An error, as the API server reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocationError {
    /// 422 with these causes.
    Invalid(Vec<StatusCause>),
    /// 500 `InternalError`: the text behind `Internal error occurred: `.
    Internal(String),
    /// 500 without a reason: the whole message.
    Unclassified(String),
}

/// An invalid field: `value` is formatted as Kubernetes formats it.
pub(crate) fn invalid(
    field: impl Into<String>,
    value: impl core::fmt::Display,
    detail: &str,
) -> StatusCause {
    let message = format!("Invalid value: {value}: {detail}");
    StatusCause { reason: Cause::Invalid.reason(), message, field: field.into() }
}

/// A field that may not be set, or not to this value.
pub(crate) fn forbidden(field: impl Into<String>, detail: &str) -> StatusCause {
    let message = format!("Forbidden: {detail}");
    StatusCause { reason: Cause::Forbidden.reason(), message, field: field.into() }
}

/// A duplicate value.
pub(crate) fn duplicate(field: impl Into<String>, value: impl core::fmt::Display) -> StatusCause {
    let message = format!("Duplicate value: {value}");
    StatusCause { reason: Cause::Duplicate.reason(), message, field: field.into() }
}

/// A JSON string.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    // Writing to a String cannot fail.
    let _ = write_text(&mut out, text);
    out
}

/// A JSON list of strings.
pub(crate) fn list(texts: &[String]) -> String {
    let items: Vec<String> = texts.iter().map(|text| json(text)).collect();
    format!("[{}]", items.join(","))
}

/// An error with all the causes, if there are any.
pub(crate) fn unless_empty(causes: Vec<StatusCause>) -> Result<(), AllocationError> {
    if causes.is_empty() { Ok(()) } else { Err(AllocationError::Invalid(causes)) }
}
