//! Index of objects by label.

use crate::{Change, Key, Shared};
use ratchet_object::Node;
use std::collections::{BTreeSet, HashMap};

/// The keys of the objects with a label, for every namespace, label and value.
#[derive(Default)]
pub(crate) struct ByLabel {
    keys: HashMap<String, BTreeSet<Key>>,
}

pub(crate) fn labels<'n>(node: &'n Node<'_>) -> impl Iterator<Item = (&'n str, &'n str)> {
    string_entries(node.find(&["metadata", "labels"]))
}

pub(crate) fn annotations<'n>(node: &'n Node<'_>) -> impl Iterator<Item = (&'n str, &'n str)> {
    string_entries(node.find(&["metadata", "annotations"]))
}

/// The entries of a map whose values are strings.
pub(crate) fn string_entries<'n>(
    map: Option<&'n Node<'_>>,
) -> impl Iterator<Item = (&'n str, &'n str)> {
    let entries = map.map(Node::entries).unwrap_or_default();
    entries.iter().map(|entry| (entry.key.as_ref(), entry.node.text().unwrap_or_default()))
}

pub(crate) fn label<'n>(node: &'n Node<'_>, name: &str) -> Option<&'n str> {
    node.find(&["metadata", "labels", name]).map(|label| label.text().unwrap_or_default())
}

/// The index key of one label in one namespace. Neither names nor values can contain the separator.
fn index_key(namespace: &str, name: &str, value: &str) -> String {
    [namespace, name, value].join("\0")
}

impl ByLabel {
    pub(crate) fn add(&mut self, key: &Key, node: &Node<'_>) {
        let namespace = node.metadata().namespace();
        for (name, value) in labels(node) {
            let keys = self.keys.entry(index_key(namespace, name, value)).or_default();
            keys.insert(key.clone());
        }
    }

    fn remove(&mut self, key: &Key, node: &Node<'_>) {
        let namespace = node.metadata().namespace();
        for (name, value) in labels(node) {
            let index_key = index_key(namespace, name, value);
            let Some(keys) = self.keys.get_mut(&index_key) else { continue };
            keys.remove(key);
            if keys.is_empty() {
                self.keys.remove(&index_key);
            }
        }
    }

    pub(crate) fn change(&mut self, change: &Change) {
        if let Some(old) = &change.old {
            self.remove(&change.key, old);
        }
        if let Some(new) = &change.new {
            self.add(&change.key, new);
        }
    }

    /// Only the objects with the rarest of the labels are read and compared.
    pub(crate) fn find(
        &self,
        namespace: &str,
        required: &[(&str, &str)],
        read: impl Fn(&Key) -> Option<Shared>,
    ) -> Vec<Shared> {
        let mut rarest: Option<&BTreeSet<Key>> = None;
        for (name, value) in required {
            let Some(keys) = self.keys.get(&index_key(namespace, name, value)) else {
                return Vec::new();
            };
            if rarest.is_none_or(|rarest| keys.len() < rarest.len()) {
                rarest = Some(keys);
            }
        }
        let has_all =
            |node: &Shared| required.iter().all(|(name, value)| label(node, name) == Some(*value));
        rarest.into_iter().flatten().filter_map(read).filter(has_all).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::client::parse_json;
    use crate::retained::Retained;
    use crate::store::key_of;

    fn object(namespace: &str, name: &str, labels: &str) -> (Key, Retained) {
        let text = format!(
            r#"{{"metadata":{{"namespace":"{namespace}","name":"{name}","labels":{{{labels}}}}}}}"#
        );
        let node = parse_json(text.as_bytes()).expect("reads").into_owned();
        (key_of(&node), Retained::text(&node))
    }

    fn names(store: &Store, namespace: &str, labels: &[(&str, &str)]) -> Vec<String> {
        let found = store.labelled(namespace, labels);
        found.iter().map(|node| node.metadata().name().to_owned()).collect()
    }

    #[test]
    fn objects_are_found_by_all_their_labels_and_only_in_their_namespace() {
        let store = Store::default();
        let (key, node) = object("x", "early", r#""a":"1""#);
        store.set(key, Some((node.clone(), node.read())));
        store.index_labels();
        for (key, node) in [
            object("x", "one", r#""a":"1","b":"1""#),
            object("x", "two", r#""a":"1","b":"2""#),
            object("y", "far", r#""a":"1","b":"1""#),
            object("x", "none", ""),
        ] {
            store.set(key, Some((node.clone(), node.read())));
        }
        assert_eq!(names(&store, "x", &[("a", "1")]), ["early", "one", "two"]);
        assert_eq!(names(&store, "x", &[("a", "1"), ("b", "2")]), ["two"]);
        assert_eq!(names(&store, "y", &[("b", "1")]), ["far"]);
        for (namespace, required) in
            [("x", &[("a", "2")][..]), ("x", &[("a", "1"), ("c", "1")]), ("z", &[("a", "1")])]
        {
            assert!(names(&store, namespace, required).is_empty(), "{required:?}");
        }
        assert!(names(&store, "x", &[]).is_empty());
    }

    #[test]
    fn labels_that_change_are_forgotten() {
        let store = Store::default();
        store.index_labels();
        let (key, node) = object("x", "one", r#""a":"1""#);
        let set = |node: Retained| store.set(key.clone(), Some((node.clone(), node.read())));
        set(node);
        set(object("x", "one", r#""a":"2""#).1);
        assert!(names(&store, "x", &[("a", "1")]).is_empty());
        assert_eq!(names(&store, "x", &[("a", "2")]), ["one"]);
        store.set(key.clone(), None);
        assert!(names(&store, "x", &[("a", "2")]).is_empty());
    }
}
