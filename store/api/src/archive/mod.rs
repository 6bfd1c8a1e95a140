//! Archives: all records of a store at one revision as a stream of bytes that ends with its SHA-256.
//!
//! The layout, with numbers in little-endian order:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `ratchet` and a zero byte |
//! | 4 | the version of the layout, 1 |
//! | 8, 8 | the revision, and when it was read, in milliseconds since 1970 |
//! | for each record 1 | the number 1 |
//! | 4 + key, 4 + value | length and bytes of the key, length and bytes of the value |
//! | 8, 8, 8 | the revisions at which it was created and modified; when it expires, in milliseconds since 1970, or 0 |
//! | 1 | the number 0 |
//! | 8 | the number of records |
//! | 32 | the SHA-256 of all bytes before it |
//!
//! The first twelve bytes are the same in every version.

mod backup;
mod encode;
mod error;
mod read;

use std::time::SystemTime;

use crate::{Record, Revision};

pub use backup::Backup;
pub use error::ArchiveError;
pub use read::Reader;

const MAGIC: &[u8; 8] = b"ratchet\0";
/// The version that is written, and the newest that is read.
const VERSION: u32 = 1;
/// What stands before a record, and before the end.
const RECORD: u8 = 1;
const END: u8 = 0;
/// Longer keys and values are in no store.
const MAX_KEY: u32 = 32 << 10;
const MAX_VALUE: u32 = 64 << 20;

/// What an archive says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The revision of all records.
    pub revision: Revision,
    /// When they were read, in milliseconds since 1970.
    pub taken: u64,
}

/// A record of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedRecord {
    /// The record.
    pub record: Record,
    /// When it expires, in milliseconds since 1970; `None` if it does not.
    pub expires: Option<u64>,
}

/// Milliseconds since 1970.
pub fn unix_millis() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
