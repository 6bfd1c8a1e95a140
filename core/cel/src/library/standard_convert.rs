//! Type conversions of the standard library: `int()`, `string()`, `timestamp()` and others.

use super::Context;
use crate::time::{duration_text, parse_duration};
use crate::{EvalError, Timestamp, Type, Value};
use alloc::format;
use alloc::string::{String, ToString};

type EvalResult<'t> = Result<Value<'t>, EvalError>;

fn only<'a, 't>(arguments: &'a [Value<'t>]) -> Result<&'a Value<'t>, EvalError> {
    arguments.first().ok_or_else(EvalError::no_such_overload)
}

fn impossible(value: &Value<'_>, to: &Type) -> EvalError {
    let from = value.type_of();
    EvalError::new(format!("type conversion error from '{}' to '{}'", from.name(), to.name()))
}

pub(super) fn identity<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    only(arguments).cloned()
}

pub(super) fn to_type<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    Ok(Value::Type(only(arguments)?.type_of()))
}

pub(super) fn to_bool<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let value = only(arguments)?;
    match (value, value.as_text()) {
        (Value::Bool(_), _) => Ok(value.clone()),
        (_, Some("1" | "t" | "T" | "true" | "TRUE" | "True")) => Ok(Value::Bool(true)),
        (_, Some("0" | "f" | "F" | "false" | "FALSE" | "False")) => Ok(Value::Bool(false)),
        _ => Err(impossible(value, &Type::Bool)),
    }
}

pub(super) fn to_bytes<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match only(arguments)? {
        Value::Text(text) => {
            context.room(text.len())?;
            Ok(Value::Bytes(text.as_bytes().into()))
        }
        value @ Value::Bytes(_) => Ok(value.clone()),
        other => Err(impossible(other, &Type::Bytes)),
    }
}

pub(super) fn to_double<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match only(arguments)? {
        Value::Double(number) => Ok(Value::Double(*number)),
        Value::Int(number) => Ok(Value::Double(*number as f64)),
        Value::Uint(number) => Ok(Value::Double(*number as f64)),
        value @ Value::Text(text) => {
            parse_double(text).map(Value::Double).ok_or_else(|| impossible(value, &Type::Double))
        }
        other => Err(impossible(other, &Type::Double)),
    }
}

/// A number as Go parses it: overflow is an error, unless the text names infinity.
fn parse_double(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    let is_named = text.contains(['n', 'N']);
    (number.is_finite() || is_named).then_some(number)
}

pub(super) fn to_int<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let value = only(arguments)?;
    let overflow = || EvalError::new("integer overflow");
    match value {
        Value::Int(number) | Value::Duration(number) => Ok(Value::Int(*number)),
        Value::Uint(number) => i64::try_from(*number).map(Value::Int).map_err(|_| overflow()),
        Value::Double(number) => {
            let fits = *number > i64::MIN as f64 && *number < i64::MAX as f64;
            if fits { Ok(Value::Int(*number as i64)) } else { Err(overflow()) }
        }
        Value::Timestamp(time) => Ok(Value::Int(time.seconds)),
        Value::Text(text) => {
            text.parse().map(Value::Int).map_err(|_| impossible(value, &Type::Int))
        }
        other => Err(impossible(other, &Type::Int)),
    }
}

pub(super) fn to_uint<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let value = only(arguments)?;
    let overflow = || EvalError::new("unsigned integer overflow");
    match value {
        Value::Uint(number) => Ok(Value::Uint(*number)),
        Value::Int(number) => u64::try_from(*number).map(Value::Uint).map_err(|_| overflow()),
        Value::Double(number) => {
            let fits = *number >= 0.0 && *number < u64::MAX as f64;
            if fits { Ok(Value::Uint(*number as u64)) } else { Err(overflow()) }
        }
        Value::Text(text) if !text.starts_with('+') => {
            text.parse().map(Value::Uint).map_err(|_| impossible(value, &Type::Uint))
        }
        other => Err(impossible(other, &Type::Uint)),
    }
}

pub(super) fn to_string<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let value = only(arguments)?;
    let text = match value {
        Value::Text(_) => return Ok(value.clone()),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => double_text(*number),
        Value::Duration(nanos) => duration_text(*nanos),
        Value::Timestamp(time) => time.to_string(),
        Value::Bytes(bytes) => {
            context.room(bytes.len())?;
            let text = core::str::from_utf8(bytes);
            let invalid = "invalid UTF-8 in bytes, cannot convert to string";
            text.map_err(|_| EvalError::new(invalid))?.to_string()
        }
        other => return Err(impossible(other, &Type::String)),
    };
    Ok(text.into())
}

pub(super) fn to_duration<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    duration(only(arguments)?)
}

pub(super) fn to_timestamp<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    timestamp(only(arguments)?)
}

/// Converts a value to a duration.
pub(crate) fn duration<'t>(value: &Value<'_>) -> EvalResult<'t> {
    let nanos = match value {
        Value::Duration(nanos) => Some(*nanos),
        Value::Text(text) => parse_duration(text),
        _ => None,
    };
    nanos.map(Value::Duration).ok_or_else(|| impossible(value, &Type::Duration))
}

/// Converts a value to a timestamp.
pub(crate) fn timestamp<'t>(value: &Value<'_>) -> EvalResult<'t> {
    let time = match value {
        Value::Timestamp(time) => Some(*time),
        Value::Int(seconds) => Some(Timestamp { seconds: *seconds, nanos: 0, offset: 0 }),
        Value::Text(text) => Timestamp::parse(text),
        _ => None,
    };
    let time = time.ok_or_else(|| impossible(value, &Type::Timestamp))?;
    let overflow = || EvalError::new("timestamp overflow");
    if time.in_range() { Ok(Value::Timestamp(time)) } else { Err(overflow()) }
}

/// A number as Go's `%g` formats it.
pub(crate) fn double_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_string();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_string();
    }
    let short = format!("{number:e}");
    let (digits, power) = short.split_once('e').unwrap_or((&short, "0"));
    let power: i32 = power.parse().unwrap_or_default();
    if (-4..SCIENTIFIC).contains(&power) {
        return format!("{number}");
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.unsigned_abs())
}

/// From this power of ten on, numbers are formatted with an exponent.
const SCIENTIFIC: i32 = 6;
