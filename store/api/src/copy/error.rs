//! Why a copy fails.

use super::ContentHash;
use crate::StoreError;

/// Why a copy fails; one line each. Unless said otherwise, running it again goes on where it ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// The target holds something else.
    #[error(
        "the target is not empty: it has {records} records, such as {example}; copy into an empty store"
    )]
    NotEmpty {
        /// The number of its records.
        records: u64,
        /// One of them.
        example: String,
    },
    /// The source is itself half a copy.
    #[error("the source is the target of a copy that was not finished: finish that one first")]
    SourceUnfinished,
    /// Somebody else writes into the target.
    #[error(
        "somebody else writes into the target ({key}): stop the servers that use it, and copy again"
    )]
    InUse {
        /// The key that was written.
        key: String,
    },
    /// The two sides differ after the copy.
    #[error(
        "the target differs from the source after the copy ({copied} and {expected}): stop the servers that use them, and copy again"
    )]
    Different {
        /// The hash of the source.
        expected: ContentHash,
        /// The hash of the target.
        copied: ContentHash,
    },
    /// The source failed.
    #[error("the source: {0}")]
    Source(StoreError),
    /// The target failed.
    #[error("the target: {0}")]
    Target(StoreError),
}
