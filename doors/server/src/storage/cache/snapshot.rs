//! `Snapshot`: all objects of one resource at a revision, found by key, by name and by an indexed field.

use super::item::Item;
use super::items::{Items, after_prefix};
use super::object_state::ObjectState;
use super::scope::{IndexValue, Scope};
use super::unreadable::Unreadable;
use imbl::OrdMap;
use std::sync::Arc;

/// All objects of one resource at a revision; cheap to clone and to hold.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The objects in key order.
    pub items: Items,
    /// The same objects by the value of their indexed field, if they have one.
    pub(super) indexed: OrdMap<IndexValue, Items>,
    /// Stored values that cannot be decoded; normally none.
    pub unreadable: OrdMap<Arc<str>, Arc<Unreadable>>,
    /// The revision of the last change.
    pub revision: u64,
}

/// Objects that a list or watch looks at, in key order.
pub(crate) type Candidates<'a> = Box<dyn Iterator<Item = &'a Arc<Item>> + Send + 'a>;

impl Snapshot {
    /// The first value with this key prefix that cannot be decoded; a complete list is impossible then.
    pub fn unreadable_within(&self, prefix: &str) -> Option<&Arc<Unreadable>> {
        if self.unreadable.is_empty() {
            return None;
        }
        let (key, found) = self.unreadable.range(Arc::<str>::from(prefix)..).next()?;
        key.starts_with(prefix).then_some(found)
    }

    /// Sets the state of a key and returns the previous object.
    pub(super) fn put(&mut self, key: &Arc<str>, state: ObjectState) -> Option<Arc<Item>> {
        let old = match state {
            ObjectState::Item(mut item) => {
                self.unreadable.remove(key);
                item.share_index_value(|value| {
                    self.indexed.get_key_value(value).map(|(known, _)| known.clone())
                });
                if let Some(near) = self.items.near(key) {
                    item.share_text(near);
                }
                let item = Arc::new(item);
                let old = self.items.insert(item.clone());
                self.remove_indexed(old.as_deref().filter(|old| old.index() != item.index()));
                if let Some(value) = item.index() {
                    self.indexed.entry(value.clone()).or_default().insert(item);
                }
                return old;
            }
            ObjectState::Unreadable(found) => {
                self.unreadable.insert(key.clone(), found);
                self.items.remove(key)
            }
            ObjectState::Deleted => {
                self.unreadable.remove(key);
                self.items.remove(key)
            }
        };
        self.remove_indexed(old.as_deref());
        old
    }

    /// Removes an object from the index.
    fn remove_indexed(&mut self, old: Option<&Item>) {
        let Some((value, old)) = old.and_then(|old| Some((old.index()?, old))) else { return };
        let Some(items) = self.indexed.get_mut(value) else { return };
        items.remove(&old.key);
        if items.is_empty() {
            self.indexed.remove(value);
        }
    }

    /// The objects with this key prefix, in key order.
    pub fn within<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Arc<Item>> {
        self.items.starting_at(prefix).take_while(move |item| item.key.starts_with(prefix))
    }

    /// The objects that may be in a scope and whose keys are greater than `after`, in key order. None that is in it is
    /// missing, and as few others as an index allows are there.
    pub(crate) fn candidates<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a str>,
    ) -> Candidates<'a> {
        let is_later = move |item: &&Arc<Item>| after.is_none_or(|after| *item.key > *after);
        match scope {
            Scope::Object { key } => Box::new(self.items.get(key).into_iter().filter(is_later)),
            Scope::Name { name } => Box::new(self.named(name, after).filter(is_later)),
            Scope::Index { value, prefix } => {
                let items = self.indexed.get(value.as_str());
                let from = first(prefix, after);
                let items = items.into_iter().flat_map(move |items| items.starting_at(from));
                let items = items.take_while(move |item| item.key.starts_with(prefix));
                Box::new(items.filter(is_later))
            }
            Scope::Prefix { prefix } => {
                // Their number is known from the tree, so that keys need not be compared.
                let count = match after {
                    Some(after) if after > prefix.as_str() => self.count_after(prefix, after),
                    _ => self.items.count_within(prefix),
                };
                let items = self.items.starting_at(first(prefix, after));
                // Only the first can be the one to begin after.
                Box::new(items.skip_while(move |item| !is_later(item)).take(count))
            }
        }
    }

    /// The number of objects with this key prefix behind a key.
    pub(crate) fn count_after(&self, prefix: &str, key: &str) -> usize {
        let upto = self.items.rank(key) + usize::from(self.items.get(key).is_some());
        (self.items.rank(prefix) + self.items.count_within(prefix)).saturating_sub(upto)
    }

    /// The objects of a name in all namespaces: one look-up for each.
    fn named<'a>(
        &'a self,
        name: &'a str,
        after: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Arc<Item>> + Send {
        let namespace_of =
            |key: &str| key.split_once('/').map(|(namespace, _)| namespace.to_owned());
        let mut namespaces_from =
            Some(after.and_then(namespace_of).map(|own| format!("{own}/")).unwrap_or_default());
        std::iter::from_fn(move || {
            loop {
                let next = self.items.starting_at(namespaces_from.as_deref()?).next()?;
                let prefix = format!("{}/", namespace_of(&next.key)?);
                let found = self.items.get(&format!("{prefix}{name}"));
                namespaces_from = after_prefix(&prefix);
                if found.is_some() {
                    return found;
                }
            }
        })
    }
}

