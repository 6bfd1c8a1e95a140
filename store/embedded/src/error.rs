//! Errors of opening and using a store, with messages for operators.

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
        /// The system's error.
        why: io::Error,
    },
    /// Another process has locked it.
    #[error("{} is in use by another process: stop that one or choose another data directory", path.display())]
    InUse {
        /// The store's file.
        path: PathBuf,
    },
    /// The file exists, but is not a valid store.
    #[error("{} is damaged ({why}): restore it from a backup, or move it away to begin with an empty store", path.display())]
    Damaged {
        /// The store's file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The file was written by a newer Ratchet.
    #[error(
        "{} has format {found}, and ratchet {} reads up to format {known}: use {} or a newer one",
        path.display(),
        env!("CARGO_PKG_VERSION"),
        writer.as_deref().unwrap_or("the version that wrote it"),
    )]
    Newer {
        /// The store's file.
        path: PathBuf,
        /// The format of the file.
        found: u64,
        /// The newest supported format.
        known: u64,
        /// The program that wrote it, and its version.
        writer: Option<String>,
    },
    /// There is no store.
    #[error("there is no store in {}: name the data directory of a server", path.display())]
    Absent {
        /// The directory.
        path: PathBuf,
    },
    /// There is a store already.
    #[error("there is a store in {} already: choose another data directory, or have it replaced", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error("cannot open {}: {why}", path.display())]
    File {
        /// The store's file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// A new file cannot be written; the old one is as it was.
    #[error("cannot write {} anew: {why}; nothing has changed", path.display())]
    Write {
        /// The store's file.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
}

/// The error of a file that cannot be opened.
pub(crate) fn open_error(path: &Path, error: EngineError) -> OpenError {
    let path = path.to_owned();
    match error {
        EngineError::Engine(redb::Error::DatabaseAlreadyOpen) => OpenError::InUse { path },
        EngineError::Engine(redb::Error::Io(why)) => match why.kind() {
            io::ErrorKind::UnexpectedEof => {
                OpenError::Damaged { path, why: "it is cut short".to_owned() }
            }
            io::ErrorKind::InvalidData => OpenError::Damaged { path, why: why.to_string() },
            _ => OpenError::File { path, why },
        },
        EngineError::Engine(redb::Error::Corrupted(why)) | EngineError::Damaged(why) => {
            OpenError::Damaged { path, why }
        }
        EngineError::Engine(error) => OpenError::Damaged { path, why: error.to_string() },
        EngineError::Store(error) => OpenError::Damaged { path, why: error.to_string() },
    }
}

/// An internal error, before it is translated for the caller.
#[derive(Debug)]
pub(crate) enum EngineError {
    /// The engine failed.
    Engine(redb::Error),
    /// The rows of the engine are inconsistent.
    Damaged(String),
    /// An ordinary error of the contract.
    Store(StoreError),
}

impl EngineError {
    /// Whether the engine fails everything until it is reopened.
    pub(crate) fn needs_renewal(&self) -> bool {
        let Self::Engine(error) = self else { return false };
        use redb::Error::{DatabaseClosed, Io, LockPoisoned, PreviousIo};
        matches!(error, Io(_) | PreviousIo | DatabaseClosed | LockPoisoned(_))
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

macro_rules! engine_errors {
    ($($error:ident)*) => {$(
        impl From<redb::$error> for EngineError {
            fn from(error: redb::$error) -> Self {
                Self::Engine(error.into())
            }
        }
    )*};
}
engine_errors!(TransactionError TableError StorageError CommitError DatabaseError);

/// Whether the error means that there is no space.
pub(crate) fn is_full(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(kind, StorageFull | QuotaExceeded | FileTooLarge)
}

/// The store error for an I/O error.
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

/// The store error for damaged data.
pub(crate) fn damage(path: &Path, why: &str) -> StoreError {
    StoreError::Broken(format!("{} is damaged ({why}): restore it from a backup", path.display()))
}
