//! `ByLabels`: values by the values of labels, found under a read lock without copying.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

/// Label values may come from clients, so there is an end to them.
const MAX_ENTRIES: usize = 20_000;

type LabelValues = Box<[Box<str>]>;

/// Values by the values of labels, at most so many that clients cannot fill the memory with them.
#[derive(Debug)]
pub struct ByLabels<T> {
    /// Found by the hash of the label values, so that a lookup copies nothing.
    entries: RwLock<HashTable<(LabelValues, Arc<T>)>>,
    hashes: DefaultHashBuilder,
}

impl<T> Default for ByLabels<T> {
    fn default() -> Self {
        Self { entries: RwLock::default(), hashes: DefaultHashBuilder::default() }
    }
}

impl<T> ByLabels<T> {
    /// The value of these label values, which is made where there is none yet; none if there are too many.
    pub fn find_or_insert(&self, labels: &[&str], make: impl FnOnce() -> T) -> Option<Arc<T>> {
        self.find_or_insert_below(MAX_ENTRIES, labels, make)
    }

    /// The same for label values that must have a value even if there are too many.
    pub(super) fn find_or_force(&self, labels: &[&str], make: impl FnOnce() -> T) -> Arc<T> {
        let forced = self.find_or_insert_below(usize::MAX, labels, make);
        forced.unwrap_or_else(|| unreachable!("there is no memory for so many"))
    }

    fn find_or_insert_below(
        &self,
        limit: usize,
        labels: &[&str],
        make: impl FnOnce() -> T,
    ) -> Option<Arc<T>> {
        let hash = self.hash(labels);
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = find(&entries, hash, labels) {
            return Some(found);
        }
        drop(entries);
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = find(&entries, hash, labels) {
            return Some(found);
        }
        if entries.len() >= limit {
            return None;
        }
        let fresh = Arc::new(make());
        let labels: LabelValues = labels.iter().map(|&value| value.into()).collect();
        entries.insert_unique(hash, (labels, Arc::clone(&fresh)), |(labels, _)| self.hash(labels));
        Some(fresh)
    }

    fn hash(&self, labels: &[impl AsRef<str>]) -> u64 {
        let mut hasher = self.hashes.build_hasher();
        labels.iter().for_each(|label| label.as_ref().hash(&mut hasher));
        hasher.finish()
    }

    /// Removes the value of these label values.
    pub(super) fn remove(&self, labels: &[&str]) {
        let hash = self.hash(labels);
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        if let Ok(entry) = entries.find_entry(hash, |(existing, _)| same(existing, labels)) {
            entry.remove();
        }
    }

    /// Passes all label values with their values to `visit`, in no order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&[Box<str>], &T)) {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.iter().for_each(|(labels, value)| visit(labels, value));
    }
}

fn find<T>(
    entries: &HashTable<(LabelValues, Arc<T>)>,
    hash: u64,
    labels: &[&str],
) -> Option<Arc<T>> {
    let found = entries.find(hash, |(existing, _)| same(existing, labels));
    found.map(|(_, value)| Arc::clone(value))
}

fn same(existing: &[Box<str>], labels: &[&str]) -> bool {
    existing.iter().map(AsRef::as_ref).eq(labels.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_and_no_more_than_allowed() {
        let numbers = ByLabels::default();
        assert_eq!(numbers.find_or_insert(&["a", "b"], || 1).as_deref(), Some(&1));
        assert_eq!(numbers.find_or_insert(&["a", "b"], || 2).as_deref(), Some(&1));
        assert_eq!(numbers.find_or_insert(&["ab", ""], || 3).as_deref(), Some(&3));
        assert_eq!(numbers.find_or_insert_below(2, &["c", ""], || 4), None);
        assert_eq!(*numbers.find_or_force(&["c", ""], || 4), 4);
        numbers.remove(&["a", "b"]);
        assert_eq!(numbers.find_or_insert(&["a", "b"], || 5).as_deref(), Some(&5));
    }
}
