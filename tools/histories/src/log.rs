//! The log: all events that any watch saw, in the order of their revisions.

use crate::violation::{Kind, Violation};
use crate::{Change, Watch};
use std::collections::{BTreeMap, HashMap};

/// One write of the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) key: &'a str,
    pub(crate) revision: u64,
    /// The value; none if the key was deleted.
    pub(crate) value: Option<&'a str>,
    /// The revision of the key before, if it was there.
    pub(crate) before: Option<u64>,
}

/// All writes that are known to have happened.
#[derive(Debug, Default)]
pub(crate) struct Log<'a> {
    /// The writes by revision, then key.
    entries: Vec<Entry<'a>>,
    /// The writes of each key, by revision.
    by_key: HashMap<&'a str, Vec<Entry<'a>>>,
}

impl<'a> Log<'a> {
    /// Merges what the watches saw.
    pub(crate) fn of(watches: &'a [Watch], violations: &mut Vec<Violation>) -> Self {
        let mut seen: BTreeMap<(u64, &str), &Change> = BTreeMap::new();
        for watch in watches {
            for event in &watch.events {
                let known = seen.entry((event.revision, &event.key)).or_insert(&event.change);
                if **known != event.change {
                    violations.push(Violation::new(
                        Kind::Disagreement,
                        format!(
                            "{} at {} is {known:?} for one watch and {:?} for watch {}",
                            event.key, event.revision, event.change, watch.client
                        ),
                    ));
                }
            }
        }
        let mut log = Self::default();
        for ((revision, key), change) in seen {
            let writes = log.by_key.entry(key).or_default();
            let last = writes.last().filter(|entry| entry.value.is_some());
            let (value, must_exist) = match change {
                Change::Added(value) => (Some(value.as_str()), false),
                Change::Modified(value) => (Some(value.as_str()), true),
                Change::Deleted => (None, true),
            };
            if last.is_some() != must_exist {
                let there = last.map_or("absent".to_owned(), |entry| entry.revision.to_string());
                violations.push(Violation::new(
                    Kind::Disagreement,
                    format!("{key} at {revision} is {change:?}, and was {there} before"),
                ));
            }
            let entry = Entry { key, revision, value, before: last.map(|entry| entry.revision) };
            writes.push(entry);
            log.entries.push(entry);
        }
        log
    }

    /// All writes in their order.
    pub(crate) fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    /// The writes after one revision up to another.
    pub(crate) fn between(&self, after: u64, upto: u64) -> &[Entry<'a>] {
        let start = self.entries.partition_point(|entry| entry.revision <= after);
        let end = self.entries.partition_point(|entry| entry.revision <= upto);
        self.entries.get(start..end).unwrap_or_default()
    }

    /// The writes of a key in their order.
    pub(crate) fn of_key(&self, key: &str) -> &[Entry<'a>] {
        self.by_key.get(key).map_or(&[], Vec::as_slice)
    }

    /// The last write of a key up to a revision.
    pub(crate) fn at(&self, key: &str, revision: u64) -> Option<&Entry<'a>> {
        let writes = self.of_key(key);
        let count = writes.partition_point(|entry| entry.revision <= revision);
        writes.get(count.checked_sub(1)?)
    }

    /// All keys that were ever written.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.by_key.keys().copied()
    }
}
