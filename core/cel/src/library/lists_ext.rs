//! cel-go's list extension: `slice`, `flatten`, `sort`, `distinct`, `reverse`, `lists.range`.

use super::arguments::{int, list};
use super::lists::{check_work, is_comparable};
use super::{Context, Cost, FunctionOp, Library, Overload, size_of};
use crate::{EvalError, List, Value};
use alloc::vec::Vec;
use core::cmp::Ordering;

fn slice<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (items, start, end) = (list(arguments, 0)?, int(arguments, 1)?, int(arguments, 2)?);
    let refuse = |reason: &str| {
        let message = alloc::format!("cannot slice({start}, {end}), {reason}");
        Err(EvalError::new(message))
    };
    let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
        return refuse("negative indexes not supported");
    };
    if start > end {
        return refuse("start index must be less than or equal to end index");
    }
    if items.len() < to {
        return refuse(&alloc::format!("list is length {}", items.len()));
    }
    context.room(to - from)?;
    Ok(Value::list((from..to).filter_map(|index| items.get(index)).collect()))
}

fn flatten<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let type_name = |index: usize| {
        arguments.get(index).map(|value| alloc::string::String::from(value.type_of().name()))
    };
    let refuse = || {
        let (own, level) = (type_name(0).unwrap_or_default(), type_name(1).unwrap_or_default());
        EvalError::new(alloc::format!("no such overload: {own}.flatten({level})"))
    };
    let items = list(arguments, 0).map_err(|_| refuse())?;
    let depth = match arguments.len() {
        0 | 1 => 1,
        _ => int(arguments, 1).map_err(|_| refuse())?,
    };
    if depth < 0 {
        return Err(EvalError::new("level must be non-negative"));
    }
    let mut flat = Vec::new();
    flatten_into(context, &mut flat, items, depth)?;
    Ok(Value::list(flat))
}

fn flatten_into<'t>(
    context: &Context<'_>,
    flat: &mut Vec<Value<'t>>,
    items: &List<'t>,
    depth: i64,
) -> Result<(), EvalError> {
    context.room(items.len())?;
    for item in items.iter() {
        match &item {
            Value::List(inner) if depth > 0 => flatten_into(context, flat, inner, depth - 1)?,
            _ => flat.push(item),
        }
    }
    Ok(())
}

fn range<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let end = int(arguments, 0)?;
    let length = usize::try_from(end.max(0)).unwrap_or(usize::MAX);
    check_work(length, 1)?;
    context.room(length)?;
    Ok(Value::list((0..end).map(Value::Int).collect()))
}

fn reverse<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let items = list(arguments, 0)?;
    context.room(items.len())?;
    Ok(Value::list((0..items.len()).rev().filter_map(|index| items.get(index)).collect()))
}

fn distinct<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let items = list(arguments, 0)?;
    // Each item is compared with all before it.
    check_work(items.len(), items.len())?;
    context.room(items.len())?;
    let mut distinct_items: Vec<Value<'t>> = Vec::new();
    for item in items.iter() {
        if !distinct_items.iter().any(|earlier| item.equal(earlier)) {
            distinct_items.push(item);
        }
    }
    Ok(Value::list(distinct_items))
}

fn sort<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let items = list(arguments, 0)?;
    sorted_by(context, items, items)
}

fn sort_by<'t>(context: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    sorted_by(context, list(arguments, 0)?, list(arguments, 1)?)
}

fn sorted_by<'t>(
    context: &Context<'_>,
    items: &List<'t>,
    keys: &List<'t>,
) -> Result<Value<'t>, EvalError> {
    if items.len() != keys.len() {
        let (items, keys) = (items.len(), keys.len());
        return Err(EvalError::new(alloc::format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {items} and {keys} elements respectively"
        )));
    }
    context.room(items.len())?;
    let Some(first) = keys.get(0) else { return Ok(Value::List(items.clone())) };
    if !is_comparable(&first) {
        return Err(EvalError::new("list elements must be comparable"));
    }
    let kind = core::mem::discriminant(&first);
    if keys.iter().any(|key| core::mem::discriminant(&key) != kind) {
        return Err(EvalError::new("list elements must have the same type"));
    }
    let mut pairs: Vec<_> = keys.iter().zip(items.iter()).collect();
    pairs.sort_by(|a, b| order(&a.0, &b.0));
    Ok(Value::list(pairs.into_iter().map(|pair| pair.1).collect()))
}

