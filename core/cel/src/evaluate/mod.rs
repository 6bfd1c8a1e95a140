//! The evaluator of plans, which charges every step what cel-go charges.

mod attributes;
mod calls;
mod folds;
mod messages;

pub(crate) use attributes::usable_key;

use crate::compare::equal_in;
use crate::library::Prepared;
use crate::plan::Step;
use crate::value::MAX_VALUE_LEVELS;
use crate::{Activation, Budget, EvalError, EvalErrorKind, Map, Program, Table, Value};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

/// The bytes and items that one evaluation may build, and the values that it may compare.
const ROOM: u64 = 64 << 20;
/// The cost of creating a list.
const LIST_COST: u64 = 10;
/// The cost of creating a map.
const MAP_COST: u64 = 30;

type EvalResult<'t> = Result<Value<'t>, EvalError>;

impl Program {
    /// Evaluates it, charging `budget`.
    pub fn evaluate<'t>(
        &self,
        world: &dyn Activation<'t>,
        budget: &mut Budget,
    ) -> Result<Value<'t>, EvalError> {
        let mut slots = Vec::new();
        slots.resize_with(self.slots, || Slot::Empty);
        let mut run = Evaluator {
            names: &self.variables,
            prepared: &self.prepared,
            world,
            budget,
            slots,
            variables: vec![None; self.variables.len()],
            indexes: BTreeMap::new(),
            room: ROOM,
        };
        run.step(&self.root)
    }
}

/// An activation without variables.
struct NoVariables;

impl<'t> Activation<'t> for NoVariables {
    fn variable(&self, _: &str) -> Option<Value<'t>> {
        None
    }
}

/// Evaluates a step that needs no variables.
pub(crate) fn constant(
    step: &Step,
    prepared: &Prepared,
    budget: &mut Budget,
) -> EvalResult<'static> {
    let mut run = Evaluator {
        names: &[],
        prepared,
        world: &NoVariables,
        budget,
        slots: Vec::new(),
        variables: Vec::new(),
        indexes: BTreeMap::new(),
        room: ROOM,
    };
    run.step(step)
}

/// The state of an evaluation: `'p` is the lifetime of the program, `'t` that of the trees.
struct Evaluator<'p, 't> {
    names: &'p [Arc<str>],
    prepared: &'p Prepared,
    world: &'p dyn Activation<'t>,
    budget: &'p mut Budget,
    slots: Vec<Slot<'p, 't>>,
    variables: Vec<Option<Value<'t>>>,
    /// The members of large maps, by the address of the map.
    indexes: BTreeMap<usize, LargeMap<'t>>,
    room: u64,
}

/// How often a large map was searched, and an index of its members if that was often.
#[derive(Default)]
struct LargeMap<'t> {
    lookups: u32,
    index: Option<BTreeMap<&'t str, &'t Node<'t>>>,
}

