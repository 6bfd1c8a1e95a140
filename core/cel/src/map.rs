//! `Map`: CEL maps, borrowed from a tree with or without declared types, or owned.

use crate::decl::TypedMap;
use crate::value::TREE_LEVELS;
use crate::{Text, Value};
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ratchet_object::Entry;

/// A map, borrowed from a tree or owned.
#[derive(Clone, Debug)]
pub enum Map<'t> {
    /// The members of a map in a tree, whose keys are strings.
    Tree(&'t [Entry<'t>]),
    /// The members of an object or map in a tree, with declared types.
    Typed(TypedMap<'t>),
    /// Owned entries.
    Shared(Arc<Table<'t>>),
}

/// Entries in insertion order; keys are distinct.
#[derive(Clone, Debug, Default)]
pub struct Table<'t> {
    entries: Vec<(Value<'t>, Value<'t>)>,
    /// The position of each key, once there are many.
    index: BTreeMap<Key<'t>, usize>,
    /// An upper bound of the nesting depth of its values.
    levels: u32,
}

/// With so few entries a linear search is faster.
const LINEAR_SEARCH_MAX: usize = 8;

/// A key with the equality of maps: numbers by value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key<'t> {
    Bool(bool),
    Whole(i128),
    Fraction(u64),
    Text(Text<'t>),
}

impl<'t> Key<'t> {
    fn of(value: &Value<'t>) -> Option<Self> {
        match value {
            Value::Bool(truth) => Some(Self::Bool(*truth)),
            Value::Int(number) => Some(Self::Whole(i128::from(*number))),
            Value::Uint(number) => Some(Self::Whole(i128::from(*number))),
            Value::Double(number) => {
                let whole = *number as i128;
                let exact = whole as f64 == *number;
                Some(if exact { Self::Whole(whole) } else { Self::Fraction(number.to_bits()) })
            }
            Value::Text(text) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text<'_> {}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl<'t> Table<'t> {
    fn position(&self, key: &Value<'_>) -> Option<usize> {
        if self.index.is_empty() {
            return self.entries.iter().position(|(existing, _)| existing.equal(key));
        }
        let table: &Table<'_> = self;
        table.index.get(&Key::of(key)?).copied()
    }

    /// The value under a key.
    pub(crate) fn get(&self, key: &Value<'_>) -> Option<Value<'t>> {
        self.entries.get(self.position(key)?).map(|(_, value)| value.clone())
    }

    /// Sets a key, replacing its value.
    pub(crate) fn set(&mut self, key: Value<'t>, value: Value<'t>) {
        self.levels = self.levels.max(value.levels());
        match self.position(&key) {
            Some(index) => {
                if let Some(entry) = self.entries.get_mut(index) {
                    entry.1 = value;
                }
            }
            None => self.push(key, value),
        }
    }

    /// Inserts a key; `false` if it exists already.
    pub(crate) fn insert(&mut self, key: Value<'t>, value: Value<'t>) -> bool {
        let fresh = self.position(&key).is_none();
        if fresh {
            self.push(key, value);
        }
        fresh
    }

    /// Removes a key.
    pub(crate) fn remove(&mut self, key: &Value<'_>) {
        if let Some(index) = self.position(key) {
            self.entries.remove(index);
            if !self.index.is_empty() {
                self.reindex();
            }
        }
    }

    fn push(&mut self, key: Value<'t>, value: Value<'t>) {
        self.levels = self.levels.max(key.levels()).max(value.levels());
        self.entries.push((key, value));
        if !self.index.is_empty() {
            let last = self.entries.len() - 1;
            if let Some(key) = self.entries.last().and_then(|(key, _)| Key::of(key)) {
                self.index.insert(key, last);
            }
        } else if self.entries.len() > LINEAR_SEARCH_MAX {
            self.reindex();
        }
    }

    /// Rebuilds the index, unless a key cannot be indexed.
    fn reindex(&mut self) {
        let keys = self.entries.iter().enumerate();
        let keys = keys.map(|(position, (key, _))| Some((Key::of(key)?, position)));
        self.index = keys.collect::<Option<BTreeMap<_, _>>>().unwrap_or_default();
    }
}

impl<'t> Map<'t> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        match self {
            Self::Tree(entries) => entries.len(),
            Self::Typed(map) => map.entries.len(),
            Self::Shared(table) => table.entries.len(),
        }
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nesting depth of its values, itself included.
    pub(crate) fn levels(&self) -> u32 {
        match self {
            Self::Tree(_) | Self::Typed(_) => TREE_LEVELS,
            Self::Shared(table) => table.levels + 1,
        }
    }

    /// The key and the value at a position.
    pub fn entry(&self, index: usize) -> Option<(Value<'t>, Value<'t>)> {
        match self {
            Self::Tree(entries) => entries
                .get(index)
                .map(|entry| (Value::Text(Text::Borrowed(&entry.key)), Value::of(&entry.node))),
            Self::Typed(map) => map.entry(index),
            Self::Shared(table) => table.entries.get(index).cloned(),
        }
    }

    /// All entries in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Value<'t>, Value<'t>)> + '_ {
        (0..self.len()).map(|index| self.entry(index).unwrap_or((Value::Null, Value::Null)))
    }

    /// The value under a string key.
    pub fn get_text(&self, key: &str) -> Option<Value<'t>> {
        match self {
            Self::Tree(entries) => {
                entries.iter().find(|entry| entry.key == key).map(|entry| Value::of(&entry.node))
            }
            Self::Typed(map) => map.get(key),
            Self::Shared(_) => self.get(&Value::Text(Text::Borrowed(key))),
        }
    }

    /// The value under a key of any type; numbers of different types are one key if equal.
    pub fn get(&self, key: &Value<'_>) -> Option<Value<'t>> {
        match (key, self) {
            (Value::Text(text), Self::Tree(_) | Self::Typed(_)) => self.get_text(text),
            (_, Self::Tree(_) | Self::Typed(_)) => None,
            (_, Self::Shared(table)) => table.get(key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_entries_are_found_as_few_are() {
        let entries = (0..100_i64).map(|n| (Value::Int(n), Value::Int(n * 2))).collect();
        let Value::Map(map) = Value::map(entries) else { panic!("a map") };
        assert_eq!(map.len(), 100);
        for key in [Value::Int(77), Value::Uint(77), Value::Double(77.0)] {
            assert_eq!(map.get(&key).and_then(|value| value.as_int()), Some(154));
        }
        assert!(map.get(&Value::Double(77.5)).is_none());
        assert!(map.get(&Value::text("77")).is_none());
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        let Value::Map(map) =
            Value::map(alloc::vec![("a".into(), 1_i64.into()), ("a".into(), 2_i64.into())])
        else {
            panic!("a map")
        };
        assert_eq!(map.len(), 1);
        assert_eq!(map.get_text("a").and_then(|value| value.as_int()), Some(2));
    }
}
