//! Values of the contract: records, writes, queries and events.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

/// A revision of a store; 0 is the empty store before its first commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// The value of a key, with its revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The key, unique in a store.
    pub key: Arc<str>,
    /// The stored bytes, which the store does not interpret.
    pub value: Bytes,
    /// The revision at which the key was created.
    pub created: Revision,
    /// The revision at which the value was last written.
    pub modified: Revision,
}

/// A precondition of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// No precondition.
    Anything,
    /// The key does not exist.
    Absent,
    /// The key exists and was last modified at this revision.
    At(Revision),
}

/// The operation of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Sets the value of the key.
    Put {
        /// The new value.
        value: Bytes,
        /// The time to live; measured by the wall clock, also while the store is closed.
        lives: Option<Duration>,
    },
    /// Deletes the key. Deleting a missing key changes nothing and causes no event.
    Delete,
    /// No operation: only the guard counts.
    Keep,
}

/// The part of a commit for one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The key to write.
    pub key: Arc<str>,
    /// The precondition.
    pub guard: Guard,
    /// The operation if the precondition holds.
    pub act: Operation,
}

impl Write {
    /// Puts a value without a time to live.
    pub fn put(key: &str, guard: Guard, value: impl Into<Bytes>) -> Self {
        Self { key: key.into(), guard, act: Operation::Put { value: value.into(), lives: None } }
    }

    /// Deletes a key.
    pub fn delete(key: &str, guard: Guard) -> Self {
        Self { key: key.into(), guard, act: Operation::Delete }
    }

    /// Changes nothing, but the commit succeeds only if the guard holds.
    pub fn keep(key: &str, guard: Guard) -> Self {
        Self { key: key.into(), guard, act: Operation::Keep }
    }
}

/// The result of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Commit {
    /// All writes happened at this revision; if nothing changed, it is the latest one.
    Done(Revision),
    /// Nothing happened: this is the first write whose guard failed.
    Refused {
        /// The key of the write.
        key: Arc<str>,
        /// The current record of the key.
        found: Option<Record>,
    },
}

/// A query for records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The prefix of the keys.
    pub prefix: String,
    /// Only keys strictly greater than this one.
    pub after: Option<String>,
    /// The maximum number of records; 0 means all.
    pub limit: usize,
    /// The revision to read; `None` means the latest.
    pub at: Option<Revision>,
}

impl Query {
    /// All current records with this prefix.
    pub fn under(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), ..Self::default() }
    }
}

/// The result of a query: records in the byte order of their keys, all of one revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The matching records, at most as many as the query's limit.
    pub records: Vec<Record>,
    /// Whether there are further matches. How many is not told: a store would have to look at each of them.
    pub has_more: bool,
    /// The revision: query the next page at it.
    pub revision: Revision,
}

/// A change of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The changed key.
    pub key: Arc<str>,
    /// The revision of the change.
    pub revision: Revision,
    /// The kind of the change.
    pub act: EventKind,
}

/// The kind of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The key was written.
    Put {
        /// The new value.
        value: Bytes,
        /// The revision at which the key was created; equal to the event's revision if it is new.
        created: Revision,
    },
    /// The key was deleted, by a commit or because it expired.
    Deleted,
}

/// A batch of a watch: the events of one or more complete commits, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The events; empty if the batch only reports progress.
    pub events: Vec<Event>,
    /// All events up to this revision have been delivered.
    pub upto: Revision,
}

/// An event, and the record that it replaced or deleted (`prev_kv` of an etcd watch).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastEvent {
    /// The event.
    pub event: Event,
    /// The record of the key before the event; none if the event created it.
    pub before: Option<Record>,
}

/// Some events of the past: those of one or more complete commits, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastBatch {
    /// The events.
    pub events: Vec<PastEvent>,
    /// All events up to this revision are in this batch or in those before it.
    pub upto: Revision,
}

/// The keys that expire, as of one revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expiring {
    /// The latest revision.
    pub revision: Revision,
    /// The keys whose values have a time to live at it, and the time that is left, in any order.
    pub keys: Vec<(Arc<str>, Duration)>,
}
