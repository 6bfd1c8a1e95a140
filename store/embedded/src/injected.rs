//! Faults of the disk on command, for tests of what those do who use a store.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What the disk refuses just now; clones are one switch. Nothing, unless a test says so.
#[derive(Clone, Debug, Default)]
pub struct Injected(Arc<Switches>);

#[derive(Debug, Default)]
struct Switches {
    /// Whether anything is refused: the only thing that is looked at on a disk that is well.
    any: AtomicU8,
    write: Mutex<Option<io::ErrorKind>>,
    flush: Mutex<Option<io::ErrorKind>>,
}

impl Injected {
    /// Writes fail so from now on, or work.
    pub fn writes(&self, kind: Option<io::ErrorKind>) {
        *self.0.write.lock().unwrap_or_else(PoisonError::into_inner) = kind;
        self.0.any.fetch_or(1, Ordering::Release);
    }

    /// Flushes fail so from now on, or work.
    pub fn flushes(&self, kind: Option<io::ErrorKind>) {
        *self.0.flush.lock().unwrap_or_else(PoisonError::into_inner) = kind;
        self.0.any.fetch_or(1, Ordering::Release);
    }

    pub(crate) fn on_write(&self) -> io::Result<()> {
        self.refuse(&self.0.write)
    }

    pub(crate) fn on_flush(&self) -> io::Result<()> {
        self.refuse(&self.0.flush)
    }

    fn refuse(&self, switch: &Mutex<Option<io::ErrorKind>>) -> io::Result<()> {
        if self.0.any.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        match *switch.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(kind) => Err(kind.into()),
            None => Ok(()),
        }
    }
}
