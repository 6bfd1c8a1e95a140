//! The members of a map under change: in order, and found quickly even among many.

use crate::{Entry, Node, Value};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Up to so many members are searched linearly.
const LINEAR_SEARCH_MAX: usize = 16;

/// Members under change. A removed member leaves a gap until the end, so indices stay valid.
pub(super) struct Members {
    entries: Vec<Option<Entry<'static>>>,
    /// The index of each key, once there are more than a few.
    indices: Option<BTreeMap<Cow<'static, str>, usize>>,
}

impl Members {
    /// Takes the members out of a map; anything else has none.
    pub(super) fn of(node: &mut Node<'static>) -> Self {
        let entries = node.entries_mut().map(core::mem::take).unwrap_or_default();
        let entries: Vec<_> = entries.into_iter().map(Some).collect();
        let indices = (entries.len() > LINEAR_SEARCH_MAX).then(|| index_by_key(&entries));
        Self { entries, indices }
    }

    /// Makes these the members of `node`.
    pub(super) fn into_map(self, node: &mut Node<'static>) {
        node.value = Value::Map(self.entries.into_iter().flatten().collect());
    }

    fn index(&self, name: &str) -> Option<usize> {
        match &self.indices {
            Some(indices) => indices.get(name).copied(),
            None => self
                .entries
                .iter()
                .position(|entry| entry.as_ref().is_some_and(|entry| entry.key == name)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Node<'static>> {
        let entry = self.entries.get(self.index(name)?)?;
        entry.as_ref().map(|entry| &entry.node)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Node<'static>> {
        let index = self.index(name)?;
        self.entries.get_mut(index)?.as_mut().map(|entry| &mut entry.node)
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Node<'static>> {
        let index = self.index(name)?;
        if let Some(indices) = &mut self.indices {
            indices.remove(name);
        }
        self.entries.get_mut(index)?.take().map(|entry| entry.node)
    }

    /// Sets a member in place, or appends it.
    pub(super) fn set(&mut self, name: Cow<'static, str>, node: Node<'static>) {
        if let Some(existing) = self.get_mut(&name) {
            *existing = node;
            return;
        }
        if let Some(indices) = &mut self.indices {
            indices.insert(name.clone(), self.entries.len());
        }
        self.entries.push(Some(Entry::new(name, node)));
        if self.indices.is_none() && self.entries.len() > LINEAR_SEARCH_MAX {
            self.indices = Some(index_by_key(&self.entries));
        }
    }

    /// Retains only the members whose keys pass.
    pub(super) fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.entries.retain(|entry| entry.as_ref().is_some_and(|entry| keep(&entry.key)));
        self.indices =
            (self.entries.len() > LINEAR_SEARCH_MAX).then(|| index_by_key(&self.entries));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry<'static>> {
        self.entries.iter().flatten()
    }

    pub(super) fn into_entries(self) -> impl Iterator<Item = Entry<'static>> {
        self.entries.into_iter().flatten()
    }
}

fn index_by_key(entries: &[Option<Entry<'static>>]) -> BTreeMap<Cow<'static, str>, usize> {
    let key_and_index = |(index, entry): (usize, &Option<Entry<'static>>)| {
        entry.as_ref().map(|entry| (entry.key.clone(), index))
    };
    entries.iter().enumerate().filter_map(key_and_index).collect()
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
