//! `List`: CEL lists, borrowed from a tree, owned, or two lists joined.

use crate::Value;
use crate::value::TREE_LEVELS;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::Node;

/// A list, borrowed from a tree or owned.
#[derive(Clone, Debug)]
pub enum List<'t> {
    /// The items of a list in a tree.
    Tree(&'t [Node<'t>]),
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
        Self { values, levels }
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
            Self::Tree(_) => TREE_LEVELS,
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

    /// The concatenation with another list; `None` if it is too long.
    pub(crate) fn joined(&self, other: &Self) -> Option<Self> {
        let length = self.len().checked_add(other.len()).filter(|length| *length <= MAX_LEN)?;
        let depth = self.depth().max(other.depth()) + 1;
        if length <= COPY_BELOW || depth > MAX_JOIN_DEPTH {
            return Some(Self::Shared(Arc::new(self.iter().chain(other.iter()).collect())));
        }
        let (first, second) = (self.clone(), other.clone());
        let levels = first.levels().max(second.levels());
        Some(Self::Joined(Arc::new(Joined { first, second, length, depth, levels })))
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
