//! Resolution of names, fields, keys and indexes.

use super::folds::go_type;
use super::{EvalResult, Evaluator, Slot, check_levels, format_value, recoverable, usable};
use crate::plan::{Attribute, Key, KeySource, Root};
use crate::{EvalError, Map, Value};
use alloc::format;
use ratchet_object::{Entry, Node};

/// Larger maps of trees are indexed when they are first looked into.
const LARGE: usize = 64;
/// After so many searches in a large map an index is worth its price.
const UNINDEXED: u32 = 8;

impl<'p, 't> Evaluator<'p, 't> {
    /// The value of an attribute, without its own cost.
    pub(super) fn attribute(&mut self, attribute: &'p Attribute) -> EvalResult<'t> {
        let value = self.resolve(attribute)?;
        match value {
            Value::Optional(inner) if attribute.test => Ok(Value::Bool(inner.is_some())),
            other => usable(other).and_then(check_levels),
        }
    }

    fn resolve(&mut self, attribute: &'p Attribute) -> EvalResult<'t> {
        let keys = attribute.keys.as_slice();
        match &attribute.root {
            Root::Local(slot) => {
                let value = self.local(*slot)?;
                self.look_up(value, keys)
            }
            Root::Variable { index, lazy } => {
                if *lazy && let Some(value) = self.member(*index, keys) {
                    return value;
                }
                let value = self.variable(*index)?;
                self.look_up(value, keys)
            }
            Root::Step(step) => {
                let value = self.step(step)?;
                self.look_up(value, keys)
            }
            Root::Choice(choice) => {
                let (condition, truthy, falsy) = choice.as_ref();
                let branch = match self.step(condition)? {
                    Value::Bool(true) => truthy,
                    Value::Bool(false) => falsy,
                    _ => return Err(EvalError::no_such_overload()),
                };
                let value = self.attribute(branch)?;
                self.look_up(value, keys)
            }
        }
    }

    pub(super) fn local(&mut self, slot: usize) -> EvalResult<'t> {
        let pending = match self.slots.get(slot) {
            Some(Slot::Ready(value)) => return value.clone(),
            Some(Slot::Pending(step)) => *step,
            _ => return Err(EvalError::new("no such attribute(s)")),
        };
        let value = recoverable(self.step(pending))?;
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = Slot::Ready(value.clone());
        }
        value
    }

