//! Store of an informer: the objects of one collection by key.

use crate::Key;
use crate::labels::ByLabel;
use crate::retained::Retained;
use ratchet_object::Node;
use std::collections::{BTreeMap, HashSet};
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

    /// The keys of all objects.
    pub(crate) fn keys(&self) -> HashSet<Key> {
        self.with_state(|state| state.objects.keys().cloned().collect())
    }

    /// Sets an object, which is given as it is retained and as it is read, or removes it. None if that changes nothing.
    pub(crate) fn set(&self, key: Key, new: Option<(Retained, Shared)>) -> Option<Change> {
        let (retained, new) = new.unzip();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let State { objects, by_label } = &mut *state;
        let is_same = match (objects.get(&key), &retained) {
            (Some(old), Some(new)) => old.is_version_of(new),
            (old, new) => old.is_none() && new.is_none(),
        };
        if is_same {
            return None;
        }
        let old = match retained {
            Some(object) => objects.insert(key.clone(), object),
            None => objects.remove(&key),
        };
        let change = Change { key, old: old.as_ref().map(Retained::read), new };
        if let Some(index) = by_label {
            index.change(&change);
        }
        Some(change)
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
    fn only_what_differs_is_a_change() {
        let store = Store::default();
        let set = |(key, object): (Key, Retained)| {
            let shared = object.read();
            let change = store.set(key, Some((object, shared)))?;
            Some((change.old.is_some(), change.new.is_some()))
        };
        assert_eq!(set(object("a", "1")), Some((false, true)));
        assert_eq!(set(object("a", "1")), None);
        assert_eq!(set(object("a", "2")), Some((true, true)));
        assert_eq!(store.keys(), HashSet::from([Key::from("a")]));
        assert!(store.set("a".into(), None).is_some_and(|change| change.new.is_none()));
        assert!(store.set("a".into(), None).is_none());
    }

    #[test]
    fn keys_name_the_namespace_where_there_is_one() {
        let mut node = object("x", "1").1.read();
        assert_eq!(&*key_of(&node), "x");
        Arc::make_mut(&mut node).map_mut("metadata").set("namespace", Node::string("shop"));
        assert_eq!(&*key_of(&node), "shop/x");
    }
}
