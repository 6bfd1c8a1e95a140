//! Calling functions.

use super::{Outcome, Run, bounded, forgiving};
use crate::environment::Known;
use crate::library::Context;
use crate::plan::{Call, Style};
use crate::{Fault, Map, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec;

impl<'p, 't> Run<'p, 't> {
    pub(super) fn call(&mut self, call: &'p Call) -> Outcome<'t> {
        match call.arguments.len() {
            0 => self.called(call, &mut []),
            1 => self.called(call, &mut [Value::Null]),
            2 => self.called(call, &mut [Value::Null, Value::Null]),
            more => self.called(call, &mut vec![Value::Null; more]),
        }
    }

    fn called(&mut self, call: &'p Call, values: &mut [Value<'t>]) -> Outcome<'t> {
        // Calls of one and two arguments look at all of them before they give up.
        let hasty = matches!(call.style, Style::Dispatched | Style::Prepared);
        let patient = values.len() <= 2 && !hasty;
        let count = values.len();
        let mut failed = None;
        for (index, (argument, place)) in call.arguments.iter().zip(values.iter_mut()).enumerate() {
            match forgiving(self.step(argument))? {
                Ok(value) => *place = value,
                Err(fault) if patient || index + 1 == count => {
                    failed = failed.or(Some(fault));
                }
                // What was not given all its arguments costs nothing.
                Err(fault) => return Err(fault),
            }
        }
        if let Some(fault) = failed {
            self.budget.spend(cost(call, values, None))?;
            return Err(fault);
        }
        let standard = call.overloads.first().is_some_and(|known| known.standard);
        if standard {
            self.budget.spend(cost(call, values, None))?;
        }
        if let [Value::Text(name), Value::Map(Map::Tree(entries))] = values
            && call.function == "@in"
        {
            return Ok(Value::Bool(self.member_named(entries, name).is_some()));
        }
        let context = Context::with(self.room, self.prepared);
        let outcome = forgiving(apply(call, &context, values))?;
        self.room = context.room_left();
        if !standard {
            self.budget.spend(cost(call, values, outcome.as_ref().ok()))?;
        }
        outcome.and_then(bounded).map_err(|fault| fault.or_at(call.at))
    }
}

/// What a call costs. Where several functions are possible, the language's own cost one unit, and
/// those of most libraries what they all cost at least.
fn cost<'t>(call: &Call, arguments: &[Value<'t>], result: Option<&Value<'t>>) -> u64 {
    match call.overloads.as_slice() {
        [known] => (known.row.cost.0)(arguments, result),
        [first, ..] if first.priced_alone => 1,
        several => {
            let costs = several.iter().map(|known| (known.row.cost.0)(arguments, result));
            costs.min().unwrap_or(1)
        }
    }
}

fn apply<'t>(call: &Call, context: &Context<'_>, arguments: &[Value<'t>]) -> Outcome<'t> {
    let chosen = match call.style {
        Style::Operator => call.overloads.first(),
        Style::Single | Style::Dispatched | Style::Prepared => {
            call.overloads.iter().find(|known| admits(known, arguments))
        }
    };
    match chosen {
        Some(known) => (known.row.call)(context, arguments),
        None if call.style == Style::Prepared => Err(Fault::no_such_overload()),
        None => Err(no_such_overload(&call.function, arguments)),
    }
}

fn admits(known: &Known, arguments: &[Value<'_>]) -> bool {
    let parameters = &known.signature.parameters;
    parameters.iter().zip(arguments).all(|(parameter, argument)| parameter.admits(argument))
}

fn no_such_overload(function: &str, arguments: &[Value<'_>]) -> Fault {
    let mut types = String::new();
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            types.push_str(", ");
        }
        types.push_str(argument.type_of().name());
    }
    Fault::new(format!("no such overload: {function}({types})"))
}
