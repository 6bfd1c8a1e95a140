//! The optional library: values that may be absent.

use super::{Context, Cost, FunctionOp, Library, Overload};
use crate::{EvalError, Value};
use alloc::vec::Vec;

type EvalResult<'t> = Result<Value<'t>, EvalError>;

fn of<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let value = arguments.first().ok_or_else(EvalError::no_such_overload)?;
    Ok(Value::some(value.clone()))
}

fn none<'t>(_: &Context<'_>, _: &[Value<'t>]) -> EvalResult<'t> {
    Ok(Value::Optional(None))
}

fn of_non_zero<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let zero = match arguments.first() {
        Some(Value::Null | Value::Bool(false) | Value::Int(0) | Value::Uint(0)) => true,
        Some(Value::Double(number)) => *number == 0.0,
        Some(Value::Text(text)) => text.is_empty(),
        Some(Value::Bytes(bytes)) => bytes.is_empty(),
        Some(Value::List(list)) => list.is_empty(),
        Some(Value::Map(map)) => map.is_empty(),
        Some(Value::Duration(nanos)) => *nanos == 0,
        // Go's zero time is the first second of the year 1.
        Some(Value::Timestamp(time)) => time.seconds == -62_135_596_800 && time.nanos == 0,
        Some(Value::Optional(inner)) => inner.is_none(),
        _ => false,
    };
    if zero { Ok(Value::Optional(None)) } else { of(context, arguments) }
}

fn value<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match arguments.first() {
        Some(Value::Optional(Some(value))) => Ok(value.as_ref().clone()),
        Some(Value::Optional(None)) => Err(EvalError::new("optional.none() dereference")),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn has_value<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    match arguments.first() {
        Some(Value::Optional(value)) => Ok(Value::Bool(value.is_some())),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn at<'t>(arguments: &[Value<'t>], last: bool) -> EvalResult<'t> {
    let list =
        arguments.first().and_then(Value::as_list).ok_or_else(EvalError::no_such_overload)?;
    let index = if last { list.len().checked_sub(1) } else { Some(0) };
    Ok(index.and_then(|index| list.get(index)).map_or(Value::Optional(None), Value::some))
}

fn first<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    at(arguments, false)
}

fn last<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    at(arguments, true)
}

fn unwrap<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let list =
        arguments.first().and_then(Value::as_list).ok_or_else(EvalError::no_such_overload)?;
    context.room(list.len())?;
    let mut values = Vec::new();
    for item in list.iter() {
        match item {
            Value::Optional(None) => {}
            Value::Optional(Some(value)) => values.push(value.as_ref().clone()),
            _ => return Err(EvalError::new("value is not optional")),
        }
    }
    Ok(Value::list(values))
}

const fn row(id: &'static str, signature: &'static str, call: FunctionOp) -> Overload {
    Overload { id, signature, call, cost: Cost::ONE }
}

/// The optional library. Selection and chaining are implemented by the evaluator.
pub(super) static OPTIONAL: Library = Library {
    name: "optional",
    since: (1, 28),
    overloads: &[
        row("optional_of", "fn optional.of(V): optional_type(V)", of),
        row(
            "optional_ofNonZeroValue",
            "fn optional.ofNonZeroValue(V): optional_type(V)",
            of_non_zero,
        ),
        row("optional_none", "fn optional.none(): optional_type(V)", none),
        row("optional_value", "optional_type(V).value(): V", value),
        row("optional_hasValue", "optional_type(V).hasValue(): bool", has_value),
        row(
            "optional_or_optional",
            "optional_type(V).or(optional_type(V)): optional_type(V)",
            none,
        ),
        row("optional_orValue_value", "optional_type(V).orValue(V): V", none),
        row("select_optional_field", "fn _?._(dyn, string): optional_type(V)", none),
        row("list_optindex_optional_int", "_[?_](list(V), int): optional_type(V)", none),
        row(
            "optional_list_optindex_optional_int",
            "_[?_](optional_type(list(V)), int): optional_type(V)",
            none,
        ),
        row("map_optindex_optional_value", "_[?_](map(K, V), K): optional_type(V)", none),
        row(
            "optional_map_optindex_optional_value",
            "_[?_](optional_type(map(K, V)), K): optional_type(V)",
            none,
        ),
        row("optional_list_index_int", "_[_](optional_type(list(V)), int): optional_type(V)", none),
        row(
            "optional_map_index_value",
            "_[_](optional_type(map(K, V)), K): optional_type(V)",
            none,
        ),
        row("list_last", "list(V).last(): optional_type(V)", last),
        row("list_first", "list(V).first(): optional_type(V)", first),
        row("optional_unwrap", "fn optional.unwrap(list(optional_type(V))): list(V)", unwrap),
        row("optional_unwrapOpt", "list(optional_type(V)).unwrapOpt(): list(V)", unwrap),
    ],
    constants: &[],
    types: &[],
};
