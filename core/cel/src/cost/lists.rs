//! Costs of cel-go's extensions for lists and sets, by overload.

use super::calls::{CallEstimate, CostedCall, TRAVERSAL};
use super::coster::Argument;
use super::library::size_of;
use super::{CostEstimate, SizeEstimate};
use crate::Value;
use crate::syntax::Kind;

/// The cost of a new list.
const LIST: u64 = 10;

/// The cost of a call, if it is one of an overload of these extensions.
pub(super) fn estimate(id: &str, call: &CostedCall<'_, '_>) -> Option<CallEstimate> {
    let arguments = call.arguments.as_slice();
    match (id, call.target.as_ref(), arguments) {
        ("list_sets_contains_list" | "list_sets_intersects_list", None, [one, other]) => {
            Some(compared(one, other, 1.0))
        }
        ("list_sets_equivalent_list", None, [one, other]) => Some(compared(one, other, 2.0)),
        ("list_slice", Some(list), [start, end]) => {
            let end = literal(end).unwrap_or(size_of(list).max);
            let size = end.wrapping_sub(literal(start).unwrap_or_default());
            Some(allocating(1.0, SizeEstimate::fixed(size)))
        }
        ("lists_range", None, [end]) => {
            let size = literal(end).unwrap_or(u64::MAX);
            Some(allocating(1.0, SizeEstimate::fixed(size)))
        }
        ("list_reverse", Some(list), []) => Some(allocating(1.0, size_of(list))),
        ("list_flatten" | "list_flatten_int", Some(list), depth) => {
            let depth = depth.first().map_or(1, |depth| literal(depth).unwrap_or(u64::MAX));
            #[expect(clippy::cast_precision_loss, reason = "the reference computes so")]
            let depth = depth as f64;
            Some(allocating(depth, size_of(list)))
        }
        ("list_distinct", Some(list), []) => Some(allocating(2.0, squared(list))),
        (id, Some(list), []) if id.ends_with("_sort") => {
            Some(allocating(comparison(id), squared(list)))
        }
        (id, Some(_), [keys]) if id.ends_with("_sortByAssociatedKeys") => {
            Some(allocating(comparison(id), squared(keys)))
        }
        _ => None,
    }
}

/// The factor for a comparison of two items: texts are traversed.
fn comparison(id: &str) -> f64 {
    match id.starts_with("list_string_") || id.starts_with("list_bytes_") {
        true => 2.0 + TRAVERSAL,
        false => 2.0,
    }
}

fn squared(list: &Argument<'_, '_>) -> SizeEstimate {
    let size = size_of(list);
    size.times(size)
}

fn compared(one: &Argument<'_, '_>, other: &Argument<'_, '_>, factor: f64) -> CallEstimate {
    let pairs = size_of(one).times(size_of(other));
    CallEstimate::cost(pairs.by_factor(factor).plus(CostEstimate::fixed(1)))
}

/// The cost of a call that makes a list of a size.
fn allocating(factor: f64, size: SizeEstimate) -> CallEstimate {
    let cost = size.by_factor(factor).plus(CostEstimate::fixed(1 + LIST));
    CallEstimate { cost, size: Some(size) }
}

/// A number that is written out; negative ones count as zero.
fn literal(argument: &Argument<'_, '_>) -> Option<u64> {
    match argument.expr.kind {
        Kind::Literal(Value::Int(number)) => Some(u64::try_from(number).unwrap_or_default()),
        _ => None,
    }
}
