//! Arithmetic on numbers, strings, lists and times.

use super::Context;
use super::standard_compare::unknown;
use crate::{EvalError, Timestamp, Value};
use alloc::string::String;
use alloc::vec::Vec;

type EvalResult<'t> = Result<Value<'t>, EvalError>;

const OVERFLOW: &str = "integer overflow";
const UNSIGNED_OVERFLOW: &str = "unsigned integer overflow";
const DURATION_OVERFLOW: &str = "duration overflow";

fn int_or_overflow<'t>(number: Option<i64>) -> EvalResult<'t> {
    number.map(Value::Int).ok_or_else(|| EvalError::new(OVERFLOW))
}

fn uint_or_overflow<'t>(number: Option<u64>) -> EvalResult<'t> {
    number.map(Value::Uint).ok_or_else(|| EvalError::new(UNSIGNED_OVERFLOW))
}

fn duration_or_overflow<'t>(number: Option<i64>) -> EvalResult<'t> {
    number.map(Value::Duration).ok_or_else(|| EvalError::new(DURATION_OVERFLOW))
}

fn sides<'a, 't>(arguments: &'a [Value<'t>]) -> Result<(&'a Value<'t>, &'a Value<'t>), EvalError> {
    match arguments {
        [left, right] => Ok((left, right)),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn add<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match sides(arguments)? {
        (Value::Int(a), Value::Int(b)) => int_or_overflow(a.checked_add(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint_or_overflow(a.checked_add(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a + b)),
        (Value::Duration(a), Value::Duration(b)) => duration_or_overflow(a.checked_add(*b)),
        (Value::Duration(a), Value::Timestamp(b)) | (Value::Timestamp(b), Value::Duration(a)) => {
            timestamp_plus(*b, *a)
        }
        (Value::Text(a), Value::Text(b)) => {
            context.room(a.len().saturating_add(b.len()))?;
            let mut text = String::with_capacity(a.len() + b.len());
            text.push_str(a);
            text.push_str(b);
            Ok(text.into())
        }
        (Value::Bytes(a), Value::Bytes(b)) => {
            context.room(a.len().saturating_add(b.len()))?;
            let bytes: Vec<u8> = a.iter().chain(b.iter()).copied().collect();
            Ok(Value::bytes(bytes))
        }
        (Value::List(a), Value::List(b)) => {
            a.joined(b).map(Value::List).ok_or_else(EvalError::over_budget)
        }
        (Value::Bool(_) | Value::Null | Value::Map(_) | Value::Optional(_), _)
        | (Value::Type(_) | Value::Opaque(_) | Value::Object(_), _) => {
            Err(EvalError::new("no such overload: _+_"))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

fn timestamp_plus<'t>(time: Timestamp, nanos: i64) -> EvalResult<'t> {
    time.plus(nanos).map(Value::Timestamp).ok_or_else(|| EvalError::new("timestamp overflow"))
}

pub(super) fn subtract<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match sides(arguments)? {
        (Value::Int(a), Value::Int(b)) => int_or_overflow(a.checked_sub(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint_or_overflow(a.checked_sub(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a - b)),
        (Value::Duration(a), Value::Duration(b)) => duration_or_overflow(a.checked_sub(*b)),
        (Value::Timestamp(a), Value::Duration(b)) => match b.checked_neg() {
            Some(b) => timestamp_plus(*a, b),
            None => Err(EvalError::new("timestamp overflow")),
        },
        (Value::Timestamp(a), Value::Timestamp(b)) => {
            a.since(*b).map(Value::Duration).ok_or_else(|| EvalError::new(OVERFLOW))
        }
        (left @ (Value::Int(_) | Value::Uint(_) | Value::Double(_)), _) => {
            let _ = left;
            Err(EvalError::no_such_overload())
        }
        (left, _) => Err(unknown(left, "_-_")),
    }
}

pub(super) fn multiply<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match sides(arguments)? {
        (Value::Int(a), Value::Int(b)) => int_or_overflow(a.checked_mul(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint_or_overflow(a.checked_mul(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a * b)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => {
            Err(EvalError::no_such_overload())
        }
        (left, _) => Err(unknown(left, "_*_")),
    }
}

pub(super) fn divide<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match sides(arguments)? {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(EvalError::new("division by zero"))
        }
        (Value::Int(a), Value::Int(b)) => int_or_overflow(a.checked_div(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint_or_overflow(a.checked_div(*b)),
        (Value::Double(a), Value::Double(b)) => Ok(Value::Double(a / b)),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => {
            Err(EvalError::no_such_overload())
        }
        (left, _) => Err(unknown(left, "_/_")),
    }
}

pub(super) fn modulo<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match sides(arguments)? {
        (Value::Int(_), Value::Int(0)) | (Value::Uint(_), Value::Uint(0)) => {
            Err(EvalError::new("modulus by zero"))
        }
        (Value::Int(a), Value::Int(b)) => int_or_overflow(a.checked_rem(*b)),
        (Value::Uint(a), Value::Uint(b)) => uint_or_overflow(a.checked_rem(*b)),
        (Value::Int(_) | Value::Uint(_), _) => Err(EvalError::no_such_overload()),
        (left, _) => Err(unknown(left, "_%_")),
    }
}

pub(super) fn negate<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match arguments {
        [Value::Int(number)] => int_or_overflow(number.checked_neg()),
        [Value::Double(number)] => Ok(Value::Double(-number)),
        [Value::Duration(number)] => duration_or_overflow(number.checked_neg()),
        [Value::Bool(_)] | [] => Err(EvalError::no_such_overload()),
        [value, ..] => Err(unknown(value, "-_")),
    }
}
