//! The sets library: `sets.contains`, `sets.equivalent`, `sets.intersects`.

use super::arguments::list;
use super::lists::check_work;
use super::{Context, Cost, Library, Overload, size_of};
use crate::{EvalError, List, Value};

fn contains_item(list: &List<'_>, sought: &Value<'_>) -> bool {
    list.iter().any(|item| sought.equal(&item))
}

fn contains_all(list: &List<'_>, sought: &List<'_>) -> bool {
    sought.iter().all(|item| contains_item(list, &item))
}

/// Both lists, unless comparing them would exceed the cost limit.
fn both<'a, 't>(arguments: &'a [Value<'t>]) -> Result<(&'a List<'t>, &'a List<'t>), EvalError> {
    let (a, b) = (list(arguments, 0)?, list(arguments, 1)?);
    check_work(a.len(), b.len())?;
    Ok((a, b))
}

fn contains<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (list, sought) = both(arguments)?;
    Ok(contains_all(list, sought).into())
}

fn equivalent<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (a, b) = both(arguments)?;
    Ok((contains_all(a, b) && contains_all(b, a)).into())
}

fn intersects<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, EvalError> {
    let (a, b) = both(arguments)?;
    Ok(a.iter().any(|item| contains_item(b, &item)).into())
}

/// The number of comparisons if every item is compared with every other one.
fn comparisons(arguments: &[Value<'_>]) -> u64 {
    size_of(arguments, 0).saturating_mul(size_of(arguments, 1))
}

const ONCE: Cost = Cost(|arguments, _| comparisons(arguments).saturating_add(1));
const TWICE: Cost = Cost(|arguments, _| comparisons(arguments).saturating_mul(2).saturating_add(1));

/// cel-go's sets library.
pub(super) static SETS: Library = Library {
    name: "cel.lib.ext.sets",
    since: (1, 29),
    overloads: &[
        Overload {
            id: "list_sets_contains_list",
            signature: "fn sets.contains(list(T), list(T)): bool",
            call: contains,
            cost: ONCE,
        },
        Overload {
            id: "list_sets_equivalent_list",
            signature: "fn sets.equivalent(list(T), list(T)): bool",
            call: equivalent,
            cost: TWICE,
        },
        Overload {
            id: "list_sets_intersects_list",
            signature: "fn sets.intersects(list(T), list(T)): bool",
            call: intersects,
            cost: ONCE,
        },
    ],
    constants: &[],
    types: &[],
};
