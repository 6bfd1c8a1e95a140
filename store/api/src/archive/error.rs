//! Why an archive is refused.

use std::io;

use super::VERSION;

/// Why an archive is refused; one line each, to be read after the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is another file.
    #[error("is no archive of a store: give a file that `ratchet store backup` wrote")]
    NotAnArchive,
    /// A newer Ratchet wrote it.
    #[error(
        "has archive version {found}, and this program reads up to {VERSION}: use the newer one that wrote it"
    )]
    Newer {
        /// The version of its layout.
        found: u32,
    },
    /// Its end is missing.
    #[error(
        "is cut short: it ends after {bytes} bytes, in the middle of the archive; take the backup again, or use another"
    )]
    CutShort {
        /// The number of bytes that are there.
        bytes: u64,
    },
    /// Its bytes are not those that were written.
    #[error("is damaged near byte {at} ({why}): use another backup")]
    Damaged {
        /// Where it was noticed.
        at: u64,
        /// What is wrong.
        why: &'static str,
    },
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
}
