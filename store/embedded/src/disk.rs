//! What stands between the engine and its file: remembers what failed, because afterwards the engine only says that
//! something did.

use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::injected::Injected;
use ratchet_store::{Health, State};
use redb::{BackendError, StorageBackend};

/// How the file fares, over all times that it was opened.
#[derive(Debug, Default)]
pub(crate) struct DiskHealth {
    failure: Mutex<Option<(io::ErrorKind, String)>>,
    unflushed: AtomicBool,
    length: AtomicU64,
    told: Mutex<Health>,
}

impl DiskHealth {
    /// What is told of the store.
    pub(crate) fn told(&self) -> Health {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets what is told; whatever is not sound is one failure more.
    pub(crate) fn set(&self, state: State) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.failures += u64::from(state != State::Sound);
        told.state = state;
    }

    /// What failed last.
    pub(crate) fn failure(&self) -> Option<(io::ErrorKind, String)> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a flush failed: the system may have dropped what it could not write, so nothing read from now on is known
    /// to be on the disk, and trying again would prove nothing.
    pub(crate) fn unflushed(&self) -> bool {
        self.unflushed.load(Ordering::Acquire)
    }

    /// Notes that all of the file has been written anew.
    pub(crate) fn flushed(&self) {
        self.unflushed.store(false, Ordering::Release);
    }

    /// How long the file is.
    pub(crate) fn length(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    /// Remembers what failed.
    pub(crate) fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            let failure = Some((error.kind(), error.to_string()));
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        }
        result
    }
}

/// A file under the engine.
#[derive(Debug)]
pub(crate) struct Disk {
    pub(crate) inner: Box<dyn StorageBackend>,
    pub(crate) health: Arc<DiskHealth>,
    pub(crate) injected: Injected,
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        let length = self.health.note(self.inner.len())?;
        self.health.length.store(length, Ordering::Relaxed);
        Ok(length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.health.note(self.inner.read(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.health.note(self.inner.set_len(len))?;
        self.health.length.store(len, Ordering::Relaxed);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let flushed = self.injected.on_flush().and_then(|()| self.inner.sync_data());
        let result = self.health.note(flushed);
        if result.is_err() {
            self.health.unflushed.store(true, Ordering::Release);
        }
        result
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.health.note(self.injected.on_write().and_then(|()| self.inner.write(offset, data)))
    }

    fn close(&self) -> io::Result<()> {
        self.inner.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.inner.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.inner.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.inner.query_lock_range(start, end)
    }
}
