//! The members of a map while they are changed: in their order, and found quickly even among many.

use crate::{Entry, Node, Value};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// So few members are searched one by one.
const FEW: usize = 16;

/// Members under change. One that was taken out leaves a gap until the end, so places stay.
pub(super) struct Members {
    entries: Vec<Option<Entry<'static>>>,
    /// The place of each name, once there are more than a few.
    places: Option<BTreeMap<Cow<'static, str>, usize>>,
}

impl Members {
    /// Takes the members out of a map; anything else has none.
    pub(super) fn of(node: &mut Node<'static>) -> Self {
        let entries = node.entries_mut().map(core::mem::take).unwrap_or_default();
        let entries: Vec<_> = entries.into_iter().map(Some).collect();
        let places = (entries.len() > FEW).then(|| places_of(&entries));
        Self { entries, places }
    }

    /// Makes them the members of `node`.
    pub(super) fn into_map(self, node: &mut Node<'static>) {
        node.value = Value::Map(self.entries.into_iter().flatten().collect());
    }

    fn place(&self, name: &str) -> Option<usize> {
        match &self.places {
            Some(places) => places.get(name).copied(),
            None => self
                .entries
                .iter()
                .position(|entry| entry.as_ref().is_some_and(|entry| entry.key == name)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Node<'static>> {
        let entry = self.entries.get(self.place(name)?)?;
        entry.as_ref().map(|entry| &entry.node)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Node<'static>> {
        let place = self.place(name)?;
        self.entries.get_mut(place)?.as_mut().map(|entry| &mut entry.node)
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Node<'static>> {
        let place = self.place(name)?;
        if let Some(places) = &mut self.places {
            places.remove(name);
        }
        self.entries.get_mut(place)?.take().map(|entry| entry.node)
    }

    /// Sets a member where it stands, or at the end.
    pub(super) fn set(&mut self, name: Cow<'static, str>, node: Node<'static>) {
        if let Some(there) = self.get_mut(&name) {
            *there = node;
            return;
        }
        if let Some(places) = &mut self.places {
            places.insert(name.clone(), self.entries.len());
        }
        self.entries.push(Some(Entry::new(name, node)));
        if self.places.is_none() && self.entries.len() > FEW {
            self.places = Some(places_of(&self.entries));
        }
    }

    /// Keeps only the members whose names pass.
    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.entries.retain(|entry| entry.as_ref().is_some_and(|entry| keep(&entry.key)));
        self.places = (self.entries.len() > FEW).then(|| places_of(&self.entries));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry<'static>> {
        self.entries.iter().flatten()
    }

    pub(super) fn into_entries(self) -> impl Iterator<Item = Entry<'static>> {
        self.entries.into_iter().flatten()
    }
}

fn places_of(entries: &[Option<Entry<'static>>]) -> BTreeMap<Cow<'static, str>, usize> {
    let named = |(place, entry): (usize, &Option<Entry<'static>>)| {
        entry.as_ref().map(|entry| (entry.key.clone(), place))
    };
    entries.iter().enumerate().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn few_and_many_behave_alike() {
        for count in [3, 40] {
            let names = (0..count).map(|index| (format!("k{index}"), Node::int(index)));
            let mut node = Node::map(names);
            let mut members = Members::of(&mut node);
            assert_eq!(members.get("k1"), Some(&Node::int(1)));
            assert_eq!(members.remove("k1"), Some(Node::int(1)));
            assert_eq!(members.remove("k1"), None);
            assert_eq!(members.get("k1"), None);
            members.set("k0".into(), Node::bool(true));
            for index in 0..20 {
                members.set(format!("n{index}").into(), Node::int(index));
            }
            members.set("k1".into(), Node::int(9));
            assert_eq!(members.get("n19"), Some(&Node::int(19)));
            members.retain(|name| name.starts_with('k'));
            assert_eq!(members.get("n19"), None);
            members.into_map(&mut node);
            assert_eq!(node.entries().len() as i64, count);
            assert_eq!(node.get("k0"), Some(&Node::bool(true)));
            assert_eq!(node.entries().last().unwrap().key, "k1");
        }
    }
}
