//! `Recent`: the recent changes of one resource, limited by count and bytes.

use super::change::Change;
use std::collections::VecDeque;
use std::sync::Arc;

/// The most changes of one resource.
pub(super) const MAX_CHANGES: usize = 4096;
/// The most memory that the changes of one resource take.
pub(super) const MAX_BYTES: usize = 16 << 20;
pub(super) const BATCH: usize = 64;
pub(super) const BATCH_BYTES: usize = 1 << 20;

/// The requested revision is older than the recent changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooOld {
    /// The oldest revision from which a watch can start.
    pub oldest: u64,
}

/// The recent changes, oldest first.
#[derive(Debug, Default)]
pub(super) struct Recent {
    changes: VecDeque<Arc<Change>>,
    bytes: usize,
    /// Changes up to this revision are dropped.
    dropped_until: u64,
}

impl Recent {
    /// No changes: they begin after a revision.
    pub(super) fn after(revision: u64) -> Self {
        Self { dropped_until: revision, ..Self::default() }
    }

    /// Adds the latest change.
    pub(super) fn push(&mut self, change: Arc<Change>) {
        self.bytes += change.weight();
        self.changes.push_back(change);
    }

    /// Drops the oldest changes until at most so many, and so many bytes, are left.
    pub(super) fn trim(&mut self, count: usize, bytes: usize) {
        while self.changes.len() > count || self.bytes > bytes {
            let Some(oldest) = self.changes.pop_front() else { break };
            self.bytes -= oldest.weight();
            self.dropped_until = oldest.revision;
        }
    }

    /// Drops the changes up to a revision, which nobody may watch across.
    pub(super) fn drop_until(&mut self, revision: u64) {
        self.changes.retain(|change| change.revision > revision);
        self.bytes = self.changes.iter().map(|change| change.weight()).sum();
        self.dropped_until = self.dropped_until.max(revision);
    }

    /// The memory that the changes take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The revision after which all changes are there.
    pub(super) fn dropped_until(&self) -> u64 {
        self.dropped_until
    }

    /// Whether there is space for older changes.
    pub(super) fn has_space(&self) -> bool {
        self.changes.len() < MAX_CHANGES / 2 && self.bytes < MAX_BYTES / 2
    }

    /// Puts older changes before those that are there, as many as there is space for. `older` are all changes after
    /// `from` and up to `until`, oldest first; nothing happens if they do not reach those that are there.
    pub(super) fn extend_back(&mut self, older: Vec<Arc<Change>>, from: u64, until: u64) {
        if until < self.dropped_until || from >= self.dropped_until {
            return;
        }
        let before = self.dropped_until;
        for change in older.into_iter().rev().filter(|change| change.revision <= before) {
            let bytes = self.bytes + change.weight();
            if self.changes.len() == MAX_CHANGES || bytes > MAX_BYTES {
                // What stays of this revision would be less than all of it.
                return self.drop_until(change.revision);
            }
            self.bytes = bytes;
            self.dropped_until = change.revision.saturating_sub(1);
            self.changes.push_front(change);
        }
        self.dropped_until = from;
    }

    /// The changes after `revision`, oldest first, in batches. One revision is never split.
    pub(super) fn since(&self, revision: u64) -> Result<Vec<Arc<Change>>, TooOld> {
        if revision < self.dropped_until {
            return Err(TooOld { oldest: self.dropped_until });
        }
        let from = self.changes.partition_point(|change| change.revision <= revision);
        let (mut batch, mut bytes): (Vec<Arc<Change>>, usize) = (Vec::new(), 0);
        for change in self.changes.range(from..) {
            let is_same_revision =
                batch.last().is_some_and(|last| last.revision == change.revision);
            if (batch.len() >= BATCH || bytes >= BATCH_BYTES) && !is_same_revision {
                break;
            }
            bytes += change.weight();
            batch.push(change.clone());
        }
        Ok(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::super::item::Item;
    use super::*;

    fn change(revision: u64, size: usize) -> Arc<Change> {
        let body = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "x".repeat(size));
        let item = Item::stored("a".into(), revision, body.as_bytes()).unwrap();
        Change::new(revision, Some(Arc::new(item)), None).unwrap()
    }

    fn revisions(recent: &Recent) -> Vec<u64> {
        recent.changes.iter().map(|change| change.revision).collect()
    }

    fn after_ten() -> Recent {
        let mut recent = Recent::after(10);
        [11, 12].into_iter().for_each(|revision| recent.push(change(revision, 1)));
        recent
    }

    #[test]
    fn older_changes_join_without_a_gap_or_a_repeat() {
        let mut recent = after_ten();
        recent.extend_back([7, 9, 11].map(|revision| change(revision, 1)).into(), 5, 11);
        assert_eq!((revisions(&recent), recent.dropped_until), (vec![7, 9, 11, 12], 5));
        assert_eq!(recent.since(5).map(|batch| batch.len()), Ok(4));
        assert_eq!(recent.since(4).unwrap_err(), TooOld { oldest: 5 });
        let bytes = recent.bytes;
        recent.drop_until(0);
        assert_eq!(recent.bytes, bytes, "it was counted right");
    }

    #[test]
    fn what_does_not_reach_the_others_is_not_taken() {
        let mut recent = after_ten();
        recent.extend_back(vec![change(7, 1)], 5, 9);
        recent.extend_back(vec![change(7, 1)], 10, 12);
        assert_eq!((revisions(&recent), recent.dropped_until), (vec![11, 12], 10));
    }

    #[test]
    fn the_oldest_are_left_out_where_there_is_no_space() {
        let mut recent = after_ten();
        let quarter = MAX_BYTES / 8;
        let older = [(3, quarter), (4, quarter), (4, quarter), (5, quarter), (6, quarter)];
        recent.extend_back(older.map(|(at, size)| change(at, size)).into(), 1, 10);
        assert_eq!(revisions(&recent), [5, 6, 11, 12], "a revision is there whole or not at all");
        assert_eq!(recent.dropped_until, 4);
        assert!(recent.bytes <= MAX_BYTES && !recent.has_space());
    }
}
