//! The data directory: made if absent, readable for its owner only, and held by one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use redb::StorageBackend;
use redb::backends::FileBackend;

use crate::error::OpenError;

const FILE: &str = "state.redb";
const LOCK: &str = "state.lock";

/// What holds the bytes; tests put other things here.
pub(crate) trait Medium: Send + Sync + 'static {
    /// Its name in messages.
    fn path(&self) -> &Path;
    /// Opens it; called again after an error of the disk.
    fn open(&self) -> io::Result<Box<dyn StorageBackend>>;
    /// Whether a store was made here before, so that an empty file would be a loss and not a beginning.
    fn was_used(&self) -> bool;
    /// Remembers that a store was made here.
    fn mark_used(&self) -> io::Result<()>;
}

/// A data directory that this process holds.
#[derive(Debug)]
pub(crate) struct Directory {
    file: PathBuf,
    /// The lock is our own and not only the engine's, because the engine drops its lock whenever it is reopened. Once the
    /// store is made, it says so inside: then an empty file is a damaged one.
    lock: File,
}

impl Directory {
    /// Makes the directory if it is absent, and takes it.
    pub(crate) fn take(path: &Path) -> Result<Self, OpenError> {
        let unusable = |why| OpenError::Directory { path: path.to_owned(), why };
        make(path).map_err(unusable)?;
        let file = path.join(FILE);
        let lock = options().open(path.join(LOCK)).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse { path: file }),
            Err(TryLockError::Error(why)) => return Err(unusable(why)),
        }
        if !file.exists() {
            lock.set_len(0).and_then(|()| lock.sync_all()).map_err(unusable)?;
            options().open(&file).map_err(|why| OpenError::File { path: file.clone(), why })?;
            // The name must survive a power cut as the contents do.
            File::open(path).and_then(|dir| dir.sync_all()).map_err(unusable)?;
        }
        Ok(Self { file, lock })
    }
}

impl Medium for Directory {
    fn path(&self) -> &Path {
        &self.file
    }

    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        let file = OpenOptions::new().read(true).write(true).open(&self.file)?;
        Ok(Box::new(FileBackend::new(file).map_err(io::Error::other)?))
    }

    fn was_used(&self) -> bool {
        self.lock.metadata().is_ok_and(|lock| lock.len() > 0)
    }

    fn mark_used(&self) -> io::Result<()> {
        (&self.lock).write_all(b"a store was made here\n")?;
        self.lock.sync_all()
    }
}

/// The store holds secrets: others on the machine must not read it.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn make(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if path.exists() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is a file"));
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
