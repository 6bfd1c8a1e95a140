//! `Items`: the objects of one resource by key, as a persistent B-tree that counts.
//!
//! A copy shares all nodes with its original, and a change copies those on the way to it. Every branch knows the number
//! of objects below each child, so that the place of a key among all others is found without counting them.

mod sorted;

use self::sorted::{Keyed, Sorted};
use super::item::Item;
use std::slice;
use std::sync::Arc;

/// The most entries of a node.
const MAX_ENTRIES: usize = 32;
/// A node with fewer entries is merged with a neighbour, if both fit into one.
const MIN_ENTRIES: usize = 8;

/// Objects in the order of their keys; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Items {
    root: Arc<Node>,
    count: usize,
    /// The bytes of all objects.
    bytes: usize,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Sorted<Arc<Item>>),
    Branch(Sorted<Child>),
}

#[derive(Clone, Debug)]
struct Child {
    /// No key below this child is less, and all keys before this child are.
    first: Arc<str>,
    /// The number of objects below this child.
    count: usize,
    node: Arc<Node>,
}

impl Keyed for Arc<Item> {
    fn key(&self) -> &Arc<str> {
        &self.key
    }
}

impl Keyed for Child {
    fn key(&self) -> &Arc<str> {
        &self.first
    }
}

impl Default for Node {
    fn default() -> Self {
        Self::Leaf(Sorted::default())
    }
}

impl Items {
    /// The number of objects.
    pub fn len(&self) -> usize {
        self.count
    }

    /// The bytes that all objects have together.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The object with this key.
    pub fn get(&self, key: &str) -> Option<&Arc<Item>> {
        let mut node = &*self.root;
        loop {
            match node {
                Node::Leaf(items) => return items.get(position(items, key).ok()?),
                Node::Branch(children) => node = &children.get(child_of(children, key))?.node,
            }
        }
    }

    /// The object with this key, or else one of those beside its place.
    pub(super) fn near(&self, key: &str) -> Option<&Arc<Item>> {
        let mut node = &*self.root;
        loop {
            match node {
                Node::Leaf(items) => {
                    let at = position(items, key).unwrap_or_else(|after| after.saturating_sub(1));
                    return items.get(at);
                }
                Node::Branch(children) => node = &children.get(child_of(children, key))?.node,
            }
        }
    }

    /// The number of objects with lesser keys.
    pub fn rank(&self, key: &str) -> usize {
        let (mut node, mut before) = (&*self.root, 0);
        loop {
            match node {
                Node::Leaf(items) => {
                    return before + position(items, key).unwrap_or_else(|at| at);
                }
                Node::Branch(children) => {
                    let at = child_of(children, key);
                    before += children.iter().take(at).map(|child| child.count).sum::<usize>();
                    let Some(child) = children.get(at) else { return before };
                    node = &child.node;
                }
            }
        }
    }

    /// The number of objects whose keys have this prefix.
    pub fn count_within(&self, prefix: &str) -> usize {
        match after_prefix(prefix) {
            Some(end) => self.rank(&end).saturating_sub(self.rank(prefix)),
            None => self.count,
        }
    }

    /// All objects in key order.
    pub fn values(&self) -> Iter<'_> {
        self.starting_at("")
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        self.values().map(|item| &item.key)
    }

    /// The objects whose keys are not less than this one, in key order.
    pub fn starting_at(&self, key: &str) -> Iter<'_> {
        let mut rest = Vec::new();
        let mut node = &*self.root;
        loop {
            match node {
                Node::Leaf(items) => {
                    let at = position(items, key).unwrap_or_else(|at| at);
                    return Iter {
                        rest,
                        leaf: items.as_slice().get(at..).unwrap_or_default().iter(),
                    };
                }
                Node::Branch(children) => {
                    let at = child_of(children, key);
                    let mut later = children.as_slice().get(at..).unwrap_or_default().iter();
                    let Some(child) = later.next() else {
                        return Iter { rest, leaf: [].iter() };
                    };
                    rest.push(later);
                    node = &child.node;
                }
            }
        }
    }

    /// Adds an object under its key; returns the one that it replaces.
    pub(super) fn insert(&mut self, item: Arc<Item>) -> Option<Arc<Item>> {
        self.bytes += item.size();
        let (old, split) = insert(&mut self.root, item);
        self.count += usize::from(old.is_none());
        self.bytes = self.bytes.saturating_sub(old.as_ref().map_or(0, |old| old.size()));
        if let Some(split) = split {
            let count = self.count - split.count;
            let node = std::mem::take(&mut self.root);
            let left = Child { first: node.first(), count, node };
            self.root = Arc::new(Node::Branch(Sorted::new(vec![left, split])));
        }
        old
    }

    /// Removes the object with this key.
    pub(super) fn remove(&mut self, key: &str) -> Option<Arc<Item>> {
        // Nothing is copied for what is not there.
        self.get(key)?;
        let old = remove(&mut self.root, key);
        self.count -= usize::from(old.is_some());
        self.bytes = self.bytes.saturating_sub(old.as_ref().map_or(0, |old| old.size()));
        loop {
            let only = match &*self.root {
                Node::Branch(children) => match children.as_slice() {
                    [] => Arc::default(),
                    [only] => only.node.clone(),
                    _ => return old,
                },
                Node::Leaf(_) => return old,
            };
            self.root = only;
        }
    }
}

impl Node {
    fn entries(&self) -> usize {
        match self {
            Self::Leaf(items) => items.len(),
            Self::Branch(children) => children.len(),
        }
    }

