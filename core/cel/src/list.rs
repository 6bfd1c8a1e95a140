//! `List`: CEL lists, borrowed from a tree with or without declared types, owned, or two lists joined.

use crate::decl::{Topology, TypedList};
use crate::value::TREE_LEVELS;
use crate::{Map, Table, Value};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::Node;

/// A list, borrowed from a tree or owned.
#[derive(Clone, Debug)]
pub enum List<'t> {
    /// The items of a list in a tree.
    Tree(&'t [Node<'t>]),
    /// The items of a list in a tree, with declared types.
    Typed(TypedList<'t>),
    /// Owned items.
    Shared(Arc<Items<'t>>),
    /// A concatenation, which is not copied.
    Joined(Arc<Joined<'t>>),
}

/// Owned items, with their nesting depth.
#[derive(Clone, Debug, Default)]
pub struct Items<'t> {
    values: Vec<Value<'t>>,
    levels: u32,
    /// That of the declared list that it was made from.
    topology: Option<&'t Topology>,
}

impl<'t> Items<'t> {
    /// Adds one at the end.
    pub(crate) fn push(&mut self, value: Value<'t>) {
        self.levels = self.levels.max(value.levels());
        self.values.push(value);
    }
}

impl<'t> FromIterator<Value<'t>> for Items<'t> {
    fn from_iter<I: IntoIterator<Item = Value<'t>>>(values: I) -> Self {
        let values: Vec<Value<'t>> = values.into_iter().collect();
        let levels = values.iter().map(Value::levels).max().unwrap_or(0);
        Self { values, levels, topology: None }
    }
}

/// Two concatenated lists.
#[derive(Debug)]
pub struct Joined<'t> {
    first: List<'t>,
    second: List<'t>,
    length: usize,
    depth: u32,
    levels: u32,
}

/// Shorter lists are copied when they are concatenated.
const COPY_BELOW: usize = 32;
/// The nesting limit of concatenations before they are copied.
const MAX_JOIN_DEPTH: u32 = 24;
/// The length limit of lists.
const MAX_LEN: usize = 1 << 24;

impl<'t> List<'t> {
    /// The number of items.
    pub fn len(&self) -> usize {
        match self {
            Self::Tree(nodes) => nodes.len(),
            Self::Typed(list) => list.nodes.len(),
            Self::Shared(items) => items.values.len(),
            Self::Joined(joined) => joined.length,
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at `index`.
    pub fn get(&self, index: usize) -> Option<Value<'t>> {
        let (mut list, mut index) = (self, index);
        loop {
            match list {
                Self::Tree(nodes) => return nodes.get(index).map(Value::of),
                Self::Typed(list) => return list.get(index),
                Self::Shared(items) => return items.values.get(index).cloned(),
                Self::Joined(joined) => match index.checked_sub(joined.first.len()) {
                    None => list = &joined.first,
                    Some(rest) => {
                        list = &joined.second;
                        index = rest;
                    }
                },
            }
        }
    }

    /// All items in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Value<'t>> + '_ {
        (0..self.len()).map(|index| self.get(index).unwrap_or(Value::Null))
    }

    /// The nesting depth of its values, itself included.
    pub(crate) fn levels(&self) -> u32 {
        match self {
            Self::Tree(_) | Self::Typed(_) => TREE_LEVELS,
            Self::Shared(items) => items.levels + 1,
            Self::Joined(joined) => joined.levels,
        }
    }

    fn depth(&self) -> u32 {
        match self {
            Self::Joined(joined) => joined.depth,
            _ => 0,
        }
    }

    /// How items are told apart.
    pub(crate) fn topology(&self) -> &'t Topology {
        match self {
            Self::Typed(list) => list.topology,
            Self::Shared(items) => items.topology.unwrap_or(&Topology::Atomic),
            Self::Tree(_) | Self::Joined(_) => &Topology::Atomic,
        }
    }

    /// The concatenation with another list; `None` if it is too long. Sets are united, and of two items with the same
    /// keys the second one counts.
    pub(crate) fn joined(&self, other: &Self) -> Option<Self> {
        let length = self.len().checked_add(other.len()).filter(|length| *length <= MAX_LEN)?;
        let topology = self.topology();
        if *topology != Topology::Atomic {
            let mut values: Vec<Value<'t>> = self.iter().collect();
            let mut positions = positions(self, topology);
            for value in other.iter() {
                let key = topology.key(&value);
                match positions.get(&key).and_then(|position| values.get_mut(position)) {
                    Some(slot) => *slot = value,
                    None => {
                        positions.set(key, values.len());
                        values.push(value);
                    }
                }
            }
            let mut items: Items<'t> = values.into_iter().collect();
            items.topology = Some(topology);
            return Some(Self::Shared(Arc::new(items)));
        }
        let depth = self.depth().max(other.depth()) + 1;
        if length <= COPY_BELOW || depth > MAX_JOIN_DEPTH {
            return Some(Self::Shared(Arc::new(self.iter().chain(other.iter()).collect())));
        }
        let (first, second) = (self.clone(), other.clone());
        let levels = first.levels().max(second.levels());
        Some(Self::Joined(Arc::new(Joined { first, second, length, depth, levels })))
    }
}

/// Positions of items by their keys.
pub(crate) struct Positions<'t>(Table<'t>);

impl<'t> Positions<'t> {
    pub(crate) fn get(&self, key: &Value<'_>) -> Option<usize> {
        self.0.get(key).and_then(|position| usize::try_from(position.as_int()?).ok())
    }

    fn set(&mut self, key: Value<'t>, position: usize) {
        self.0.set(key, Value::Int(i64::try_from(position).unwrap_or(i64::MAX)));
    }
}

/// The positions of a list's items by what tells them apart.
pub(crate) fn positions<'t>(list: &List<'t>, topology: &Topology) -> Positions<'t> {
    let mut positions = Positions(Table::default());
    for (position, value) in list.iter().enumerate() {
        positions.set(topology.key(&value), position);
    }
    positions
}

impl Topology {
    /// What tells an item from others.
    pub(crate) fn key<'t>(&self, item: &Value<'t>) -> Value<'t> {
        match (self, item) {
            (Self::Map(keys), Value::Map(map)) => {
                // Keys are called as the tree calls them, whatever expressions call them.
                let member = |key: &str| match map {
                    Map::Typed(map) => map.raw(key),
                    map => map.get_text(key),
                };
                match &**keys {
                    [key] => member(key).unwrap_or(Value::Null),
                    keys => {
                        let mut text = alloc::string::String::new();
                        for key in keys {
                            let _ = core::fmt::Write::write_fmt(
                                &mut text,
                                format_args!("{:?};", member(key)),
                            );
                        }
                        text.into()
                    }
                }
            }
            _ => item.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_lists_are_lists() {
        let many: Vec<Value<'_>> = (0..40_i64).map(Value::Int).collect();
        let Value::List(list) = Value::list(many) else { panic!("a list") };
        let mut joined = list.clone();
        for _ in 0..60 {
            joined = joined.joined(&list).expect("short enough");
        }
        assert_eq!(joined.len(), 61 * 40);
        assert_eq!(joined.get(61 * 40 - 1).and_then(|value| value.as_int()), Some(39));
        assert!(joined.get(61 * 40).is_none());
        for _ in 0..8 {
            joined = joined.joined(&joined).unwrap_or(joined);
        }
        assert!(joined.len() <= MAX_LEN);
    }
}
