//! Why a store could not answer.

use crate::Revision;

/// Why a store could not answer; each text says what a person can do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The revision asked for has been forgotten.
    #[error(
        "that revision is forgotten, the oldest one kept is {oldest}: list again and go on from there"
    )]
    Compacted {
        /// The oldest revision that can still be asked for.
        oldest: Revision,
    },
    /// The revision asked for has not happened yet.
    #[error("that revision has not happened yet, the latest one is {latest}")]
    Future {
        /// The newest revision there is.
        latest: Revision,
    },
    /// There is no room for the write; nothing of it happened, and reads go on.
    #[error("{0}")]
    Full(String),
    /// The store cannot be trusted to have done, or to do, what was asked.
    #[error("{0}")]
    Broken(String),
    /// The store was shut down.
    #[error("the store is closed")]
    Closed,
}
