//! Kubernetes' list library: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`.

use super::arguments::list;
use super::strings::WALK;
use super::{Context, FunctionOp, Library, Overload};
use crate::{EvalError, PER_CALL_LIMIT, Value};
use core::cmp::Ordering;

/// Whether a value is ordered.
pub(super) fn is_comparable(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::Text(_)
            | Value::Bytes(_)
            | Value::Duration(_)
            | Value::Timestamp(_)
    )
}

fn is_sorted<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let mut previous: Option<Value<'t>> = None;
    for item in list(arguments, 0)?.iter() {
        if !is_comparable(&item) {
            return Err(EvalError::no_such_overload());
        }
        if previous.and_then(|previous| previous.compare(&item)) == Some(Ordering::Greater) {
            return Ok(false.into());
        }
        previous = Some(item);
    }
    Ok(true.into())
}

fn sum<'t>(arguments: &[Value<'t>], zero: Value<'t>) -> Result<Value<'t>, EvalError> {
    list(arguments, 0)?.iter().try_fold(zero, |sum, item| plus(&sum, &item))
}

fn plus<'t>(a: &Value<'_>, b: &Value<'_>) -> Result<Value<'t>, EvalError> {
    let (sum, overflow) = match (a, b) {
        (Value::Int(a), Value::Int(b)) => (a.checked_add(*b).map(Value::Int), "integer overflow"),
        (Value::Uint(a), Value::Uint(b)) => {
            (a.checked_add(*b).map(Value::Uint), "unsigned integer overflow")
        }
        (Value::Double(a), Value::Double(b)) => (Some(Value::Double(a + b)), ""),
        (Value::Duration(a), Value::Duration(b)) => {
            (a.checked_add(*b).map(Value::Duration), "integer overflow")
        }
        _ => return Err(EvalError::no_such_overload()),
    };
    sum.ok_or_else(|| EvalError::new(overflow))
}

/// The first item that no later one replaces.
fn best<'t>(
    arguments: &[Value<'t>],
    name: &str,
    replaces: Ordering,
) -> Result<Value<'t>, EvalError> {
    let mut best: Option<Value<'t>> = None;
    for item in list(arguments, 0)?.iter() {
        if !is_comparable(&item) {
            return Err(EvalError::no_such_overload());
        }
        if best.as_ref().is_none_or(|best| best.compare(&item) == Some(replaces)) {
            best = Some(item);
        }
    }
    best.ok_or_else(|| EvalError::new(alloc::format!("{name} called on empty list")))
}

fn min<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    best(arguments, "min", Ordering::Greater)
}

fn max<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    best(arguments, "max", Ordering::Less)
}

fn index_value(index: Option<usize>) -> Value<'static> {
    Value::Int(index.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1))
}

fn index_of<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let item_to_find = arguments.get(1).ok_or_else(EvalError::no_such_overload)?;
    Ok(index_value(list(arguments, 0)?.iter().position(|item| item.equal(item_to_find))))
}

fn last_index_of<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let item_to_find = arguments.get(1).ok_or_else(EvalError::no_such_overload)?;
    let items = list(arguments, 0)?;
    let position = (0..items.len())
        .rev()
        .find(|index| items.get(*index).is_some_and(|item| item.equal(item_to_find)));
    Ok(index_value(position))
}

/// Refuses work that would exceed the cost limit, before it is done.
pub(super) fn check_work(a: usize, b: usize) -> Result<(), EvalError> {
    let steps = u64::try_from(a.saturating_mul(b)).unwrap_or(u64::MAX);
    if steps > PER_CALL_LIMIT { Err(EvalError::over_budget()) } else { Ok(()) }
}

/// An overload whose cost is linear in its list.
const fn linear(id: &'static str, signature: &'static str, call: FunctionOp) -> Overload {
    Overload { id, signature, call, cost: WALK }
}

/// Kubernetes' list library.
pub(super) static LISTS: Library = Library {
    name: "kubernetes.lists",
    since: (1, 0),
    overloads: &[
        linear("list_int_is_sorted_bool", "list(int).isSorted(): bool", is_sorted),
        linear("list_uint_is_sorted_bool", "list(uint).isSorted(): bool", is_sorted),
        linear("list_double_is_sorted_bool", "list(double).isSorted(): bool", is_sorted),
        linear("list_bool_is_sorted_bool", "list(bool).isSorted(): bool", is_sorted),
        linear("list_duration_is_sorted_bool", "list(duration).isSorted(): bool", is_sorted),
        linear("list_timestamp_is_sorted_bool", "list(timestamp).isSorted(): bool", is_sorted),
        linear("list_string_is_sorted_bool", "list(string).isSorted(): bool", is_sorted),
        linear("list_bytes_is_sorted_bool", "list(bytes).isSorted(): bool", is_sorted),
        linear("list_int_sum_int", "list(int).sum(): int", |_, list| sum(list, Value::Int(0))),
        linear("list_uint_sum_uint", "list(uint).sum(): uint", |_, list| sum(list, Value::Uint(0))),
        linear("list_double_sum_double", "list(double).sum(): double", |_, list| {
            sum(list, Value::Double(0.0))
        }),
        linear("list_duration_sum_duration", "list(duration).sum(): duration", |_, list| {
            sum(list, Value::Duration(0))
        }),
        linear("list_int_max_int", "list(int).max(): int", max),
        linear("list_uint_max_uint", "list(uint).max(): uint", max),
        linear("list_double_max_double", "list(double).max(): double", max),
        linear("list_bool_max_bool", "list(bool).max(): bool", max),
        linear("list_duration_max_duration", "list(duration).max(): duration", max),
        linear("list_timestamp_max_timestamp", "list(timestamp).max(): timestamp", max),
        linear("list_string_max_string", "list(string).max(): string", max),
        linear("list_bytes_max_bytes", "list(bytes).max(): bytes", max),
        linear("list_int_min_int", "list(int).min(): int", min),
        linear("list_uint_min_uint", "list(uint).min(): uint", min),
        linear("list_double_min_double", "list(double).min(): double", min),
        linear("list_bool_min_bool", "list(bool).min(): bool", min),
        linear("list_duration_min_duration", "list(duration).min(): duration", min),
        linear("list_timestamp_min_timestamp", "list(timestamp).min(): timestamp", min),
        linear("list_string_min_string", "list(string).min(): string", min),
        linear("list_bytes_min_bytes", "list(bytes).min(): bytes", min),
        linear("list_a_index_of_int", "list(A).indexOf(A): int", index_of),
        linear("list_a_last_index_of_int", "list(A).lastIndexOf(A): int", last_index_of),
    ],
    constants: &[],
    types: &[],
};
