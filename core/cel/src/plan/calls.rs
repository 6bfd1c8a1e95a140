//! Planning of checked calls, some of which become special steps.

use super::build::{Planner, attribute, with_key};
use super::{Attribute, Call, Key, KeySource, Root, Step, Style};
use crate::check::Reference;
use crate::library::OverloadDecl;
use crate::syntax::Expr;
use crate::{Budget, EvalError, Value, evaluate};
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

/// Conversions whose calls with constants are evaluated at plan time.
const CONVERSIONS: &[&str] =
    &["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

/// Standard functions with one implementation for all types.
const OPERATORS: &[&str] = &[
    "_+_",
    "_-_",
    "_*_",
    "_/_",
    "_%_",
    "-_",
    "!_",
    "_<_",
    "_<=_",
    "_>_",
    "_>=_",
    "@in",
    "size",
    "type",
    "dyn",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
];

/// Functions with a pattern argument, and its index.
const PATTERNS: &[(&str, usize)] = &[("matches", 1), ("find", 1), ("findAll", 1)];

impl Planner {
    pub(super) fn call(
        &mut self,
        expr: &Expr,
        target: Option<&Expr>,
        function: &str,
        arguments: &[Expr],
    ) -> Result<Step, EvalError> {
        let (overloads, namespaced) = match self.reference(expr) {
            Reference::Calls { overloads, namespaced } => (overloads, namespaced),
            _ => (Vec::new(), false),
        };
        let target = target.filter(|_| !namespaced);
        let mut steps = Vec::with_capacity(arguments.len() + 1);
        for part in target.into_iter().chain(arguments) {
            steps.push(self.step(part)?);
        }
        if let ("_[_]" | "_[?_]", [_, Step::Constant(key)]) = (function, steps.as_slice()) {
            evaluate::usable_key(key)?;
        }
        match special(function, steps, expr.at)
            .or_else(|steps| self.in_place_update(function, steps))
        {
            Ok(step) => Ok(step),
            Err(steps) => self.plain(function, expr.at, overloads, steps),
        }
    }

    fn plain(
        &mut self,
        function: &str,
        at: u32,
        overloads: Vec<OverloadDecl>,
        arguments: Vec<Step>,
    ) -> Result<Step, EvalError> {
        let single = overloads.len() == 1;
        let standard = overloads.first().is_some_and(|overload| overload.standard);
        let id = overloads.first().map(|overload| overload.row.id).filter(|_| single);
        if id == Some("in_list")
            && let [_, Step::Constant(Value::List(list))] = arguments.as_slice()
        {
            let set: Vec<Value<'static>> = list.iter().collect();
            return Ok(among(arguments, set));
        }
        // The alternative of an optional with a value is not evaluated.
        if matches!(function, "or" | "orValue") && id.is_some_and(|id| id.starts_with("optional_"))
        {
            let unwrap = function == "orValue";
            return match pair(arguments) {
                Ok((first, second)) => {
                    Ok(Step::OptionalOr { sides: Box::new((first, second)), unwrap })
                }
                Err(_) => Err(EvalError::no_such_overload()),
            };
        }
        if let Some((_, index)) = PATTERNS.iter().find(|(name, _)| *name == function)
            && let Some(Step::Constant(pattern)) = arguments.get(*index)
            && let Some(pattern) = pattern.as_text()
        {
            self.prepared.prepare(pattern)?;
            let (function, style) = (function.to_string(), Style::Prepared);
            let call = Call { function, overloads, arguments, style, at };
            return Ok(Step::Call(Box::new(call)));
        }
        let plain = function.rsplit_once('.').map_or(function, |(_, name)| name);
        let style = if standard && OPERATORS.contains(&plain) {
            Style::Operator
        } else if single {
            Style::Single
        } else {
            Style::Dispatched
        };
        let folds =
            CONVERSIONS.contains(&plain) && matches!(arguments.as_slice(), [Step::Constant(_)]);
        // Errors show the qualified names of functions.
        let name = overloads.first().map_or(plain, |overload| overload.signature.name.as_str());
        let call = Call { function: name.to_string(), overloads, arguments, style, at };
        let step = Step::Call(Box::new(call));
        if folds {
            let mut budget = Budget::new(u64::MAX);
            return evaluate::constant(&step, &self.prepared, &mut budget).map(Step::Constant);
        }
        Ok(step)
    }
}

impl Planner {
    /// Plans an accumulator plus a list of one item, or a map insertion, as an in-place update.
    fn in_place_update(&self, function: &str, mut steps: Vec<Step>) -> Result<Step, Vec<Step>> {
        let slot = match steps.first() {
            Some(Step::Attribute(attribute)) => match attribute.root {
                Root::Local(slot) if self.accumulators.contains(&slot) => slot,
                _ => return Err(steps),
            },
            _ => return Err(steps),
        };
        match (function, steps.get(1)) {
            ("cel.@mapInsert", _) => {
                steps.remove(0);
                return Ok(Step::Insert { slot, added: steps });
            }
            ("_+_", Some(Step::List(_) | Step::Constant(Value::List(_)))) => {}
            _ => return Err(steps),
        }
        let added = steps.pop().unwrap_or(Step::Constant(Value::list(vec![])));
        Ok(Step::Append { slot, added: Box::new(added) })
    }
}

fn pair(steps: Vec<Step>) -> Result<(Step, Step), Vec<Step>> {
    <[Step; 2]>::try_from(steps).map(|[first, second]| (first, second))
}

fn among(arguments: Vec<Step>, set: Vec<Value<'static>>) -> Step {
    let item = arguments.into_iter().next().unwrap_or(Step::Constant(Value::Null));
    if set.is_empty() {
        return Step::Constant(Value::Bool(false));
    }
    Step::Among { item: Box::new(item), set: set.into() }
}

/// Calls with a step of their own; returns the arguments for any other function.
fn special(function: &str, steps: Vec<Step>, at: u32) -> Result<Step, Vec<Step>> {
    match function {
        "_&&_" => Ok(Step::And(flat(steps, |step| match step {
            Step::And(terms) => Ok(terms),
            other => Err(other),
        }))),
        "_||_" => Ok(Step::Or(flat(steps, |step| match step {
            Step::Or(terms) => Ok(terms),
            other => Err(other),
        }))),
        "_==_" | "_!=_" => pair(steps).map(|sides| {
            let negated = function == "_!=_";
            Step::Equal { sides: Box::new(sides), negated, at }
        }),
        "@not_strictly_false" => {
            let [condition] = <[Step; 1]>::try_from(steps)?;
            Ok(Step::NotFalse(Box::new(condition)))
        }
        "_?_:_" => {
            let [condition, truthy, falsy] = <[Step; 3]>::try_from(steps)?;
            Ok(Step::Attribute(Box::new(choice(condition, truthy, falsy))))
        }
        "_[_]" | "_[?_]" | "_?._" => {
            let (operand, index) = pair(steps)?;
            let key =
                Key { source: key_source(index), optional: function != "_[_]", test: false, at };
            Ok(Step::Attribute(with_key(operand, key)))
        }
        _ => Err(steps),
    }
}

fn flat(steps: Vec<Step>, terms: fn(Step) -> Result<Vec<Step>, Step>) -> Vec<Step> {
    let mut flat = Vec::new();
    for step in steps {
        match terms(step) {
            Ok(inner) => flat.extend(inner),
            Err(other) => flat.push(other),
        }
    }
    flat
}

/// A branch of a conditional costs what is selected from it, not what it is itself.
fn choice(condition: Step, truthy: Step, falsy: Step) -> Attribute {
    let branch = |step: Step| match step {
        Step::Attribute(attribute) => Attribute { cost: 0, ..*attribute },
        other => Attribute { cost: 0, ..*attribute(other) },
    };
    let root = Root::Choice(Box::new((condition, branch(truthy), branch(falsy))));
    Attribute { root, keys: Vec::new(), cost: 0, test: false }
}

fn key_source(index: Step) -> KeySource {
    match index {
        Step::Constant(value) => KeySource::Constant(value),
        Step::Attribute(attribute) => KeySource::Attribute(Attribute { cost: 0, ..*attribute }),
        other => KeySource::Step(other),
    }
}
