//! What is stored, what is asked, and what is told: plain values.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

/// A moment in the life of a store; 0 is the empty store before its first commit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

impl fmt::Display for Revision {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The key.
    pub key: Arc<str>,
    /// What it holds.
    pub value: Bytes,
    /// Since when the key has existed without interruption.
    pub created: Revision,
    /// When it got this value.
    pub modified: Revision,
}

/// What must hold for a write to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Nothing.
    Anything,
    /// The key does not exist.
    Absent,
    /// The key exists and was last modified at this revision.
    At(Revision),
}

/// What a write does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The key holds `value` from now on.
    Put {
        /// What it holds.
        value: Bytes,
        /// After how long the store deletes the key by itself; counted on the wall clock, also while the store is shut.
        lives: Option<Duration>,
    },
    /// The key does not exist from now on. Deleting what is not there changes nothing and is not told.
    Delete,
    /// Nothing: only the guard counts.
    Keep,
}

/// One key's part of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Which key.
    pub key: Arc<str>,
    /// What must hold before the commit.
    pub guard: Guard,
    /// What happens if it does.
    pub act: Act,
}

impl Write {
    /// Puts a value that stays until it is replaced or deleted.
    pub fn put(key: &str, guard: Guard, value: impl Into<Bytes>) -> Self {
        Self { key: key.into(), guard, act: Act::Put { value: value.into(), lives: None } }
    }

    /// Deletes a key.
    pub fn delete(key: &str, guard: Guard) -> Self {
        Self { key: key.into(), guard, act: Act::Delete }
    }

    /// Changes nothing, but the rest of the commit happens only if the guard holds.
    pub fn keep(key: &str, guard: Guard) -> Self {
        Self { key: key.into(), guard, act: Act::Keep }
    }
}

/// What became of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Commit {
    /// All writes happened at this revision; if nothing changed, it is the latest one.
    Done(Revision),
    /// Nothing happened: this is the first write whose guard failed.
    Refused {
        /// Its key.
        key: Arc<str>,
        /// What the key holds.
        found: Option<Record>,
    },
}

/// Which records are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Keys that begin so.
    pub prefix: String,
    /// Only keys strictly greater than this one.
    pub after: Option<String>,
    /// At most so many; 0 means all.
    pub limit: usize,
    /// As they were at this revision; `None` means the latest.
    pub at: Option<Revision>,
}

impl Query {
    /// All records whose keys begin with `prefix`, as they are now.
    pub fn under(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), ..Self::default() }
    }
}

/// The answer to a query: records in the order of their keys (as bytes), all from one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The records.
    pub records: Vec<Record>,
    /// How many match beyond these.
    pub more: usize,
    /// The moment: ask for the next page at this revision.
    pub revision: Revision,
}

/// Something that happened to a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The key.
    pub key: Arc<str>,
    /// When.
    pub revision: Revision,
    /// What.
    pub act: Happened,
}

/// What happened to a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happened {
    /// It got a value.
    Put {
        /// The value.
        value: Bytes,
        /// Since when the key exists; equal to the event's revision if it did not exist before.
        created: Revision,
    },
    /// It was deleted, by a commit or because its time was over.
    Deleted,
}

/// What a watch tells at once: the events of one or more whole commits, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The events; none if the batch only tells progress.
    pub events: Vec<Event>,
    /// Everything up to here has been told.
    pub upto: Revision,
}
