//! Evaluation of function calls: arguments, overload dispatch and cost.

use super::{EvalResult, Evaluator, check_levels, recoverable};
use crate::library::{Context, OverloadDecl};
use crate::plan::{Call, Style};
use crate::{EvalError, Map, Type, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec;

impl<'p, 't> Evaluator<'p, 't> {
    pub(super) fn call(&mut self, call: &'p Call) -> EvalResult<'t> {
        match call.arguments.len() {
            0 => self.dispatch(call, &mut []),
            1 => self.dispatch(call, &mut [Value::Null]),
            2 => self.dispatch(call, &mut [Value::Null, Value::Null]),
            more => self.dispatch(call, &mut vec![Value::Null; more]),
        }
    }

    fn dispatch(&mut self, call: &'p Call, values: &mut [Value<'t>]) -> EvalResult<'t> {
        // Calls of one and two arguments evaluate all of them before they fail.
        let fails_fast = matches!(call.style, Style::Dispatched | Style::Prepared);
        let evaluates_all = values.len() <= 2 && !fails_fast;
        let count = values.len();
        let mut failed = None;
        for (index, (argument, slot)) in call.arguments.iter().zip(values.iter_mut()).enumerate() {
            match recoverable(self.step(argument))? {
                Ok(value) => *slot = value,
                Err(error) if evaluates_all || index + 1 == count => {
                    failed = failed.or(Some(error));
                }
                // A call that fails before its last argument costs nothing.
                Err(error) => return Err(error),
            }
        }
        if let Some(error) = failed {
            self.budget.spend(cost(call, values, None))?;
            return Err(error);
        }
        let standard = call.overloads.first().is_some_and(|overload| overload.standard);
        if standard {
            self.budget.spend(cost(call, values, None))?;
        }
        if let [Value::Text(name), Value::Map(Map::Tree(entries))] = values
            && call.function == "@in"
        {
            return Ok(Value::Bool(self.member_named(entries, name).is_some()));
        }
        let context = Context::with(self.room, self.prepared);
        let result = recoverable(apply(call, &context, values))?;
        self.room = context.room_left();
        if !standard {
            self.budget.spend(cost(call, values, result.as_ref().ok()))?;
        }
        result.and_then(check_levels).map_err(|error| error.or_at(call.at))
    }
}

/// The cost of a call. With several candidate overloads, those of the standard library cost one unit, and
/// those of most libraries the least that any of them costs.
fn cost<'t>(call: &Call, arguments: &[Value<'t>], result: Option<&Value<'t>>) -> u64 {
    match call.overloads.as_slice() {
        [overload] => (overload.row.cost.0)(arguments, result),
        [first, ..] if first.priced_alone => 1,
        several => {
            let costs = several.iter().map(|overload| (overload.row.cost.0)(arguments, result));
            costs.min().unwrap_or(1)
        }
    }
}

fn apply<'t>(call: &Call, context: &Context<'_>, arguments: &[Value<'t>]) -> EvalResult<'t> {
    let chosen = match call.style {
        Style::Operator => call.overloads.first(),
        Style::Single | Style::Dispatched | Style::Prepared => {
            call.overloads.iter().find(|overload| admits(overload, arguments))
        }
    };
    match chosen {
        Some(overload) => (overload.row.call)(context, arguments),
        None if call.style == Style::Prepared => Err(EvalError::no_such_overload()),
        None => Err(no_such_overload(&call.function, arguments)),
    }
}

/// Overloads that take what the checker let pass, and look at their arguments themselves.
const UNGUARDED: [&str; 2] = ["list_flatten", "list_flatten_int"];

fn admits(overload: &OverloadDecl, arguments: &[Value<'_>]) -> bool {
    if UNGUARDED.contains(&overload.row.id) {
        return true;
    }
    let parameters = &overload.signature.parameters;
    parameters.iter().zip(arguments).all(|(parameter, argument)| is_assignable(parameter, argument))
}

/// Whether a value can be an argument of this type: of lists and maps only the first items are checked.
fn is_assignable(parameter: &Type, value: &Value<'_>) -> bool {
    match (parameter, value) {
        (Type::Dyn | Type::Param(_) | Type::Var(_), _)
        | (Type::Null, Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::Uint, Value::Uint(_))
        | (Type::Double, Value::Double(_))
        | (Type::String, Value::Text(_))
        | (Type::Bytes, Value::Bytes(_))
        | (Type::Duration, Value::Duration(_))
        | (Type::Timestamp, Value::Timestamp(_))
        | (Type::Optional(_), Value::Optional(_))
        | (Type::TypeOf(_) | Type::Meta, Value::Type(_)) => true,
        (Type::List(item), Value::List(list)) => {
            list.get(0).is_none_or(|value| is_assignable(item, &value))
        }
        (Type::Map(key, item), Value::Map(map)) => map
            .entry(0)
            .is_none_or(|(name, value)| is_assignable(key, &name) && is_assignable(item, &value)),
        (Type::Opaque(name), Value::Opaque(value)) => *name == value.type_name(),
        _ => false,
    }
}

fn no_such_overload(function: &str, arguments: &[Value<'_>]) -> EvalError {
    let mut types = String::new();
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            types.push_str(", ");
        }
        types.push_str(argument.type_of().name());
    }
    EvalError::new(format!("no such overload: {function}({types})"))
}
