//! Costs of the functions of Kubernetes' libraries.
//!
//! They decide which rules a definition may have, so that every number is that of the reference.

use super::calls::{CallEstimate, CostedCall, PATTERN, TRAVERSAL};
use super::coster::{Argument, PathNode, place_size};
use super::{CostEstimate, SizeEstimate};
use crate::syntax::Kind;
use crate::{Type, Value};

/// The formula of a function's cost.
#[derive(Clone, Copy)]
enum Formula {
    /// A fixed cost.
    Fixed(u64),
    /// A search of a list for an item, or of a string for another.
    Search,
    /// A traversal of the first argument, whose size the result has.
    TraverseArgument,
    /// A traversal of the receiver, whose size the result has.
    TraverseTarget,
    /// A number of traversals of the first argument.
    Parse(f64),
    /// `replace`.
    Replace,
    /// `split`.
    Split,
    /// `join`.
    Join,
    /// A search with a pattern.
    Find,
    /// A comparison of networks.
    Contains,
    /// A check of a name's format, whose pattern is not known.
    Validate,
    /// A selector, parsed into its requirements.
    Selector,
}

/// Functions by name.
#[rustfmt::skip] // one row a line
static FORMULAS: &[(&[&str], Formula)] = &[
    (&["check"], Formula::Fixed(350_000)),
    (&["serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error", "errored"], Formula::Fixed(1)),
    (&["fieldSelector", "labelSelector"], Formula::Selector),
    (&["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"], Formula::Search),
    (&["url"], Formula::TraverseArgument),
    (&["lowerAscii", "upperAscii", "substring", "trim"], Formula::TraverseTarget),
    (&["replace"], Formula::Replace),
    (&["split"], Formula::Split),
    (&["join"], Formula::Join),
    (&["find", "findAll"], Formula::Find),
    (&["cidr", "isIP", "isCIDR", "ip"], Formula::Parse(1.0)),
    (&["ip.isCanonical"], Formula::Parse(2.0)),
    (&["masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"], Formula::Fixed(1)),
    (&["containsIP", "containsCIDR"], Formula::Contains),
    (&["quantity", "isQuantity", "semver", "isSemver"], Formula::Parse(1.0)),
    (&["validate"], Formula::Validate),
    (&["format.named"], Formula::Fixed(1)),
    (&["sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch"], Formula::Fixed(1)),
    (&["getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"], Formula::Fixed(1)),
];

/// The size of an address in bytes.
const ADDRESS: SizeEstimate = SizeEstimate { min: 4, max: 16 };
/// The assumed length of the pattern of a name's format.
const NAME_PATTERN: f64 = 128.0;
/// The largest format.
const MAX_FORMAT: u64 = 64;

/// The cost of a call, if its function is one of these libraries'.
pub(super) fn estimate(id: &str, call: &CostedCall<'_, '_>) -> Option<CallEstimate> {
    if call.function == "_==_" {
        return equality(call);
    }
    if id == "cidr_ip" {
        return Some(CallEstimate::cost(CostEstimate::fixed(1)));
    }
    let (_, formula) = FORMULAS.iter().find(|(names, _)| names.contains(&call.function))?;
    let first = call.arguments.first();
    let target = call.target.as_ref();
    match formula {
        Formula::Fixed(cost) => Some(CallEstimate::cost(CostEstimate::fixed(*cost))),
        Formula::Search => target.map(search),
        Formula::TraverseArgument => (call.arguments.len() == 1).then(|| traverse(first)),
        Formula::TraverseTarget => target.map(|target| traverse(Some(target))),
        Formula::Parse(times) => {
            let size = size_of(first?);
            Some(CallEstimate::cost(size.by_factor(times * TRAVERSAL)))
        }
        Formula::Replace => replace(target?, first?, call.arguments.get(1)?),
        Formula::Split => split(target?, call.arguments.get(1)),
        Formula::Join => Some(join(target?, first)),
        Formula::Find => {
            let size = size_of(target?);
            let text = size.plus(SizeEstimate::fixed(1)).by_factor(TRAVERSAL);
            let cost = text.times(size_of(first?).by_factor(PATTERN));
            Some(CallEstimate { cost, size: Some(SizeEstimate { min: 0, max: size.max }) })
        }
        Formula::Contains => contains(id, first?),
        Formula::Validate => {
            let text = size_of(first?).by_factor(TRAVERSAL);
            Some(CallEstimate::cost(text.by_factor(NAME_PATTERN * PATTERN)))
        }
        Formula::Selector => {
            let length = size_of(first.filter(|_| call.arguments.len() == 1)?);
            let requirements = length.by_factor(0.5).by_factor(50.0);
            let cost = CostEstimate::fixed(10).plus(length.by_factor(TRAVERSAL)).plus(requirements);
            Some(CallEstimate::cost(cost))
        }
    }
}

pub(super) fn size_of(argument: &Argument<'_, '_>) -> SizeEstimate {
    argument.size.or_else(|| place_size(argument.place)).unwrap_or(SizeEstimate::UNKNOWN)
}