/// Where the objects with this prefix begin that follow `after`.
fn first<'a>(prefix: &'a str, after: Option<&'a str>) -> &'a str {
    after.map_or(prefix, |after| after.max(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(key: &str, node: &str) -> ObjectState {
        let body = format!(r#"{{"metadata":{{"name":"x"}},"spec":{{"nodeName":"{node}"}}}}"#);
        let index = super::super::scope::index_of("pods");
        let pool = std::sync::Mutex::default();
        ObjectState::Item(Item::cached(key.into(), 1, body.as_bytes(), &pool, index).unwrap())
    }

    fn keys<'a>(snapshot: &'a Snapshot, scope: &'a Scope, after: Option<&'a str>) -> Vec<&'a str> {
        snapshot.candidates(scope, after).map(|item| &*item.key).collect()
    }

    fn index(value: &str, prefix: &str) -> Scope {
        Scope::Index { value: value.into(), prefix: prefix.into() }
    }

    #[test]
    fn objects_are_found_by_key_name_prefix_and_index() {
        let mut snapshot = Snapshot::default();
        for (key, node) in [
            ("a/x", "n1"),
            ("a/y", "n2"),
            ("a-b/x", "n1"),
            ("b/x", ""),
            ("b/z", "n1"),
            ("c/y", "n1"),
        ] {
            snapshot.put(&key.into(), pod(key, node));
        }
        let name = |name: &str| Scope::Name { name: name.into() };
        let prefix = |prefix: &str| Scope::Prefix { prefix: prefix.into() };
        let object = |key: &str| Scope::Object { key: key.into() };
        for (scope, after, expected) in [
            (name("x"), None, vec!["a-b/x", "a/x", "b/x"]),
            (name("x"), Some("a/w"), vec!["a/x", "b/x"]),
            (name("x"), Some("a/x"), vec!["b/x"]),
            (name("none"), None, vec![]),
            (object("a/y"), None, vec!["a/y"]),
            (object("a/y"), Some("a/y"), vec![]),
            (object("a/none"), None, vec![]),
            (prefix("b/"), None, vec!["b/x", "b/z"]),
            (prefix("b/"), Some("b/x"), vec!["b/z"]),
            (prefix("b/"), Some("a/x"), vec!["b/x", "b/z"]),
            (prefix("b/"), Some("c/"), vec![]),
            (index("n1", ""), None, vec!["a-b/x", "a/x", "b/z", "c/y"]),
            (index("n1", ""), Some("a/x"), vec!["b/z", "c/y"]),
            (index("n1", "a/"), None, vec!["a/x"]),
            (index("", ""), None, vec!["b/x"]),
            (index("n3", ""), None, vec![]),
        ] {
            assert_eq!(keys(&snapshot, &scope, after), expected, "{scope:?} after {after:?}");
        }
        assert_eq!(snapshot.count_after("", "a/x"), 4);
        assert_eq!(snapshot.count_after("a/", "a/x"), 1);
        assert_eq!(snapshot.count_after("a/", "a/xx"), 1, "the key itself may be gone");
        assert_eq!(snapshot.count_after("b/", "b/z"), 0);
    }

    #[test]
    fn the_index_follows_every_change() {
        let mut snapshot = Snapshot::default();
        snapshot.put(&"a/x".into(), pod("a/x", ""));
        snapshot.put(&"a/y".into(), pod("a/y", "n1"));
        snapshot.put(&"a/x".into(), pod("a/x", "n1"));
        let copy = snapshot.clone();
        assert_eq!(keys(&snapshot, &index("n1", ""), None), ["a/x", "a/y"]);
        assert!(!snapshot.indexed.contains_key(""), "nothing is left of it");
        let found = Unreadable { key: "k".into(), why: "w".into() };
        snapshot.put(&"a/x".into(), ObjectState::Unreadable(Arc::new(found)));
        assert_eq!(keys(&snapshot, &index("n1", ""), None), ["a/y"]);
        snapshot.put(&"a/y".into(), ObjectState::Deleted);
        assert!(snapshot.indexed.is_empty() && snapshot.items.is_empty());
        assert_eq!(keys(&copy, &index("n1", ""), None), ["a/x", "a/y"], "a copy stays as it was");
    }

    #[test]
    fn objects_that_are_alike_are_served_as_they_were_stored() {
        let mut snapshot = Snapshot::default();
        let body = |name: &str, uid: u32| {
            let text = "the same in all of them, ".repeat(10);
            format!(r#"{{"metadata":{{"name":"{name}","uid":"{uid}"}},"text":"{text}"}}"#)
        };
        let mut put = |name: &str, revision: u64, body: &str| {
            let item = Item::stored(name.into(), revision, body.as_bytes()).unwrap();
            snapshot.put(&name.into(), ObjectState::Item(item));
        };
        put("a", 1, &body("a", 1));
        put("b", 2, &body("b", 1_000_000));
        put("c", 3, "{\"metadata\":{}}");
        put("b", 4, &body("b", 7));
        let stored = [body("a", 1), body("b", 7), "{\"metadata\":{}}".to_owned()];
        for (item, (revision, stored)) in
            snapshot.items.values().zip([1, 4, 3].into_iter().zip(stored))
        {
            let fresh = Item::stored(item.key.clone(), revision, stored.as_bytes()).unwrap();
            assert_eq!(item.body(), fresh.body());
        }
        let shared = |key: &str| snapshot.items.get(key).is_some_and(|item| item.shares_text());
        assert!(shared("a") && shared("b") && !shared("c"));
    }

    #[test]
    fn the_name_of_a_node_is_kept_once() {
        let mut snapshot = Snapshot::default();
        for key in ["a/x", "a/y"] {
            snapshot.put(&key.into(), pod(key, "n1"));
        }
        let [one, two] =
            ["a/x", "a/y"].map(|key| snapshot.items.get(key).unwrap().index().unwrap());
        assert!(one.is_shared_with(two));
    }

    /// So many pods, thirty a node.
    fn pods(count: usize) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for number in 0..count {
            let key = format!("n{}/pod-{number:05}", number % 3);
            snapshot.put(&key.as_str().into(), pod(&key, &format!("node-{}", number / 30)));
        }
        snapshot
    }

    /// The number of nodes of trees, and of objects, that are looked at.
    fn work(look: impl FnOnce()) -> usize {
        let count = || super::super::items::LOOKED_AT.with(std::cell::Cell::get);
        let before = count();
        look();
        count() - before
    }

    #[test]
    fn what_need_not_grow_does_not_grow() {
        let index = index("node-7", "");
        let name = Scope::Name { name: "pod-00777".into() };
        let object = Scope::Object { key: "n0/pod-00777".into() };
        let all = Scope::Prefix { prefix: String::new() };
        let page = |snapshot: &Snapshot, after| {
            let last = snapshot.candidates(&all, after).nth(499).unwrap();
            assert!(snapshot.count_after("", &last.key) < snapshot.items.len());
        };
        type Look<'a> = &'a dyn Fn(&Snapshot);
        let put = |snapshot: &Snapshot| {
            let (key, mut snapshot) = ("n0/pod-00777", snapshot.clone());
            assert!(snapshot.put(&key.into(), pod(key, "node-8")).is_some());
        };
        let remove = |snapshot: &Snapshot| {
            let (key, mut snapshot) = ("n0/pod-00777", snapshot.clone());
            assert!(snapshot.put(&key.into(), ObjectState::Deleted).is_some());
        };
        let looks: [(&str, Look<'_>, usize); 8] = [
            ("get", &|snapshot| drop(snapshot.items.get("n0/pod-00777").unwrap().clone()), 3),
            ("first page", &|snapshot| page(snapshot, None), 530),
            ("later page", &|snapshot| page(snapshot, Some("n1/pod-00400")), 530),
            ("name", &|snapshot| assert_eq!(snapshot.candidates(&name, None).count(), 1), 30),
            ("object", &|snapshot| assert_eq!(snapshot.candidates(&object, None).count(), 1), 3),
            ("node", &|snapshot| assert_eq!(snapshot.candidates(&index, None).count(), 30), 33),
            ("update to another node", &put, 15),
            ("removal", &remove, 10),
        ];
        let snapshots = [1500, 6000].map(pods);
        for (what, look, most) in looks {
            let [small, large] = snapshots.each_ref().map(|snapshot| work(|| look(snapshot)));
            assert!(small <= most && large <= most, "{what}: {small} and {large}");
        }
    }
}
