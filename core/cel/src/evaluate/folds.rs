//! Evaluation of comprehensions, the loops that macros expand to.

use super::{
    EvalResult, Evaluator, LIST_COST, Slot, check_levels, format_value, recoverable, usable,
};
use crate::plan::{Fold, Step};
use crate::{EvalError, List, Map, Table, Value};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl<'p, 't> Evaluator<'p, 't> {
    pub(super) fn fold(&mut self, fold: &'p Fold) -> EvalResult<'t> {
        let range = self.step(&fold.range)?;
        self.set_slot(fold.accumulator, Slot::Pending(&fold.start));
        match (&range, fold.second) {
            (Value::List(list), second) => {
                for (index, value) in list.iter().enumerate() {
                    let first = match second {
                        None => value,
                        Some(slot) => {
                            self.set_slot(slot, Slot::Ready(usable(value)));
                            Value::Int(i64::try_from(index).unwrap_or(i64::MAX))
                        }
                    };
                    if !self.iterate(fold, first)? {
                        break;
                    }
                }
            }
            (Value::Map(map), second) => {
                for (key, value) in map.iter() {
                    if let Some(slot) = second {
                        self.set_slot(slot, Slot::Ready(usable(value)));
                    }
                    if !self.iterate(fold, key)? {
                        break;
                    }
                }
            }
            (other, None) => {
                let kind = go_type(other);
                return Err(EvalError::new(format!("got '{kind}', expected iterable type")));
            }
            (other, Some(_)) => {
                let kind = go_type(other);
                return Err(EvalError::new(format!(
                    "unsupported comprehension range type: {kind}"
                )));
            }
        }
        let result = self.step(&fold.result);
        self.set_slot(fold.accumulator, Slot::Empty);
        result
    }

    fn set_slot(&mut self, index: usize, slot: Slot<'p, 't>) {
        if let Some(current) = self.slots.get_mut(index) {
            *current = slot;
        }
    }

    /// One iteration; `false` ends the loop.
    fn iterate(&mut self, fold: &'p Fold, item: Value<'t>) -> Result<bool, EvalError> {
        self.set_slot(fold.item, Slot::Ready(usable(item)));
        if let Ok(Value::Bool(false)) = recoverable(self.step(&fold.condition))? {
            return Ok(false);
        }
        let accumulator = recoverable(self.step(&fold.step))?;
        self.set_slot(fold.accumulator, Slot::Ready(accumulator));
        Ok(true)
    }

    /// Takes the accumulator out of its slot, so that it can grow in place.
    fn take_accumulator(&mut self, slot: usize) -> EvalResult<'t> {
        if let Some(Slot::Pending(_)) = self.slots.get(slot) {
            let _ = recoverable(self.local(slot))?;
        }
        self.budget.spend(1)?;
        match self.slots.get_mut(slot).map(|current| core::mem::replace(current, Slot::Empty)) {
            Some(Slot::Ready(value)) => value,
            _ => Err(EvalError::new("no such attribute(s)")),
        }
    }

    /// Appends a list to the accumulator.
    pub(super) fn append(&mut self, slot: usize, added: &'p Step) -> EvalResult<'t> {
        let accumulator = recoverable(self.take_accumulator(slot))?;
        // The list of one item is never built, but it is paid for.
        let item = match added {
            Step::List(items) => match items.as_slice() {
                [(item, false)] => {
                    let item = recoverable(self.step(item))?;
                    self.budget.spend(LIST_COST)?;
                    item.map(Added::Item)
                }
                _ => recoverable(self.step(added))?.map(Added::List),
            },
            other => recoverable(self.step(other))?.map(Added::List),
        };
        self.budget.spend(1)?;
        let accumulator = accumulator?;
        let item = item?;
        self.room = self.room.checked_sub(1).ok_or_else(EvalError::over_budget)?;
        let Value::List(list) = accumulator else { return Err(EvalError::no_such_overload()) };
        let mut values = match list {
            List::Shared(values) => values,
            other => Arc::new(other.iter().collect()),
        };
        let target = Arc::make_mut(&mut values);
        match item {
            Added::Item(value) => target.push(value),
            Added::List(Value::List(list)) => list.iter().for_each(|value| target.push(value)),
            Added::List(_) => return Err(EvalError::no_such_overload()),
        }
        check_levels(Value::List(List::Shared(values)))
    }

    /// Inserts an entry or the entries of a map into the accumulator.
    pub(super) fn insert(&mut self, slot: usize, added: &'p [Step]) -> EvalResult<'t> {
        let accumulator = recoverable(self.take_accumulator(slot))?;
        let mut parts = Vec::with_capacity(added.len());
        let mut failed = accumulator.as_ref().err().cloned();
        for (index, step) in added.iter().enumerate() {
            // With three arguments the first failure ends the call at no cost.
            if failed.is_some() && added.len() == 2 {
                return Err(failed.unwrap_or_else(EvalError::no_such_overload));
            }
            match recoverable(self.step(step))? {
                Ok(value) => parts.push(value),
                Err(error) if added.len() == 2 && index == 0 => return Err(error),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        self.budget.spend(1)?;
        if let Some(error) = failed {
            return Err(error);
        }
        let Value::Map(map) = accumulator? else { return Err(EvalError::no_such_overload()) };
        let mut table = match map {
            Map::Shared(table) => table,
            Map::Tree(_) | Map::Typed(_) => Arc::new(Table::default()),
        };
        let target = Arc::make_mut(&mut table);
        let mut parts = parts.into_iter();
        match (parts.next(), parts.next()) {
            (Some(key), Some(value)) => put_new(target, key, value)?,
            (Some(Value::Map(map)), None) => {
                for (key, value) in map.iter() {
                    put_new(target, key, value)?;
                }
            }
            _ => return Err(EvalError::no_such_overload()),
        }
        check_levels(Value::Map(Map::Shared(table)))
    }
}

/// An addition to a list.
enum Added<'t> {
    Item(Value<'t>),
    List(Value<'t>),
}

fn put_new<'t>(table: &mut Table<'t>, key: Value<'t>, value: Value<'t>) -> Result<(), EvalError> {
    let name = format_value(&key);
    if table.insert(key, value) {
        Ok(())
    } else {
        Err(EvalError::new(format!("insert failed: key {name} already exists")))
    }
}

/// The name of a value's type in the reference's Go source, which some of its errors show.
pub(super) fn go_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::Text(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::List(_) => "*types.baseList",
        Value::Map(_) => "*types.baseMap",
        Value::Optional(_) => "*types.Optional",
        Value::Type(_) => "*types.Type",
        Value::Opaque(value) => value.type_name(),
        Value::Object(object) if object.is_json_patch() => "*mutation.JSONPatchVal",
        Value::Object(_) => "*dynamic.ObjectVal",
        Value::Invalid(_) => "*types.Err",
    }
}
