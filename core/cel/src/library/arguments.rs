//! Accessors for the arguments of a call, by type.

use crate::{EvalError, List, Opaque, Value};

pub(super) fn text<'a>(arguments: &'a [Value<'_>], index: usize) -> Result<&'a str, EvalError> {
    arguments.get(index).and_then(Value::as_text).ok_or_else(EvalError::no_such_overload)
}

pub(super) fn int(arguments: &[Value<'_>], index: usize) -> Result<i64, EvalError> {
    arguments.get(index).and_then(Value::as_int).ok_or_else(EvalError::no_such_overload)
}

pub(super) fn truth(arguments: &[Value<'_>], index: usize) -> Result<bool, EvalError> {
    arguments.get(index).and_then(Value::as_bool).ok_or_else(EvalError::no_such_overload)
}

pub(super) fn list<'a, 't>(
    arguments: &'a [Value<'t>],
    index: usize,
) -> Result<&'a List<'t>, EvalError> {
    arguments.get(index).and_then(Value::as_list).ok_or_else(EvalError::no_such_overload)
}

pub(super) fn opaque<'a, T: Opaque>(
    arguments: &'a [Value<'_>],
    index: usize,
) -> Result<&'a T, EvalError> {
    arguments.get(index).and_then(Value::as_opaque).ok_or_else(EvalError::no_such_overload)
}