/// A total order of values of one type: NaN comes last.
fn order(a: &Value<'_>, b: &Value<'_>) -> Ordering {
    let is_nan = |value: &Value<'_>| matches!(value, Value::Double(number) if number.is_nan());
    a.compare(b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
}

/// The cost of the call, the new list, and `factor` for each of `size` steps. The API server computes it with
/// floating point numbers, and lets them wrap.
fn list_cost(size: u64, factor: f64) -> u64 {
    ((size as f64 * factor) as i64).cast_unsigned().wrapping_add(11)
}

const OUTPUT: Cost = Cost(|_, result| list_cost(result.map_or(1, Value::cost_size), 1.0));
const FLATTEN: Cost = Cost(|arguments, _| {
    let depth = arguments.get(1).and_then(Value::as_int).unwrap_or(1);
    list_cost(size_of(arguments, 0), depth as f64)
});

/// The cost of comparing each key with each other one.
fn sort_cost(keys: Option<&Value<'_>>) -> u64 {
    let size = keys.map_or(0, Value::cost_size);
    let first = keys.and_then(Value::as_list).and_then(|list| list.get(0));
    let factor = match first {
        Some(Value::Text(_) | Value::Bytes(_)) => 2.1,
        _ => 2.0,
    };
    list_cost(size.wrapping_mul(size), factor)
}

const SORT: Cost = Cost(|arguments, _| sort_cost(arguments.first()));
const SORT_BY: Cost = Cost(|arguments, _| sort_cost(arguments.get(1)));

const fn sorting(id: &'static str, signature: &'static str) -> Overload {
    Overload { id, signature, call: sort, cost: SORT }
}

const fn sorting_by(id: &'static str, signature: &'static str) -> Overload {
    Overload { id, signature, call: sort_by, cost: SORT_BY }
}

const fn other(
    id: &'static str,
    signature: &'static str,
    call: FunctionOp,
    cost: Cost,
) -> Overload {
    Overload { id, signature, call, cost }
}

/// cel-go's list extension. `sortBy` is a macro that expands to `@sortByAssociatedKeys`.
#[rustfmt::skip]
pub(super) static LISTS_EXT: Library = Library {
    name: "cel.lib.ext.lists",
    since: (1, 34),
    overloads: &[
        other("list_slice", "list(T).slice(int, int): list(T)", slice, OUTPUT),
        other("list_flatten", "list(list(T)).flatten(): list(T)", flatten, FLATTEN),
        other("list_flatten_int", "list(dyn).flatten(int): list(dyn)", flatten, FLATTEN),
        other("lists_range", "fn lists.range(int): list(int)", range, OUTPUT),
        other("list_reverse", "list(T).reverse(): list(T)", reverse, OUTPUT),
        other("list_distinct", "list(T).distinct(): list(T)", distinct, SORT),
        sorting("list_int_sort", "list(int).sort(): list(int)"),
        sorting("list_uint_sort", "list(uint).sort(): list(uint)"),
        sorting("list_double_sort", "list(double).sort(): list(double)"),
        sorting("list_bool_sort", "list(bool).sort(): list(bool)"),
        sorting("list_google.protobuf.Duration_sort", "list(duration).sort(): list(duration)"),
        sorting("list_google.protobuf.Timestamp_sort", "list(timestamp).sort(): list(timestamp)"),
        sorting("list_string_sort", "list(string).sort(): list(string)"),
        sorting("list_bytes_sort", "list(bytes).sort(): list(bytes)"),
        sorting_by("list_int_sortByAssociatedKeys", "list(T).@sortByAssociatedKeys(list(int)): list(T)"),
        sorting_by("list_uint_sortByAssociatedKeys", "list(T).@sortByAssociatedKeys(list(uint)): list(T)"),
        sorting_by("list_double_sortByAssociatedKeys", "list(T).@sortByAssociatedKeys(list(double)): list(T)"),
        sorting_by("list_bool_sortByAssociatedKeys", "list(T).@sortByAssociatedKeys(list(bool)): list(T)"),
        sorting_by("list_google.protobuf.Duration_sortByAssociatedKeys", "list(T).@sortByAssociatedKeys(list(duration)): list(T)"),
        sorting_by("list_google.protobuf.Timestamp_sortByAssociatedKeys", "list(T).@sortByAssociatedKeys(list(timestamp)): list(T)"),
        sorting_by("list_string_sortByAssociatedKeys", "list(T).@sortByAssociatedKeys(list(string)): list(T)"),
        sorting_by("list_bytes_sortByAssociatedKeys", "list(T).@sortByAssociatedKeys(list(bytes)): list(T)"),
    ],
    constants: &[],
    types: &[],
};
