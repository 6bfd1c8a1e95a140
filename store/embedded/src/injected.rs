//! Injected disk faults, for tests of the users of a store.

use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The faults of the disk; clones share them. None, unless a test sets one.
#[derive(Clone, Debug, Default)]
pub struct FaultInjector(Arc<Switches>);

#[derive(Debug, Default)]
struct Switches {
    /// Whether there is any fault: the only check on a healthy disk.
    any: AtomicU8,
    write: Mutex<Option<io::ErrorKind>>,
    flush: Mutex<Option<io::ErrorKind>>,
}

impl FaultInjector {
    /// Makes writes fail with this error, or succeed again.
    pub fn writes(&self, kind: Option<io::ErrorKind>) {
        *self.0.write.lock().unwrap_or_else(PoisonError::into_inner) = kind;
        self.0.any.fetch_or(1, Ordering::Release);
    }

    /// Makes flushes fail with this error, or succeed again.
    pub fn flushes(&self, kind: Option<io::ErrorKind>) {
        *self.0.flush.lock().unwrap_or_else(PoisonError::into_inner) = kind;
        self.0.any.fetch_or(1, Ordering::Release);
    }

    pub(crate) fn on_write(&self) -> io::Result<()> {
        self.inject(&self.0.write)
    }

    pub(crate) fn on_flush(&self) -> io::Result<()> {
        self.inject(&self.0.flush)
    }

    fn inject(&self, switch: &Mutex<Option<io::ErrorKind>>) -> io::Result<()> {
        if self.0.any.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        match *switch.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(kind) => Err(kind.into()),
            None => Ok(()),
        }
    }
}
