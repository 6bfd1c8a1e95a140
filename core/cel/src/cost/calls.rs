//! Costs of calls: those of the standard library by overload, those of Kubernetes' libraries by function.

use super::coster::{Argument, Coster, PathNode};
use super::{CostEstimate, SizeEstimate, library, lists};
use crate::syntax::Expr;
use alloc::vec::Vec;

/// The cost of traversing a character.
pub(super) const TRAVERSAL: f64 = 0.1;
/// The cost of a character of a pattern.
pub(super) const PATTERN: f64 = 0.25;

/// The cost of a call without its arguments, and the size of its result, if it is known.
pub(super) struct CallEstimate {
    pub(super) cost: CostEstimate,
    pub(super) size: Option<SizeEstimate>,
}

impl CallEstimate {
    pub(super) fn cost(cost: CostEstimate) -> Self {
        Self { cost, size: None }
    }
}

/// A call with its receiver, its arguments and their costs.
pub(super) struct CostedCall<'e, 'd> {
    pub(super) function: &'e str,
    pub(super) target: Option<Argument<'e, 'd>>,
    pub(super) arguments: Vec<Argument<'e, 'd>>,
    costs: Vec<CostEstimate>,
}

impl Coster<'_, '_> {
    pub(super) fn call(
        &mut self,
        expr: &Expr,
        target: Option<&Expr>,
        function: &str,
        arguments: &[Expr],
    ) -> CostEstimate {
        // It only hides the type of its argument.
        if let ("dyn", [argument]) = (function, arguments) {
            let cost = CostEstimate::fixed(1).plus(self.cost(argument));
            self.copy_sizes(expr, argument);
            return cost;
        }
        let (overloads, namespaced) = self.overloads(expr);
        let mut costs = Vec::with_capacity(arguments.len());
        let mut nodes = Vec::with_capacity(arguments.len());
        for argument in arguments {
            costs.push(self.cost(argument));
            nodes.push(self.argument(argument));
        }
        let mut ids: Vec<&str> = overloads.iter().map(|overload| overload.row.id).collect();
        if function == "_?._" {
            ids.push("select_optional_field");
        }
        if ids.is_empty() {
            return CostEstimate::default();
        }
        let mut sum = CostEstimate::default();
        let target = match target.filter(|_| !namespaced) {
            Some(target) => {
                sum = self.cost(target);
                Some(self.argument(target))
            }
            None => None,
        };
        let name = overloads.first().map_or(function, |overload| overload.signature.name.as_str());
        let call = CostedCall { function: name, target, arguments: nodes, costs };
        let mut cost: Option<CostEstimate> = None;
        let mut size: Option<SizeEstimate> = None;
        for id in ids {
            let estimate = self.function(expr, id, &call);
            cost = Some(cost.map_or(estimate.cost, |cost| cost.union(estimate.cost)));
            size = match (size, estimate.size) {
                (Some(one), Some(other)) => Some(one.union(other)),
                (one, other) => one.or(other),
            };
            let element = match id {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            };
            if let (Some(element), Some(indexed)) = (element, arguments.first()) {
                size = self.entry_size(indexed).map(|entry| entry.value);
                let place: PathNode<'_> = self.below(self.place(indexed), element);
                self.set_place(expr, place);
            }
            if size.is_none() {
                size = self.size(expr);
            }
        }
        if let Some(size) = size {
            self.set_size(expr, size);
        }
        sum.plus(cost.unwrap_or_default())
    }

