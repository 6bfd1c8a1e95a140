//! Uniqueness of the items of sets, and of the keys of keyed lists.

use super::{ListType, Structural};
use crate::errors::{ErrorList, bad_value, tree};
use crate::path::Path;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, Value};

impl Structural {
    /// Checks the sets and keyed lists in a value (`ValidateListSetsAndMaps`).
    pub(crate) fn validate_lists(&self, value: &Node<'_>, path: &Path<'_>, errors: &mut ErrorList) {
        if !self.has_unique_lists {
            return;
        }
        match &value.value {
            Value::Map(entries) => {
                for entry in entries {
                    if let Some(schema) = self.property(&entry.key) {
                        schema.validate_lists(&entry.node, &path.child(&entry.key), errors);
                    } else if let Some(schema) = self.additional_properties() {
                        schema.validate_lists(&entry.node, &path.key(&entry.key), errors);
                    }
                }
            }
            Value::List(items) => {
                match self.list_type {
                    ListType::Atomic => {}
                    ListType::Set => {
                        for index in repeated(items.iter().map(|item| Some(key_text(item)))) {
                            let Some(item) = items.get(index) else { continue };
                            errors.duplicate(&path.index(index), item.span, bad_value(Some(item)));
                        }
                    }
                    ListType::Map => keyed(items, &self.list_map_keys, path, errors),
                }
                if let Some(schema) = self.items() {
                    for (index, item) in items.iter().enumerate() {
                        schema.validate_lists(item, &path.index(index), errors);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A text that two values share only if they are equal: numbers of different types are not.
fn key_text(node: &Node<'_>) -> String {
    match &node.value {
        Value::Float(_) => alloc::format!("f{}", tree(Some(node))),
        _ => tree(Some(node)),
    }
}

/// The position of the second of each of several equal items.
fn repeated(items: impl Iterator<Item = Option<String>>) -> Vec<usize> {
    let mut seen: BTreeMap<Option<String>, u8> = BTreeMap::new();
    let mut repeated = Vec::new();
    for (index, item) in items.enumerate() {
        let count = seen.entry(item).or_default();
        *count = count.saturating_add(1);
        if *count == 2 {
            repeated.push(index);
        }
    }
    repeated
}

fn keyed(items: &[Node<'_>], keys: &[Box<str>], path: &Path<'_>, errors: &mut ErrorList) {
    let is_item = |item: &Node<'_>| matches!(item.value, Value::Map(_) | Value::Null);
    if let Some(index) = items.iter().position(|item| !is_item(item)) {
        let Some(item) = items.get(index) else { return };
        let detail = "must be an object for an array of list-type map";
        return errors.invalid(&path.index(index), item.span, bad_value(Some(item)), detail);
    }
    let key = |item: &Node<'_>| -> Node<'static> {
        let members = keys.iter().filter_map(|key| {
            let value = item.get(key)?.clone().into_owned();
            Some((String::from(&**key), value))
        });
        Node::map(members)
    };
    let texts = items.iter().map(|item| match keys {
        // A key that is missing differs from one that is null.
        [single] => item.get(single).map(key_text),
        _ => Some(key_text(&key(item))),
    });
    for index in repeated(texts) {
        let Some(item) = items.get(index) else { continue };
        errors.duplicate(&path.index(index), item.span, tree(Some(&key(item))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{schema, texts, tree};

    fn found(list: &str, items: &str) -> Vec<String> {
        let spec = alloc::format!("{{type: object, properties: {{l: {list}}}}}");
        let object = tree(&alloc::format!("{{l: {items}}}")).into_owned();
        let mut errors = ErrorList::default();
        schema(&spec).validate_lists(&object, &Path::NIL, &mut errors);
        texts(errors)
    }

    #[test]
    fn sets_have_every_item_once() {
        let set = "{type: array, x-kubernetes-list-type: set, items: {type: string}}";
        assert!(found(set, "[a, b, 1, 1.5]").is_empty());
        assert_eq!(
            found(set, "[a, b, a, a, 1, b, 1]"),
            [
                "l[2]: Duplicate value: \"a\"",
                "l[5]: Duplicate value: \"b\"",
                "l[6]: Duplicate value: 1"
            ]
        );
        assert_eq!(
            found(set, "[{x: 1, z: 2}, {z: 2, x: 1}]"),
            [r#"l[1]: Duplicate value: {"x":1,"z":2}"#]
        );
    }

    #[test]
    fn keyed_lists_have_every_key_once() {
        let one = "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object}}";
        assert!(found(one, "[{k: a}, {k: b}, {}]").is_empty());
        assert_eq!(
            found(one, "[{k: a}, {k: a, v: 1}, {}, {}]"),
            [r#"l[1]: Duplicate value: {"k":"a"}"#, "l[3]: Duplicate value: {}"]
        );
        assert_eq!(
            found(one, "[{k: a}, 7]"),
            ["l[1]: Invalid value: 7: must be an object for an array of list-type map"]
        );
        let two = "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p], items: {type: object}}";
        assert!(found(two, "[{k: a, p: 1}, {k: a, p: 2}, {k: a}]").is_empty());
        assert_eq!(
            found(two, "[{k: a, p: 1}, {p: 1, k: a}]"),
            [r#"l[1]: Duplicate value: {"k":"a","p":1}"#]
        );
    }
}
