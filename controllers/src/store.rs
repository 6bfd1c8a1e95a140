//! Store of an informer: the objects of one collection by key.

use crate::Key;
use crate::labels::ByLabel;
use crate::retained::Retained;
use ratchet_object::Node;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// An object that several controllers share.
pub type Shared = Arc<Node<'static>>;

/// The objects of one collection.
#[derive(Default)]
pub struct Store {
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<Key, Retained>,
    by_label: Option<ByLabel>,
}

/// A change of an object: `old` is absent for an added one, `new` for a deleted one.
#[derive(Clone, Debug)]
pub struct Change {
    /// `namespace/name`, or `name` for cluster-scoped objects.
    pub key: Key,
    /// The previous object.
    pub old: Option<Shared>,
    /// The current object.
    pub new: Option<Shared>,
}

/// A change in a store, whose objects are not read yet.
pub(crate) struct RetainedChange {
    key: Key,
    old: Option<Retained>,
    new: Option<Retained>,
}

impl RetainedChange {
    /// The change, with its objects.
    pub(crate) fn read(&self) -> Change {
        let read = |object: &Option<Retained>| object.as_ref().map(Retained::read);
        Change { key: self.key.clone(), old: read(&self.old), new: read(&self.new) }
    }
}

impl Store {
    /// The object with this key.
    pub fn get(&self, key: &str) -> Option<Shared> {
        self.with_state(|state| state.objects.get(key).map(Retained::read))
    }

    /// All objects, ordered by key.
    pub fn all(&self) -> Vec<(Key, Shared)> {
        let pair = |(key, object): (&Key, &Retained)| (key.clone(), object.read());
        self.with_state(|state| state.objects.iter().map(pair).collect())
    }

    /// Adds an index by label, which [`Self::labelled`] needs.
    pub(crate) fn index_labels(&self) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let State { objects, by_label } = &mut *state;
        by_label.get_or_insert_with(|| {
            let mut index = ByLabel::default();
            objects.iter().for_each(|(key, object)| index.add(key, &object.read()));
            index
        });
    }

    /// The objects of a namespace with all these labels, ordered by key; none if no label is given.
    pub(crate) fn labelled(&self, namespace: &str, labels: &[(&str, &str)]) -> Vec<Shared> {
        self.with_state(|state| match &state.by_label {
            Some(index) => {
                index.find(namespace, labels, |key| state.objects.get(key).map(Retained::read))
            }
            None => Vec::new(),
        })
    }

    /// Sets an object, which is given as it is retained and as it is read, or removes it.
    pub(crate) fn set(&self, key: Key, new: Option<(Retained, Shared)>) -> Change {
        let (retained, new) = new.unzip();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let State { objects, by_label } = &mut *state;
        let old = match retained {
            Some(object) => objects.insert(key.clone(), object),
            None => objects.remove(&key),
        };
        let change = Change { key, old: old.as_ref().map(Retained::read), new };
        if let Some(index) = by_label {
            index.change(&change);
        }
        change
    }

    /// Replaces everything, and returns the differences.
    pub(crate) fn replace(&self, new: BTreeMap<Key, Retained>) -> Vec<RetainedChange> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let State { objects, by_label } = &mut *state;
        let mut old = std::mem::replace(objects, new);
        let mut changes = Vec::new();
        for (key, object) in objects.iter() {
            let before = old.remove(key);
            if before.as_ref().is_none_or(|before| !before.is_version_of(object)) {
                let new = Some(object.clone());
                changes.push(RetainedChange { key: key.clone(), old: before, new });
            }
        }
        changes.extend(old.into_iter().map(|(key, object)| RetainedChange {
            key,
            old: Some(object),
            new: None,
        }));
        if let Some(index) = by_label {
            changes.iter().for_each(|change| index.change(&change.read()));
        }
        changes
    }

    fn with_state<T>(&self, read_state: impl FnOnce(&State) -> T) -> T {
        read_state(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The key of an object.
pub fn key_of(node: &Node<'_>) -> Key {
    let name = node.metadata().name();
    match node.metadata().namespace() {
        "" => Key::from(name),
        namespace => Key::from(format!("{namespace}/{name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(name: &str, version: &str) -> (Key, Retained) {
        let metadata = Node::map(
            [("name", name), ("resourceVersion", version)]
                .map(|(key, text)| (key, Node::string(text.to_owned()))),
        );
        (name.into(), Arc::new(Node::map([("metadata", metadata)])).into())
    }

    #[test]
    fn a_replacement_tells_only_what_differs() {
        let store = Store::default();
        store
            .replace([object("same", "1"), object("new version", "1"), object("gone", "1")].into());
        let now = [object("same", "1"), object("new version", "2"), object("new", "3")];
        let changes: Vec<_> = store
            .replace(now.into())
            .into_iter()
            .map(|change| (change.key.to_string(), change.old.is_some(), change.new.is_some()))
            .collect();
        let expected = [("new", false, true), ("new version", true, true), ("gone", true, false)];
        assert_eq!(changes, expected.map(|(key, old, new)| (key.to_owned(), old, new)));
        assert!(store.get("gone").is_none() && store.get("new").is_some());
    }

    #[test]
    fn keys_name_the_namespace_where_there_is_one() {
        let mut node = object("x", "1").1.read();
        assert_eq!(&*key_of(&node), "x");
        Arc::make_mut(&mut node).map_mut("metadata").set("namespace", Node::string("shop"));
        assert_eq!(&*key_of(&node), "shop/x");
    }
}