    fn function(&mut self, expr: &Expr, id: &str, call: &CostedCall<'_, '_>) -> CallEstimate {
        let arguments =
            call.costs.iter().fold(CostEstimate::default(), |sum, cost| sum.plus(*cost));
        let with_arguments = |estimate: CallEstimate| CallEstimate {
            cost: estimate.cost.plus(arguments),
            size: estimate.size,
        };
        // What an overload costs goes before what its function costs.
        let estimate = lists::estimate(id, call).or_else(|| library::estimate(id, call));
        if let Some(estimate) = estimate {
            return with_arguments(estimate);
        }
        let sized = |argument: Option<&Argument<'_, '_>>| {
            argument.and_then(|argument| argument.size).unwrap_or(SizeEstimate::UNKNOWN)
        };
        let (first, second) = (call.arguments.first(), call.arguments.get(1));
        let estimate = match (id, &call.target, call.arguments.len()) {
            ("string_format", Some(target), _) => {
                CallEstimate::cost(sized(Some(target)).by_factor(TRAVERSAL))
            }
            ("string_to_bytes", _, 1) => {
                let size = sized(first);
                let bytes = SizeEstimate { min: size.min, max: size.max.wrapping_mul(4) };
                CallEstimate { cost: size.by_factor(TRAVERSAL), size: Some(bytes) }
            }
            ("bytes_to_string", _, 1) => {
                let size = sized(first);
                let text = SizeEstimate { min: size.min / 4, max: size.max };
                CallEstimate { cost: size.by_factor(TRAVERSAL), size: Some(text) }
            }
            ("strings_quote", _, 1) => {
                let size = sized(first);
                let quoted = SizeEstimate {
                    min: size.min.wrapping_add(2),
                    max: size.max.wrapping_mul(2).wrapping_add(2),
                };
                CallEstimate { cost: size.by_factor(TRAVERSAL), size: Some(quoted) }
            }
            ("starts_with_string" | "ends_with_string", _, 1) => {
                CallEstimate::cost(sized(first).by_factor(TRAVERSAL))
            }
            ("in_list", _, 2) => CallEstimate::cost(sized(second).by_factor(1.0)),
            ("matches_string", Some(target), 1) => {
                let text = sized(Some(target)).plus(SizeEstimate::fixed(1)).by_factor(TRAVERSAL);
                CallEstimate::cost(text.times(sized(first).by_factor(PATTERN)))
            }
            ("contains_string", Some(target), 1) => {
                let text = sized(Some(target)).by_factor(TRAVERSAL);
                CallEstimate::cost(text.times(sized(first).by_factor(TRAVERSAL)))
            }
            ("logical_or" | "logical_and", ..) => {
                let first = call.costs.first().copied().unwrap_or_default();
                return CallEstimate::cost(CostEstimate { min: first.min, max: arguments.max });
            }
            ("conditional", ..) => return self.conditional(expr, call),
            ("add_string" | "add_bytes" | "add_list", _, 2) => {
                let size = sized(first).plus(sized(second));
                let entry = |argument: Option<&Argument<'_, '_>>| self.entry_size(argument?.expr);
                if let (Some(one), Some(other)) = (entry(first), entry(second)) {
                    self.set_entry_size(expr, one.union(other));
                }
                let cost = match id {
                    "add_list" => CostEstimate::fixed(1),
                    _ => size.by_factor(TRAVERSAL),
                };
                CallEstimate { cost, size: Some(size) }
            }
            (
                "less_string"
                | "greater_string"
                | "less_equals_string"
                | "greater_equals_string"
                | "less_bytes"
                | "greater_bytes"
                | "less_equals_bytes"
                | "greater_equals_bytes"
                | "equals"
                | "not_equals",
                ..,
            ) => {
                let max = sized(first).max.min(sized(second).max);
                let cost = CostEstimate { min: u64::from(max > 0), max };
                CallEstimate::cost(cost.by_factor(TRAVERSAL))
            }
            _ => CallEstimate::cost(CostEstimate::fixed(1)),
        };
        with_arguments(estimate)
    }

    fn conditional(&mut self, expr: &Expr, call: &CostedCall<'_, '_>) -> CallEstimate {
        let ([_, truthy, falsy], [condition, if_true, if_false]) =
            (call.arguments.as_slice(), call.costs.as_slice())
        else {
            return CallEstimate::cost(CostEstimate::default());
        };
        let sized = |argument: &Argument<'_, '_>| argument.size.unwrap_or(SizeEstimate::UNKNOWN);
        if let (Some(one), Some(other)) =
            (self.entry_size(truthy.expr), self.entry_size(falsy.expr))
        {
            self.set_entry_size(expr, one.union(other));
        }
        let cost = condition.plus(if_true.union(*if_false));
        CallEstimate { cost, size: Some(sized(truthy).union(sized(falsy))) }
    }
}