    /// The least key below the node; empty if there is none.
    fn first(&self) -> Arc<str> {
        let first = match self {
            Self::Leaf(items) => items.get(0).map(Keyed::key),
            Self::Branch(children) => children.get(0).map(Keyed::key),
        };
        first.cloned().unwrap_or_default()
    }

    /// Adds the entries of the next node of the same height.
    fn append(&mut self, next: &Self) {
        match (self, next) {
            (Self::Leaf(items), Self::Leaf(more)) => items.append(more),
            (Self::Branch(children), Self::Branch(more)) => children.append(more),
            // All leaves have the same height.
            _ => {}
        }
    }
}

#[cfg(test)]
thread_local! {
    /// The number of nodes and objects that were looked at.
    pub(super) static LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
fn look() {
    LOOKED_AT.with(|count| count.set(count.get() + 1));
}

fn position(items: &Sorted<Arc<Item>>, key: &str) -> Result<usize, usize> {
    #[cfg(test)]
    look();
    items.position(key)
}

/// The child below which a key belongs.
fn child_of(children: &Sorted<Child>, key: &str) -> usize {
    #[cfg(test)]
    look();
    match children.position(key) {
        Ok(at) => at,
        Err(after) => after.saturating_sub(1),
    }
}

/// The least text that is greater than every text with this prefix; none if there is no such text.
pub(super) fn after_prefix(prefix: &str) -> Option<String> {
    // Prefixes end with a slash or are empty, so that the next letter is one, too.
    let last = prefix.chars().next_back()?;
    let next = char::from_u32(u32::from(last) + 1)?;
    Some(format!("{}{next}", prefix.strip_suffix(last).unwrap_or_default()))
}

/// Where a full node is cut. Keys that come in order, as they do at the start, leave full nodes behind.
fn cut(entries: usize, inserted_at: usize) -> usize {
    if inserted_at + 1 == entries { MAX_ENTRIES } else { entries / 2 }
}

/// Adds an object below a node; returns the one that it replaces, and the second half of the node if it was full.
fn insert(node: &mut Arc<Node>, item: Arc<Item>) -> (Option<Arc<Item>>, Option<Child>) {
    match Arc::make_mut(node) {
        Node::Leaf(items) => match position(items, &item.key) {
            Ok(at) => (items.get_mut(at).map(|old| std::mem::replace(old, item)), None),
            Err(at) => {
                items.insert(at, item);
                if items.len() <= MAX_ENTRIES {
                    return (None, None);
                }
                let more = items.split_off(cut(items.len(), at));
                let first = more.get(0).map(|item| item.key.clone());
                let split = first.map(|first| Child {
                    first,
                    count: more.len(),
                    node: Arc::new(Node::Leaf(more)),
                });
                (None, split)
            }
        },
        Node::Branch(children) => {
            let at = child_of(children, &item.key);
            let Some(child) = children.get_mut(at) else { return (None, None) };
            let is_first = item.key < child.first;
            if is_first {
                child.first = item.key.clone();
            }
            let (old, split) = insert(&mut child.node, item);
            child.count += usize::from(old.is_none());
            if let Some(split) = &split {
                child.count -= split.count;
            }
            if is_first {
                children.rekeyed();
            }
            let Some(split) = split else { return (old, None) };
            children.insert(at + 1, split);
            if children.len() <= MAX_ENTRIES {
                return (old, None);
            }
            let more = children.split_off(cut(children.len(), at + 1));
            let first = more.get(0).map(|child| child.first.clone());
            let split = first.map(|first| Child {
                first,
                count: more.iter().map(|child| child.count).sum(),
                node: Arc::new(Node::Branch(more)),
            });
            (old, split)
        }
    }
}

/// Removes an object below a node.
fn remove(node: &mut Arc<Node>, key: &str) -> Option<Arc<Item>> {
    match Arc::make_mut(node) {
        Node::Leaf(items) => position(items, key).ok().map(|at| items.remove(at)),
        Node::Branch(children) => {
            let at = child_of(children, key);
            let child = children.get_mut(at)?;
            let old = remove(&mut child.node, key)?;
            child.count -= 1;
            match (child.count, child.node.entries()) {
                (0, _) => drop(children.remove(at)),
                (_, entries) if entries < MIN_ENTRIES => merge(children, at),
                _ => {}
            }
            Some(old)
        }
    }
}

/// Merges a small child with the one before it, or else with the one after it, if they fit into one.
fn merge(children: &mut Sorted<Child>, at: usize) {
    for left in [at.checked_sub(1), Some(at)].into_iter().flatten() {
        let (Some(one), Some(two)) = (children.get(left), children.get(left + 1)) else { continue };
        if one.node.entries() + two.node.entries() > MAX_ENTRIES {
            continue;
        }
        let right = children.remove(left + 1);
        if let Some(one) = children.get_mut(left) {
            Arc::make_mut(&mut one.node).append(&right.node);
            one.count += right.count;
        }
        return;
    }
}

/// Objects in key order.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    /// The children that follow, from the root down.
    rest: Vec<slice::Iter<'a, Child>>,
    leaf: slice::Iter<'a, Arc<Item>>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a Arc<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.leaf.next() {
                #[cfg(test)]
                look();
                return Some(item);
            }
            let mut node = loop {
                match self.rest.last_mut()?.next() {
                    Some(child) => break &*child.node,
                    None => drop(self.rest.pop()),
                }
            };
            loop {
                match node {
                    Node::Leaf(items) => {
                        self.leaf = items.iter();
                        break;
                    }
                    Node::Branch(children) => {
                        let mut children = children.iter();
                        let first = children.next()?;
                        self.rest.push(children);
                        node = &first.node;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
