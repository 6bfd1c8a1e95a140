//! Injected faults of the disk and the clock, for tests of the users of a store.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::SystemTime;

/// The faults of the disk and the clock; clones share them. None, unless a test sets one.
#[derive(Clone, Debug, Default)]
pub struct FaultInjector(Arc<Switches>);

#[derive(Debug, Default)]
struct Switches {
    /// Whether there is any fault: the only check on a healthy disk.
    any: AtomicU8,
    write: Mutex<Option<io::ErrorKind>>,
    flush: Mutex<Option<io::ErrorKind>>,
    /// Whether flushes wait.
    held: Mutex<bool>,
    released: Condvar,
    /// Whether one waits now.
    is_holding: AtomicBool,
    /// What the clock is ahead, in milliseconds.
    ahead: AtomicI64,
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

    /// Makes flushes wait, as on a disk that is slow without end, or go on.
    pub fn hold_flushes(&self, held: bool) {
        *self.0.held.lock().unwrap_or_else(PoisonError::into_inner) = held;
        self.0.any.fetch_or(1, Ordering::Release);
        self.0.released.notify_all();
    }

    /// Whether a flush waits: what is committed now comes after its transaction.
    pub fn is_holding_a_flush(&self) -> bool {
        self.0.is_holding.load(Ordering::Acquire)
    }

    /// Sets the wall clock ahead of the real one by this many milliseconds, or behind it.
    pub fn set_clock_ahead(&self, milliseconds: i64) {
        self.0.ahead.store(milliseconds, Ordering::Release);
    }

    /// The wall clock, in milliseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        now.saturating_add_signed(self.0.ahead.load(Ordering::Acquire))
    }

    pub(crate) fn on_write(&self) -> io::Result<()> {
        self.inject(&self.0.write)
    }

    /// A file on a disk that became read-only cannot be opened to be written, either.
    pub(crate) fn on_open(&self) -> io::Result<()> {
        self.on_write().or_else(|why| match why.kind() {
            io::ErrorKind::ReadOnlyFilesystem => Err(why),
            _ => Ok(()),
        })
    }

    pub(crate) fn on_flush(&self) -> io::Result<()> {
        if self.0.any.load(Ordering::Acquire) != 0 {
            let held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.is_holding.store(*held, Ordering::Release);
            drop(self.0.released.wait_while(held, |held| *held));
            self.0.is_holding.store(false, Ordering::Release);
        }
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
