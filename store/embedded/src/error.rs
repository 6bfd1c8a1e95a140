//! What can go wrong when a store is opened or used, in words that a person can act on.

use std::io;
use std::path::{Path, PathBuf};

use ratchet_store::StoreError;

/// Why a data directory could not be opened; one line each.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The directory cannot be used.
    #[error("cannot use {} as data directory: {why}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// Another process has it.
    #[error("{} is in use by another process: stop that one or choose another data directory", path.display())]
    InUse {
        /// The store's file.
        path: PathBuf,
    },
    /// The file is there, but it is not a whole store.
    #[error("{} is damaged ({why}): restore it from a backup, or move it away to begin with an empty store", path.display())]
    Damaged {
        /// The store's file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file was written by a newer Ratchet.
    #[error("{} has format {found}, and this version reads up to {known}: use the newer version that wrote it", path.display())]
    Newer {
        /// The store's file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest format known here.
        known: u64,
    },
    /// The file cannot be read or written.
    #[error("cannot open {}: {why}", path.display())]
    File {
        /// The store's file.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
}

/// What went wrong inside, before it is known what that means to the caller.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The engine failed.
    Engine(redb::Error),
    /// The engine gave rows that make no sense together.
    Damaged(String),
    /// An ordinary error of the contract.
    Plain(StoreError),
}

impl Trouble {
    /// Whether the engine refuses everything until it is opened anew.
    pub(crate) fn needs_renewal(&self) -> bool {
        let Self::Engine(error) = self else { return false };
        use redb::Error::{DatabaseClosed, Io, LockPoisoned, PreviousIo};
        matches!(error, Io(_) | PreviousIo | DatabaseClosed | LockPoisoned(_))
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Plain(error)
    }
}

macro_rules! engine_errors {
    ($($error:ident)*) => {$(
        impl From<redb::$error> for Trouble {
            fn from(error: redb::$error) -> Self {
                Self::Engine(error.into())
            }
        }
    )*};
}
engine_errors!(TransactionError TableError StorageError CommitError DatabaseError);

/// Whether the system says that there is no room.
pub(crate) fn is_full(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(kind, StorageFull | QuotaExceeded | FileTooLarge)
}

/// What an I/O error means to whoever asked.
pub(crate) fn explain(path: &Path, kind: io::ErrorKind, why: &str) -> StoreError {
    let path = path.display();
    if is_full(kind) {
        StoreError::Full(format!(
            "no room to write {path} ({why}): nothing was written and reads go on; free space on its disk or raise the quota"
        ))
    } else {
        StoreError::Broken(format!("cannot read or write {path} ({why}): look at its disk"))
    }
}

/// What damage means to whoever asked.
pub(crate) fn damage(path: &Path, why: &str) -> StoreError {
    StoreError::Broken(format!("{} is damaged ({why}): restore it from a backup", path.display()))
}
