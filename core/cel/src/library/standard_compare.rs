//! Comparison operators, and errors for operands that do not fit.

use super::Context;
use crate::{EvalError, Value};
use core::cmp::Ordering;

/// Stands in for operators that the evaluator implements.
pub(super) fn never<'t>(_: &Context<'_>, _: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    Err(EvalError::no_such_overload())
}

/// The error for an operator that its left operand does not support: the reference names the operator
/// unless the value is of a type with methods.
pub(super) fn unknown(left: &Value<'_>, operator: &str) -> EvalError {
    match left {
        Value::Text(_) | Value::Duration(_) | Value::Timestamp(_) => EvalError::no_such_overload(),
        _ => EvalError::new(alloc::format!("no such overload: {operator}")),
    }
}

pub(super) fn not<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    match arguments {
        [Value::Bool(truth)] => Ok(Value::Bool(!truth)),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn order<'t>(
    arguments: &[Value<'t>],
    operator: &str,
    fits: fn(Ordering) -> bool,
) -> Result<Value<'t>, EvalError> {
    let [left, right] = arguments else { return Err(EvalError::no_such_overload()) };
    if let Some(order) = left.compare(right) {
        return Ok(Value::Bool(fits(order)));
    }
    let is_nan = |value: &Value<'_>| matches!(value, Value::Double(number) if number.is_nan());
    let is_number =
        |value: &Value<'_>| matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_));
    match left {
        _ if is_nan(left) || (is_number(left) && is_nan(right)) => {
            Err(EvalError::new("NaN values cannot be ordered"))
        }
        Value::Bool(_) | Value::Bytes(_) => Err(EvalError::no_such_overload()),
        _ if is_number(left) => Err(EvalError::no_such_overload()),
        _ => Err(unknown(left, operator)),
    }
}

pub(super) fn less<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    order(arguments, "_<_", Ordering::is_lt)
}

pub(super) fn less_equal<'t>(
    _: &Context<'_>,
    arguments: &[Value<'t>],
) -> Result<Value<'t>, EvalError> {
    order(arguments, "_<=_", Ordering::is_le)
}

pub(super) fn greater<'t>(
    _: &Context<'_>,
    arguments: &[Value<'t>],
) -> Result<Value<'t>, EvalError> {
    order(arguments, "_>_", Ordering::is_gt)
}

pub(super) fn greater_equal<'t>(
    _: &Context<'_>,
    arguments: &[Value<'t>],
) -> Result<Value<'t>, EvalError> {
    order(arguments, "_>=_", Ordering::is_ge)
}