/// The value of a loop variable.
enum Slot<'p, 't> {
    Empty,
    /// Evaluated when it is first used.
    Pending(&'p Step),
    Ready(EvalResult<'t>),
}

impl<'p, 't> Evaluator<'p, 't> {
    fn step(&mut self, step: &'p Step) -> EvalResult<'t> {
        match step {
            Step::Constant(value) => Ok(value.clone()),
            Step::Attribute(attribute) => {
                let value = self.attribute(attribute);
                self.budget.spend(attribute.cost)?;
                value
            }
            Step::And(terms) => self.logic(terms, false),
            Step::Or(terms) => self.logic(terms, true),
            Step::Equal { sides, negated, at } => self.equal(sides, *negated, *at),
            Step::Among { item, set } => {
                let item = self.step(item)?;
                Ok(Value::Bool(set.iter().any(|member| member.equal(&item))))
            }
            Step::NotFalse(condition) => {
                let condition = recoverable(self.step(condition))?;
                self.budget.spend(1)?;
                Ok(Value::Bool(!matches!(condition, Ok(Value::Bool(false)))))
            }
            Step::Call(call) => self.call(call),
            Step::List(items) => self.list(items),
            Step::Map(entries) => self.map(entries),
            Step::Struct(message) => self.message(message),
            Step::Fold(fold) => self.fold(fold),
            Step::Append { slot, added } => self.append(*slot, added),
            Step::Insert { slot, added } => self.insert(*slot, added),
            Step::OptionalOr { sides, unwrap } => self.optional_or(sides, *unwrap),
        }
    }

    /// `&&` (until one is false) and `||` (until one is true): errors are discarded where another
    /// term decides.
    fn logic(&mut self, terms: &'p [Step], decisive: bool) -> EvalResult<'t> {
        let mut failed = None;
        for term in terms {
            match recoverable(self.step(term))? {
                Ok(Value::Bool(truth)) if truth == decisive => return Ok(Value::Bool(decisive)),
                Ok(Value::Bool(_)) => {}
                Ok(_) if failed.is_none() => failed = Some(EvalError::no_such_overload()),
                Err(error) if failed.is_none() => failed = Some(error),
                _ => {}
            }
        }
        failed.map_or(Ok(Value::Bool(!decisive)), Err)
    }

    fn equal(&mut self, sides: &'p (Step, Step), negated: bool, at: u32) -> EvalResult<'t> {
        let left = recoverable(self.step(&sides.0))?;
        let right = recoverable(self.step(&sides.1))?;
        let size = |side: &EvalResult<'t>| side.as_ref().map_or(1, Value::cost_size);
        let cost = match &left {
            Ok(Value::Opaque(_)) if !negated => 1,
            _ => size(&left).min(size(&right)).div_ceil(10),
        };
        self.budget.spend(cost)?;
        let (left, right) = (left?, right?);
        if !negated && !left.meets(&right) {
            return Err(EvalError::no_such_overload().or_at(at));
        }
        let equal = equal_in(&mut self.room, &left, &right)?;
        Ok(Value::Bool(equal != negated))
    }

    fn list(&mut self, items: &'p [(Step, bool)]) -> EvalResult<'t> {
        let mut values = Vec::with_capacity(items.len());
        let mut failed = None;
        for (item, optional) in items {
            match recoverable(self.step(item))? {
                Err(error) => failed = Some(error),
                Ok(value) if !optional => values.push(value),
                Ok(Value::Optional(None)) => {}
                Ok(Value::Optional(Some(value))) => values.push(value.as_ref().clone()),
                Ok(value) => failed = Some(not_optional("list element", &value)),
            }
            if failed.is_some() {
                break;
            }
        }
        self.budget.spend(LIST_COST)?;
        failed.map_or_else(|| check_levels(Value::list(values)), Err)
    }

    fn map(&mut self, entries: &'p [(Step, Step, bool)]) -> EvalResult<'t> {
        let mut table = Table::default();
        let mut failed = None;
        for entry in entries {
            if let Err(error) = recoverable(self.entry(&mut table, entry))? {
                failed = Some(error);
                break;
            }
        }
        self.budget.spend(MAP_COST)?;
        failed.map_or_else(|| check_levels(Value::Map(Map::Shared(Arc::new(table)))), Err)
    }

    fn entry(
        &mut self,
        table: &mut Table<'t>,
        (key, value, optional): &'p (Step, Step, bool),
    ) -> Result<(), EvalError> {
        let key = self.step(key)?;
        match self.step(value)? {
            value if !optional => table.set(key, value),
            Value::Optional(None) => table.remove(&key),
            Value::Optional(Some(value)) => table.set(key, value.as_ref().clone()),
            value => {
                return Err(not_optional(&format!("entry '{}'", format_value(&key)), &value));
            }
        }
        Ok(())
    }

    fn optional_or(&mut self, sides: &'p (Step, Step), unwrap: bool) -> EvalResult<'t> {
        match self.step(&sides.0)? {
            Value::Optional(None) => self.step(&sides.1),
            Value::Optional(Some(value)) if unwrap => Ok(value.as_ref().clone()),
            other => Ok(other),
        }
    }
}

/// Refuses a new value that is nested too deeply.
fn check_levels(value: Value<'_>) -> EvalResult<'_> {
    if value.levels() > MAX_VALUE_LEVELS {
        let message = format!("value is nested deeper than {MAX_VALUE_LEVELS} levels");
        return Err(EvalError::new(message));
    }
    Ok(value)
}

/// The value, or the error that it stands for.
fn usable(value: Value<'_>) -> EvalResult<'_> {
    match value {
        Value::Invalid(message) => Err(EvalError::new(&*message)),
        other => Ok(other),
    }
}

/// Separates errors that another term may override from a spent budget, which ends the evaluation.
fn recoverable<T>(result: Result<T, EvalError>) -> Result<Result<T, EvalError>, EvalError> {
    match result {
        Err(error) if error.kind == EvalErrorKind::OverBudget => Err(error),
        other => Ok(other),
    }
}

fn not_optional(element: &str, value: &Value<'_>) -> EvalError {
    let value = format_value(value);
    EvalError::new(format!("cannot initialize optional {element} from non-optional value {value}"))
}

/// A value as Go prints it in errors.
fn format_value(value: &Value<'_>) -> alloc::string::String {
    use alloc::string::ToString;
    match value {
        Value::Text(text) => text.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => crate::library::standard::double_text(*number),
        other => other.type_of().name().to_string(),
    }
}