fn traverse(argument: Option<&Argument<'_, '_>>) -> CallEstimate {
    let size = argument.map_or(SizeEstimate::UNKNOWN, size_of);
    CallEstimate { cost: size.by_factor(TRAVERSAL), size: Some(size) }
}

/// The type and the size of the items of a list.
fn element(list: &Argument<'_, '_>) -> Option<(Type, SizeEstimate)> {
    let ty = match &list.ty {
        Type::List(item) | Type::Optional(item) | Type::TypeOf(item) => item.as_ref().clone(),
        // The first parameter of a map is its key.
        Type::Map(key, _) => key.as_ref().clone(),
        _ => return None,
    };
    let place = match list.place {
        PathNode::At(ty) => ty.below("@items").map_or(PathNode::Undeclared, PathNode::At),
        other => other,
    };
    Some((ty, place_size(place).unwrap_or(SizeEstimate::UNKNOWN)))
}

fn search(target: &Argument<'_, '_>) -> CallEstimate {
    let size = size_of(target);
    let Some((ty, element)) = element(target) else {
        return CallEstimate::cost(size.by_factor(TRAVERSAL));
    };
    let mut item = CostEstimate::fixed(1);
    if matches!(ty, Type::String | Type::Bytes) {
        item = item.plus(element.by_factor(TRAVERSAL));
    }
    CallEstimate::cost(size.by_cost(item))
}

fn replace(
    target: &Argument<'_, '_>,
    replaced: &Argument<'_, '_>,
    replacement: &Argument<'_, '_>,
) -> Option<CallEstimate> {
    let (size, replaced, replacement) = (size_of(target), size_of(replaced), size_of(replacement));
    let (mut count, mut retained) = (SizeEstimate::fixed(0), SizeEstimate::fixed(0));
    if replaced.min == 0 {
        count.max = size.max.saturating_add(1);
        retained.max = size.max;
    } else if replacement.max <= replaced.min {
        retained.max = size.max;
    } else {
        count.max = size.max.div_ceil(replaced.min);
    }
    if replaced.max == 0 {
        count.min = size.min.saturating_add(1);
        retained.min = size.min;
    } else if replaced.max <= replacement.min {
        retained.min = size.min;
    } else {
        count.min = size.min.div_ceil(replaced.max);
    }
    let result = count.times(replacement).plus(retained);
    Some(CallEstimate { cost: size.by_factor(2.0 * TRAVERSAL), size: Some(result) })
}

fn split(target: &Argument<'_, '_>, limit: Option<&Argument<'_, '_>>) -> Option<CallEstimate> {
    let size = size_of(target);
    let limit = match limit.map(|limit| &limit.expr.kind) {
        Some(Kind::Literal(Value::Int(limit))) => Some(limit.cast_unsigned()),
        _ => None,
    };
    let parts = SizeEstimate { min: 0, max: limit.unwrap_or(size.max) };
    Some(CallEstimate { cost: size.by_factor(2.0 * TRAVERSAL), size: Some(parts) })
}

fn join(target: &Argument<'_, '_>, separator: Option<&Argument<'_, '_>>) -> CallEstimate {
    let items = size_of(target);
    let mut size = SizeEstimate::fixed(0);
    if let Some((_, element)) = element(target) {
        size = items.times(element);
    }
    if let Some(separator) = separator {
        let separators =
            SizeEstimate { min: items.min.saturating_sub(1), max: items.max.saturating_sub(1) };
        size = size.plus(size_of(separator).times(separators));
    }
    CallEstimate { cost: size.by_factor(TRAVERSAL), size: Some(size) }
}

fn contains(id: &str, other: &Argument<'_, '_>) -> Option<CallEstimate> {
    let mut cost = ADDRESS.plus(ADDRESS).by_factor(TRAVERSAL);
    if id.starts_with("cidr_contains_cidr") {
        cost = cost.plus(ADDRESS.by_factor(TRAVERSAL)).plus(CostEstimate::fixed(1));
    }
    if id.ends_with("_string") {
        cost = cost.plus(size_of(other).by_factor(TRAVERSAL));
    }
    Some(CallEstimate::cost(cost))
}

/// Equality of values of the libraries' types; all other values are compared by size.
fn equality(call: &CostedCall<'_, '_>) -> Option<CallEstimate> {
    let [left, right] = call.arguments.as_slice() else { return None };
    let Type::Opaque(name) = &left.ty else { return None };
    if left.ty != right.ty {
        return None;
    }
    let cost = match *name {
        "kubernetes.NamedFormat" => CostEstimate { min: 1, max: MAX_FORMAT }.by_factor(TRAVERSAL),
        "kubernetes.URL" => {
            let max = right.size.map_or(1, |size| size.max);
            CostEstimate { min: 1, max }.by_factor(TRAVERSAL)
        }
        _ => CostEstimate::fixed(1),
    };
    Some(CallEstimate::cost(cost))
}
