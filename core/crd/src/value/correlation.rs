//! Correlation of new values with old ones: what did not change may stay invalid.

use crate::structural::{ListType, SchemaType, Structural};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt::Write as _;
use ratchet_object::{Entry, Members, Node, Value};

/// A value, the old value that it is compared with, and their schema (`CorrelatedObject`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correlation<'c> {
    pub(crate) new: &'c Node<'c>,
    pub(crate) old: &'c Node<'c>,
    pub(crate) schema: &'c Structural,
}

impl<'c> Correlation<'c> {
    /// The old items of a list, if they can be told apart by keys.
    pub(crate) fn old_items(&self) -> Option<MapList<'c>> {
        let (Value::List(_), Value::List(old)) = (&self.new.value, &self.old.value) else {
            return None;
        };
        (self.schema.list_type == ListType::Map).then(|| MapList::new(self.schema, old))
    }

    /// The correlation of an item with the old one of the same keys.
    pub(crate) fn item(&self, item: &'c Node<'c>, old: Option<&MapList<'c>>) -> Option<Self> {
        Some(Self { new: item, old: old?.get(item)?, schema: self.schema.items()? })
    }

    /// Whether the value is as it was. Keyed lists are compared by key; of objects every member must be specified.
    pub(crate) fn is_unchanged(&self) -> bool {
        match (&self.new.value, &self.old.value) {
            (Value::List(new), Value::List(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                match self.old_items() {
                    None => deep_equal(self.new, self.old),
                    Some(items) => new.iter().all(|item| {
                        self.item(item, Some(&items)).is_some_and(|item| item.is_unchanged())
                    }),
                }
            }
            (Value::Map(new), Value::Map(old)) => {
                let mut members = Members::new(old);
                new.len() == old.len()
                    && new.iter().all(|entry| {
                        let schema = self.schema.member(&entry.key);
                        match (members.get(&entry.key), schema) {
                            (Some(old), Some(schema)) => {
                                Correlation { new: &entry.node, old, schema }.is_unchanged()
                            }
                            _ => false,
                        }
                    })
            }
            _ => deep_equal(self.new, self.old),
        }
    }
}

/// Whether two values are the same: numbers of different types are not.
pub(crate) fn deep_equal(one: &Node<'_>, other: &Node<'_>) -> bool {
    match (&one.value, &other.value) {
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| deep_equal(one, other))
        }
        (Value::Map(one), Value::Map(other)) => {
            let mut members = Members::new(other);
            let mut is_same = |entry: &Entry<'_>| {
                members.get(&entry.key).is_some_and(|other| deep_equal(&entry.node, other))
            };
            one.len() == other.len() && one.iter().all(&mut is_same)
        }
        _ => one == other,
    }
}

/// The items of a keyed list by their keys (`MapList`).
#[derive(Debug)]
pub(crate) struct MapList<'c> {
    keys: &'c [Box<str>],
    items: BTreeMap<String, &'c Node<'c>>,
}

impl<'c> MapList<'c> {
    /// The items of an old list; none if its schema is not that of a keyed list.
    pub(crate) fn new(schema: &'c Structural, items: &'c [Node<'c>]) -> Self {
        let keys = &*schema.list_map_keys;
        let is_keyed = schema.schema_type == Some(SchemaType::Array)
            && schema.list_type == ListType::Map
            && !keys.is_empty();
        let mut by_key = BTreeMap::new();
        for item in items.iter().filter(|_| is_keyed) {
            if let Some(key) = composite_key(keys, item) {
                // Of items with the same keys the first counts.
                by_key.entry(key).or_insert(item);
            }
        }
        Self { keys, items: by_key }
    }

    /// The item with the keys of another.
    pub(crate) fn get(&self, item: &Node<'_>) -> Option<&'c Node<'c>> {
        if self.items.is_empty() {
            return None;
        }
        self.items.get(&composite_key(self.keys, item)?).copied()
    }
}

/// The values of an item's keys as a text; `None` if one is missing or no scalar.
fn composite_key(keys: &[Box<str>], item: &Node<'_>) -> Option<String> {
    let mut text = String::new();
    for key in keys {
        let node = item.get(key)?;
        let sort = match node.value {
            Value::Bool(_) => 'b',
            Value::Int(_) => 'i',
            Value::Float(_) => 'f',
            Value::Text(_) => 't',
            _ => return None,
        };
        // Writing to a String cannot fail; JSON has no bare zero byte.
        let _ = write!(text, "{sort}{node}\0");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{schema, tree};

    fn unchanged(spec: &str, new: &str, old: &str) -> bool {
        let (schema, new, old) = (schema(spec), tree(new), tree(old));
        Correlation { new: &new, old: &old, schema: &schema }.is_unchanged()
    }

    #[test]
    fn values_are_compared_by_their_schema() {
        let keyed = "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}, v: {type: integer}}}}";
        assert!(unchanged(keyed, "[{k: a, v: 1}, {k: b}]", "[{k: b}, {v: 1, k: a}]"));
        assert!(!unchanged(keyed, "[{k: a, v: 1}]", "[{k: a, v: 2}]"));
        assert!(!unchanged(keyed, "[{k: a}]", "[{k: b}]"));
        let plain = "{type: array, items: {type: string}}";
        assert!(unchanged(plain, "[a, b]", "[a, b]") && !unchanged(plain, "[a, b]", "[b, a]"));
        let object = "{type: object, properties: {a: {type: string}}}";
        assert!(unchanged(object, "{a: x}", "{a: x}"));
        // What is not specified cannot be compared.
        assert!(!unchanged(object, "{a: x, b: y}", "{a: x, b: y}"));
        assert!(!deep_equal(&Node::int(1), &Node::new(Value::Float(1.0))));
    }

    #[test]
    fn large_objects_are_compared_in_any_order() {
        let spec = "{type: object, additionalProperties: {type: integer}}";
        let members = |range: core::ops::Range<u32>| {
            let all: alloc::vec::Vec<String> = range.map(|n| alloc::format!("k{n}: {n}")).collect();
            all
        };
        let forward = alloc::format!("{{{}}}", members(0..100).join(", "));
        let mut backward = members(0..100);
        backward.reverse();
        let backward = alloc::format!("{{{}}}", backward.join(", "));
        assert!(unchanged(spec, &forward, &backward));
        assert!(deep_equal(&tree(&forward), &tree(&backward)));
    }
}
