//! Ring of recent events in memory, shared by all watches, so that those that keep up never read
//! the disk.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ratchet_store::{Batch, Event, EventKind, Revision};

/// The weight of an event besides its key and value.
const OVERHEAD: usize = 96;
/// A batch ends after this many events; a commit is never split.
const BATCH_EVENTS: usize = 1024;

/// A bounded ring of commits.
#[derive(Debug)]
pub(crate) struct Recent {
    ring: Mutex<Ring>,
    /// The maximum size in bytes.
    capacity: usize,
}

#[derive(Debug, Default)]
struct Ring {
    commits: VecDeque<(u64, Arc<[Event]>)>,
    /// Every commit after this one, up to `latest`, is in the ring.
    floor: u64,
    latest: u64,
    bytes: usize,
}

/// The events since a cursor.
pub(crate) enum Since {
    /// Some events.
    Events(Batch),
    /// No events.
    UpToDate,
    /// The ring does not reach back to the cursor.
    TooOld,
}

impl Recent {
    /// An empty ring of a store whose latest revision is `latest`.
    pub(crate) fn new(capacity: usize, latest: u64) -> Self {
        let recent = Self { ring: Mutex::default(), capacity };
        recent.reset(latest);
        recent
    }

    /// Clears the ring; it is complete from `latest` on.
    pub(crate) fn reset(&self, latest: u64) {
        *self.ring() = Ring { floor: latest, latest, ..Ring::default() };
    }

    /// The latest revision that was pushed.
    pub(crate) fn latest(&self) -> u64 {
        self.ring().latest
    }

    /// Adds a commit and drops the oldest ones if there is no space.
    pub(crate) fn push(&self, revision: u64, events: Vec<Event>) {
        let mut ring = self.ring();
        ring.bytes += weight(&events);
        ring.commits.push_back((revision, events.into()));
        ring.latest = revision;
        while ring.bytes > self.capacity {
            let Some((revision, events)) = ring.commits.pop_front() else { break };
            ring.bytes -= weight(&events);
            ring.floor = revision;
        }
    }

    /// The events after `cursor` for keys with this prefix.
    pub(crate) fn since(&self, cursor: u64, prefix: &str) -> Since {
        let ring = self.ring();
        if cursor >= ring.latest {
            return Since::UpToDate;
        }
        if cursor < ring.floor {
            return Since::TooOld;
        }
        let first = ring.commits.partition_point(|(revision, _)| *revision <= cursor);
        let mut batch = Batch { events: Vec::new(), upto: Revision(cursor) };
        for (revision, events) in ring.commits.range(first..) {
            batch
                .events
                .extend(events.iter().filter(|event| event.key.starts_with(prefix)).cloned());
            batch.upto = Revision(*revision);
            if batch.events.len() >= BATCH_EVENTS {
                break;
            }
        }
        Since::Events(batch)
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn weight(events: &[Event]) -> usize {
    let event_weight = |event: &Event| match &event.act {
        EventKind::Put { value, .. } => OVERHEAD + event.key.len() + value.len(),
        EventKind::Deleted => OVERHEAD + event.key.len(),
    };
    events.iter().map(event_weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(key: &str, revision: u64) -> Event {
        let value = vec![0; 100].into();
        let act = EventKind::Put { value, created: Revision(revision) };
        Event { key: key.into(), revision: Revision(revision), act }
    }

    fn batch_of(since: Since) -> (Vec<u64>, u64) {
        let Since::Events(batch) = since else { panic!("nothing told") };
        (batch.events.iter().map(|event| event.revision.0).collect(), batch.upto.0)
    }

    #[test]
    fn tells_what_came_after_the_cursor() {
        let recent = Recent::new(10_000, 4);
        recent.push(5, vec![put("/a", 5)]);
        recent.push(6, vec![put("/b", 6)]);
        recent.push(7, vec![put("/a", 7), put("/a2", 7)]);
        assert_eq!(batch_of(recent.since(4, "/a")), (vec![5, 7, 7], 7));
        assert_eq!(batch_of(recent.since(5, "/a")), (vec![7, 7], 7));
        assert_eq!(batch_of(recent.since(5, "/c")), (vec![], 7));
        assert!(matches!(recent.since(7, ""), Since::UpToDate));
        assert!(matches!(recent.since(3, ""), Since::TooOld));
    }

    #[test]
    fn is_bounded_and_knows_what_it_dropped() {
        let recent = Recent::new(1000, 0);
        for revision in 1..=100 {
            recent.push(revision, vec![put("/a", revision)]);
        }
        assert!(matches!(recent.since(90, ""), Since::TooOld));
        assert_eq!(batch_of(recent.since(97, "")), (vec![98, 99, 100], 100));
        recent.push(101, (0..50).map(|_| put("/a", 101)).collect());
        assert!(matches!(recent.since(100, ""), Since::TooOld));
        recent.reset(200);
        assert!(matches!(recent.since(200, ""), Since::UpToDate));
        assert!(matches!(recent.since(199, ""), Since::TooOld));
    }
}
