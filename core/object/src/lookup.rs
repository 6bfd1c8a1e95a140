//! `Members`: the members of a map, looked up one after the other without a search for each.

use crate::{Entry, Node};
use alloc::collections::BTreeMap;

/// Only larger maps are indexed,
const LARGE: usize = 32;
/// and only after so many searches.
const UNINDEXED: u32 = 8;

/// The members of a map, found by the keys of another one, which are likely in the same order.
///
/// A search by [`Node::get`] for each of them would take as long as the square of their number.
#[derive(Debug)]
pub struct Members<'t> {
    entries: &'t [Entry<'t>],
    /// Where the next key is expected.
    next: usize,
    searches: u32,
    index: Option<BTreeMap<&'t str, &'t Node<'t>>>,
}

impl<'t> Members<'t> {
    /// The members of a map; none of any other value.
    #[must_use]
    pub fn of(node: Option<&'t Node<'t>>) -> Self {
        Self::new(node.map(Node::entries).unwrap_or_default())
    }

    /// The members `entries`.
    #[must_use]
    pub fn new(entries: &'t [Entry<'t>]) -> Self {
        Self { entries, next: 0, searches: 0, index: None }
    }

    /// The member `key`.
    pub fn get(&mut self, key: &str) -> Option<&'t Node<'t>> {
        if let Some(entry) = self.entries.get(self.next).filter(|entry| entry.key == key) {
            self.next += 1;
            return Some(&entry.node);
        }
        self.searches += 1;
        if self.entries.len() > LARGE && self.searches > UNINDEXED {
            let index = self.index.get_or_insert_with(|| {
                self.entries.iter().map(|entry| (&*entry.key, &entry.node)).collect()
            });
            return index.get(key).copied();
        }
        let position = self.entries.iter().position(|entry| entry.key == key)?;
        self.next = position + 1;
        self.entries.get(position).map(|entry| &entry.node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Equality, Slot, Value};
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn members_are_found_in_any_order(keys in prop::collection::btree_set("[a-e]{1,3}", 0..90), wanted in prop::collection::vec("[a-e]{1,3}", 0..90)) {
            let entries: Vec<Entry<'static>> =
                keys.iter().map(|key| Entry::new(key.clone(), Node::string(key.clone()))).collect();
            let mut members = Members::new(&entries);
            let mut found = |key: &String| members.get(key).and_then(Node::text) == Some(key);
            for key in wanted.iter().chain(&keys) {
                prop_assert_eq!(found(key), keys.contains(key));
            }
        }
    }

    /// Compared pair by pair these would be tens of billions of keys, and the test would not end.
    #[test]
    fn large_maps_are_compared_whatever_their_order() {
        let map = |numbers: &mut dyn Iterator<Item = u32>| {
            let entry = |number: u32| Entry::new(number.to_string(), Node::string("x"));
            Node::new(Value::Map(numbers.map(entry).collect()))
        };
        let (one, mut other) = (map(&mut (0..200_000)), map(&mut (0..200_000).rev()));
        assert_eq!(one, other);
        let data = Slot::of_object(&Node::map([
            ("apiVersion", Node::string("v1")),
            ("kind", Node::string("ConfigMap")),
        ]))
        .member("data");
        assert!(data.equal(Some(&one), Some(&other), Equality::Semantic));
        other.set("0", Node::string("y"));
        assert_ne!(one, other);
        assert!(!data.equal(Some(&one), Some(&other), Equality::Semantic));
    }
}
