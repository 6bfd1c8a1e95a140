//! Errors of a store.

use crate::Revision;

/// Why a store failed; each text says what a person can do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The requested revision has been compacted.
    #[error(
        "that revision is forgotten, the oldest one kept is {oldest}: list again and go on from there"
    )]
    Compacted {
        /// The oldest revision that is still available.
        oldest: Revision,
    },
    /// The requested revision does not exist yet.
    #[error("that revision has not happened yet, the latest one is {latest}")]
    Future {
        /// The latest revision.
        latest: Revision,
    },
    /// There is no space for the write; nothing of it happened, and reads still work.
    #[error("{0}")]
    Full(String),
    /// The store refuses writes by a rule of its own until an operator frees space; nothing of it happened, and reads
    /// still work. The text names no files: clients may see it.
    #[error("{0}")]
    Quota(String),
    /// A write is larger than the store takes; nothing of it happened. The text names no files: clients may see it.
    #[error("{0}")]
    TooLarge(String),
    /// The store cannot guarantee that the operation was or will be done.
    #[error("{0}")]
    Broken(String),
    /// The store was shut down.
    #[error("the store is closed")]
    Closed,
}
