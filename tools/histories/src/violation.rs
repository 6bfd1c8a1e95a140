//! Violations: what a store may not do, with the calls that show it.

use std::fmt;

/// The sort of a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An acknowledged write is not in the log, or not as it was acknowledged.
    Lost,
    /// The log, or a read, has something that nobody wrote.
    Phantom,
    /// A write was acknowledged though the key was not as it demanded.
    Precondition,
    /// A refused write happened.
    Refused,
    /// Two calls were told that they did the same thing.
    Twice,
    /// A write comes before one that had ended when it began.
    Order,
    /// A read fits no place in the log that its time allows.
    Stale,
    /// Two watches saw different things at one revision, or one saw what its kind of event excludes.
    Disagreement,
    /// A watch left out an event.
    Gap,
    /// A watch repeated an event, or went back.
    Repeat,
}

/// A violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its sort.
    pub kind: Kind,
    /// What happened, for people.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}: {}", self.kind, self.text)
    }
}

impl Violation {
    pub(crate) fn new(kind: Kind, text: String) -> Self {
        Self { kind, text }
    }
}
