//! The data directory: created if absent, readable for its owner only, and locked by one process.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use redb::StorageBackend;
use redb::backends::FileBackend;

use crate::error::OpenError;

const FILE: &str = "state.redb";
const LOCK: &str = "state.lock";
const DRAFT: &str = "state.redb.new";

/// The storage of the store; tests use simulated ones.
pub(crate) trait Medium: Send + Sync + 'static {
    /// The name in messages.
    fn path(&self) -> &Path;
    /// Opens it; called again after a disk error.
    fn open(&self) -> io::Result<Box<dyn StorageBackend>>;
    /// Whether there is no store yet.
    fn is_new(&self) -> bool;
    /// An empty draft for a new store; it counts only once it is settled, so that a power cut
    /// leaves no partial store.
    fn draft(&self) -> io::Result<Box<dyn StorageBackend>>;
    /// Moves the closed draft to where [`Medium::open`] finds it.
    fn settle(&self) -> io::Result<()>;
    /// Removes a closed draft that is not to be settled.
    fn discard(&self);
    /// Rewrites the whole closed file, flushed, into a new one that replaces it.
    fn rewrite(&self) -> io::Result<()>;
    /// Releases the lock.
    fn release(&self);
}

/// A locked data directory.
#[derive(Debug)]
pub(crate) struct Directory {
    file: PathBuf,
    directory: PathBuf,
    /// A lock of our own besides the engine's, because the engine drops its lock whenever it is
    /// reopened.
    lock: File,
    /// Whether what is written must reach the disk before it counts.
    flush: bool,
}

impl Directory {
    /// Whether there is a store in the directory. A dangling link, or a name that cannot be accessed, is not absent.
    pub(crate) fn has_store(path: &Path) -> bool {
        fs::symlink_metadata(path.join(FILE))
            .map_or_else(|why| why.kind() != io::ErrorKind::NotFound, |_| true)
    }

    /// Creates the directory if it is absent, and locks it.
    pub(crate) fn take(path: &Path, flush: bool) -> Result<Self, OpenError> {
        let unusable = |why| OpenError::Directory { path: path.to_owned(), why };
        make(path, flush).map_err(unusable)?;
        let file = path.join(FILE);
        let lock = options().open(path.join(LOCK)).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse { path: file }),
            Err(TryLockError::Error(why)) => return Err(unusable(why)),
        }
        Ok(Self { file, directory: path.to_owned(), lock, flush })
    }
}

impl Medium for Directory {
    fn path(&self) -> &Path {
        &self.file
    }

    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        self.backend(OpenOptions::new().read(true).write(true).open(&self.file)?)
    }

    fn is_new(&self) -> bool {
        !Self::has_store(&self.directory)
    }

    fn draft(&self) -> io::Result<Box<dyn StorageBackend>> {
        let file = options().open(self.directory.join(DRAFT))?;
        file.set_len(0)?;
        self.backend(file)
    }

    fn settle(&self) -> io::Result<()> {
        fs::rename(self.directory.join(DRAFT), &self.file)?;
        match self.flush {
            true => File::open(&self.directory)?.sync_all(),
            false => Ok(()),
        }
    }

    fn discard(&self) {
        let _ = fs::remove_file(self.directory.join(DRAFT)); // what is left is written over
    }

    fn rewrite(&self) -> io::Result<()> {
        let draft = self.directory.join(DRAFT);
        let copied = || {
            let mut copy = options().open(&draft)?;
            copy.set_len(0)?;
            io::copy(&mut File::open(&self.file)?, &mut copy)?;
            copy.sync_all()?;
            self.settle()
        };
        copied().inspect_err(|_| {
            let _ = fs::remove_file(&draft); // it may be what takes the room
        })
    }

    fn release(&self) {
        let _ = self.lock.unlock(); // if it fails, the lock ends with the process
    }
}

impl Directory {
    fn backend(&self, file: File) -> io::Result<Box<dyn StorageBackend>> {
        let file = FileBackend::new(file).map_err(io::Error::other)?;
        Ok(match self.flush {
            true => Box::new(file),
            false => Box::new(Unflushed(file)),
        })
    }
}

/// A file whose pages the system writes when it likes; it has no lock of its own, because the
/// directory is locked for as long as the store is open.
#[derive(Debug)]
struct Unflushed(FileBackend);

impl StorageBackend for Unflushed {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }
}

/// The store contains secrets: other users must not read it.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates the directory and those above it; with `flush` so that they are there after a power cut as well.
fn make(path: &Path, flush: bool) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if path.exists() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is a file"));
    }
    let absent: Vec<_> = path.ancestors().skip(1).take_while(|above| !above.is_dir()).collect();
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    // A new name is an entry of the directory above.
    let above = std::iter::once(path).chain(absent).filter_map(Path::parent);
    above.filter(|_| flush).try_for_each(|above| match above.as_os_str().is_empty() {
        true => File::open(".")?.sync_all(),
        false => File::open(above)?.sync_all(),
    })
}
