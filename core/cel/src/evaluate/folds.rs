//! Loops.

use super::{LIST_COST, Outcome, Run, Slot, bounded, forgiving, shown};
use crate::plan::{Fold, Step};
use crate::{Fault, List, Map, Table, Value};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

impl<'p, 't> Run<'p, 't> {
    pub(super) fn fold(&mut self, fold: &'p Fold) -> Outcome<'t> {
        let range = self.step(&fold.range)?;
        self.put(fold.carried, Slot::Pending(&fold.start));
        match (&range, fold.second) {
            (Value::List(list), second) => {
                for (index, value) in list.iter().enumerate() {
                    let first = match second {
                        None => value,
                        Some(place) => {
                            self.put(place, Slot::Ready(Ok(value)));
                            Value::Int(i64::try_from(index).unwrap_or(i64::MAX))
                        }
                    };
                    if !self.round(fold, first)? {
                        break;
                    }
                }
            }
            (Value::Map(map), second) => {
                for (key, value) in map.iter() {
                    if let Some(place) = second {
                        self.put(place, Slot::Ready(Ok(value)));
                    }
                    if !self.round(fold, key)? {
                        break;
                    }
                }
            }
            (other, None) => {
                let kind = go_type(other);
                return Err(Fault::new(format!("got '{kind}', expected iterable type")));
            }
            (other, Some(_)) => {
                let kind = go_type(other);
                return Err(Fault::new(format!("unsupported comprehension range type: {kind}")));
            }
        }
        let result = self.step(&fold.result);
        self.put(fold.carried, Slot::Empty);
        result
    }

    fn put(&mut self, place: usize, slot: Slot<'p, 't>) {
        if let Some(known) = self.slots.get_mut(place) {
            *known = slot;
        }
    }

    /// One round; `false` ends the loop.
    fn round(&mut self, fold: &'p Fold, item: Value<'t>) -> Result<bool, Fault> {
        self.put(fold.item, Slot::Ready(Ok(item)));
        if let Ok(Value::Bool(false)) = forgiving(self.step(&fold.condition))? {
            return Ok(false);
        }
        let carried = forgiving(self.step(&fold.step))?;
        self.put(fold.carried, Slot::Ready(carried));
        Ok(true)
    }

    /// Takes what a loop carries out of its place, so that it can grow there.
    fn carried(&mut self, slot: usize) -> Outcome<'t> {
        if let Some(Slot::Pending(_)) = self.slots.get(slot) {
            let _ = forgiving(self.local(slot))?;
        }
        self.budget.spend(1)?;
        match self.slots.get_mut(slot).map(|place| core::mem::replace(place, Slot::Empty)) {
            Some(Slot::Ready(value)) => value,
            _ => Err(Fault::new("no such attribute(s)")),
        }
    }

    /// What is carried, and a list more.
    pub(super) fn append(&mut self, slot: usize, added: &'p Step) -> Outcome<'t> {
        let carried = forgiving(self.carried(slot))?;
        // The list of one that is added is never made, but it is paid for.
        let item = match added {
            Step::List(items) => match items.as_slice() {
                [(item, false)] => {
                    let item = forgiving(self.step(item))?;
                    self.budget.spend(LIST_COST)?;
                    item.map(Added::Item)
                }
                _ => forgiving(self.step(added))?.map(Added::List),
            },
            other => forgiving(self.step(other))?.map(Added::List),
        };
        self.budget.spend(1)?;
        let carried = carried?;
        let item = item?;
        self.room = self.room.checked_sub(1).ok_or_else(Fault::over_budget)?;
        let Value::List(list) = carried else { return Err(Fault::no_such_overload()) };
        let mut values = match list {
            List::Shared(values) => values,
            other => Arc::new(other.iter().collect()),
        };
        let grown = Arc::make_mut(&mut values);
        match item {
            Added::Item(value) => grown.push(value),
            Added::List(Value::List(list)) => list.iter().for_each(|value| grown.push(value)),
            Added::List(_) => return Err(Fault::no_such_overload()),
        }
        bounded(Value::List(List::Shared(values)))
    }

    /// What is carried, and an entry or the entries of a map more.
    pub(super) fn insert(&mut self, slot: usize, added: &'p [Step]) -> Outcome<'t> {
        let carried = forgiving(self.carried(slot))?;
        let mut parts = Vec::with_capacity(added.len());
        let mut failed = carried.as_ref().err().cloned();
        for (index, step) in added.iter().enumerate() {
            // With three arguments the first failure ends the call, unpaid.
            if failed.is_some() && added.len() == 2 {
                return Err(failed.unwrap_or_else(Fault::no_such_overload));
            }
            match forgiving(self.step(step))? {
                Ok(value) => parts.push(value),
                Err(fault) if added.len() == 2 && index == 0 => return Err(fault),
                Err(fault) => failed = failed.or(Some(fault)),
            }
        }
        self.budget.spend(1)?;
        if let Some(fault) = failed {
            return Err(fault);
        }
        let Value::Map(map) = carried? else { return Err(Fault::no_such_overload()) };
        let mut table = match map {
            Map::Shared(table) => table,
            Map::Tree(_) => Arc::new(Table::default()),
        };
        let grown = Arc::make_mut(&mut table);
        let mut parts = parts.into_iter();
        match (parts.next(), parts.next()) {
            (Some(key), Some(value)) => put_new(grown, key, value)?,
            (Some(Value::Map(map)), None) => {
                for (key, value) in map.iter() {
                    put_new(grown, key, value)?;
                }
            }
            _ => return Err(Fault::no_such_overload()),
        }
        bounded(Value::Map(Map::Shared(table)))
    }
}

/// What is added to a list.
enum Added<'t> {
    Item(Value<'t>),
    List(Value<'t>),
}

fn put_new<'t>(table: &mut Table<'t>, key: Value<'t>, value: Value<'t>) -> Result<(), Fault> {
    let name = shown(&key);
    if table.insert(key, value) {
        Ok(())
    } else {
        Err(Fault::new(format!("insert failed: key {name} already exists")))
    }
}

/// The name of a value's type in the reference's own source, which some of its errors show.
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
    }
}