    fn variable(&mut self, index: usize) -> EvalResult<'t> {
        if let Some(Some(cached)) = self.variables.get(index) {
            return Ok(cached.clone());
        }
        let name = self.names.get(index).map_or("", |name| &**name);
        let Some(value) = self.world.variable(name) else {
            return Err(EvalError::new(format!("no such attribute(s): {name}")));
        };
        if let Some(slot) = self.variables.get_mut(index) {
            *slot = Some(value.clone());
        }
        Ok(value)
    }

    /// A field of a variable that computes its fields; `None` if the variable does not.
    fn member(&mut self, index: usize, keys: &'p [Key]) -> Option<EvalResult<'t>> {
        let (first, rest) = keys.split_first()?;
        let KeySource::Constant(field) = &first.source else { return None };
        let name = self.names.get(index)?;
        let member = self.world.member(name, field.as_text()?, self.budget)?;
        Some(self.resolve_member(member, first, rest))
    }

    fn resolve_member(
        &mut self,
        member: EvalResult<'t>,
        first: &Key,
        rest: &'p [Key],
    ) -> EvalResult<'t> {
        // An error in another expression is reported where that expression is named.
        let member = member.map_err(|error| EvalError { at: Some(first.at), ..error });
        let member = recoverable(member)?;
        self.budget.spend(1)?;
        let value = member?;
        if first.test {
            return Ok(Value::Bool(true));
        }
        let value = if first.optional { Value::some(value) } else { value };
        self.look_up(value, rest)
    }

    fn look_up(&mut self, value: Value<'t>, keys: &'p [Key]) -> EvalResult<'t> {
        if keys.is_empty() {
            return Ok(value);
        }
        let (mut value, mut optional) = match value {
            Value::Optional(None) => return Ok(Value::Optional(None)),
            Value::Optional(Some(inner)) => (inner.as_ref().clone(), true),
            other => (other, false),
        };
        for key in keys {
            optional |= key.optional;
            let member = self.look_up_one(&value, key, optional);
            let member = member.and_then(|member| member.map(usable).transpose());
            let member = recoverable(member.map_err(|error| error.or_at(key.at)))?;
            match member {
                Ok(None) if optional => return Ok(Value::Optional(None)),
                // An absent optional member costs nothing.
                Err(error) if optional => return Err(error),
                other => {
                    self.budget.spend(1)?;
                    value = other?.unwrap_or(Value::Bool(false));
                }
            }
        }
        Ok(if optional { Value::some(value) } else { value })
    }

    /// The value under a key. `None` is only returned where absence is no error.
    fn look_up_one(
        &mut self,
        value: &Value<'t>,
        key: &'p Key,
        optional: bool,
    ) -> Result<Option<Value<'t>>, EvalError> {
        let computed;
        let key_value: &Value<'_> = match &key.source {
            KeySource::Constant(value) => value,
            KeySource::Attribute(attribute) => {
                computed = self.attribute(attribute)?;
                &computed
            }
            KeySource::Step(step) => {
                computed = self.step(step)?;
                &computed
            }
        };
        let member = self.get(value, key_value)?;
        match member {
            Some(member) if key.test && !optional => {
                usable(member).map(|_| Some(Value::Bool(true)))
            }
            Some(member) => Ok(Some(member)),
            None if optional => Ok(None),
            None if key.test => Ok(Some(Value::Bool(false))),
            // An unset field of a message is null, as in Go's map behind it.
            None if matches!(value, Value::Object(_)) => Ok(Some(Value::Null)),
            None => Err(missing(value, key_value)),
        }
    }

    fn get(&mut self, value: &Value<'t>, key: &Value<'_>) -> Result<Option<Value<'t>>, EvalError> {
        usable_key(key)?;
        match (value, key) {
            (Value::Map(Map::Tree(entries)), Value::Text(name)) => {
                Ok(self.member_named(entries, name).map(Value::of))
            }
            (Value::Map(Map::Typed(map)), Value::Text(name)) => {
                let Some((key, ty)) = map.member(name) else { return Ok(None) };
                let node = self.member_named(map.entries, key);
                Ok(node.and_then(|node| map.value(node, ty)))
            }
            (Value::Map(map), _) => Ok(map.get(key)),
            (Value::List(list), _) => {
                Ok(usize::try_from(index(key)?).ok().and_then(|index| list.get(index)))
            }
            (Value::Opaque(opaque), Value::Text(name)) => Ok(opaque.field(name)),
            (Value::Object(object), Value::Text(name)) => Ok(object.field(name).cloned()),
            _ => Ok(None),
        }
    }

    /// The member `name` of a map in a tree; large maps are indexed for that.
    pub(super) fn member_named(
        &mut self,
        entries: &'t [Entry<'t>],
        name: &str,
    ) -> Option<&'t Node<'t>> {
        if entries.len() <= LARGE {
            return entries.iter().find(|entry| entry.key == name).map(|entry| &entry.node);
        }
        let members = self.indexes.entry(entries.as_ptr() as usize).or_default();
        members.lookups += 1;
        if members.lookups <= UNINDEXED {
            return entries.iter().find(|entry| entry.key == name).map(|entry| &entry.node);
        }
        let index = members.index.get_or_insert_with(|| {
            entries.iter().map(|entry| (&*entry.key, &entry.node)).collect()
        });
        index.get(name).copied()
    }
}

/// Whether a value can be a key at all.
pub(crate) fn usable_key(key: &Value<'_>) -> Result<(), EvalError> {
    match key {
        Value::Text(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_) | Value::Double(_) => {
            Ok(())
        }
        other => Err(EvalError::new(format!("invalid qualifier type: {}", go_type(other)))),
    }
}

/// The list index that a key denotes.
fn index(key: &Value<'_>) -> Result<i64, EvalError> {
    match key {
        Value::Int(number) => Ok(*number),
        Value::Uint(number) => {
            i64::try_from(*number).map_err(|_| EvalError::new("integer overflow"))
        }
        Value::Double(number) if *number as i64 as f64 == *number => Ok(*number as i64),
        Value::Double(_) => {
            Err(EvalError::new(format!("unsupported index value {} in list", format_value(key))))
        }
        other => {
            let name = other.type_of();
            Err(EvalError::new(format!("unsupported index type '{}' in list", name.name())))
        }
    }
}

fn missing(value: &Value<'_>, key: &Value<'_>) -> EvalError {
    let key = format_value(key);
    match value {
        Value::List(_) => EvalError::new(format!("index out of bounds: {key}")),
        _ => EvalError::new(format!("no such key: {key}")),
    }
}
