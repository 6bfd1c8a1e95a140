//! Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`.

use super::arguments::list;
use super::lists::check_work;
use super::{Context, Cost, Library, Overload, size_of};
use crate::{Fault, List, Value};

fn holds(list: &List<'_>, wanted: &Value<'_>) -> bool {
    list.iter().any(|item| wanted.equal(&item))
}

fn holds_all(list: &List<'_>, wanted: &List<'_>) -> bool {
    wanted.iter().all(|item| holds(list, &item))
}

/// Both lists, unless comparing them would be too much work.
fn both<'a, 't>(arguments: &'a [Value<'t>]) -> Result<(&'a List<'t>, &'a List<'t>), Fault> {
    let (a, b) = (list(arguments, 0)?, list(arguments, 1)?);
    check_work(a.len(), b.len())?;
    Ok((a, b))
}

fn contains<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let (list, wanted) = both(arguments)?;
    Ok(holds_all(list, wanted).into())
}

fn equivalent<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let (a, b) = both(arguments)?;
    Ok((holds_all(a, b) && holds_all(b, a)).into())
}

fn intersects<'t>(_: &Context<'_>, arguments: &[Value<'t>]) -> Result<Value<'t>, Fault> {
    let (a, b) = both(arguments)?;
    Ok(a.iter().any(|item| holds(b, &item)).into())
}

/// Every item may be compared with every other one.
fn comparisons(arguments: &[Value<'_>]) -> u64 {
    size_of(arguments, 0).saturating_mul(size_of(arguments, 1))
}

const ONCE: Cost = Cost(|arguments, _| comparisons(arguments).saturating_add(1));
const TWICE: Cost = Cost(|arguments, _| comparisons(arguments).saturating_mul(2).saturating_add(1));

/// cel-go's functions of sets.
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
