//! Storage backend that records I/O errors, because the engine later only reports that something
//! failed.

use std::io;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::injected::FaultInjector;
use ratchet_store::{Health, State};
use redb::{BackendError, StorageBackend};

/// The state of the file, across reopenings.
#[derive(Debug, Default)]
pub(crate) struct DiskHealth {
    failure: Mutex<Option<(io::ErrorKind, String)>>,
    unflushed: AtomicBool,
    length: AtomicU64,
    health: Mutex<Health>,
}

impl DiskHealth {
    /// The reported health of the store.
    pub(crate) fn health(&self) -> Health {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the reported state; every state that is not sound counts as a failure.
    pub(crate) fn set(&self, state: State) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        health.failures += u64::from(state != State::Sound);
        health.state = state;
    }

    /// The last failure.
    pub(crate) fn failure(&self) -> Option<(io::ErrorKind, String)> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a flush failed: the system may have dropped unwritten pages, so nothing read from
    /// now on is known to be on the disk, and flushing again would prove nothing.
    pub(crate) fn unflushed(&self) -> bool {
        self.unflushed.load(Ordering::Acquire)
    }

    /// Records that the whole file has been rewritten.
    pub(crate) fn flushed(&self) {
        self.unflushed.store(false, Ordering::Release);
    }

    /// The length of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    /// Records a failure.
    pub(crate) fn record<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            let failure = Some((error.kind(), error.to_string()));
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        }
        result
    }
}

/// The file of the engine.
#[derive(Debug)]
pub(crate) struct Disk {
    pub(crate) inner: Box<dyn StorageBackend>,
    pub(crate) health: Arc<DiskHealth>,
    pub(crate) injected: FaultInjector,
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        let length = self.health.record(self.inner.len())?;
        self.health.length.store(length, Ordering::Relaxed);
        Ok(length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.health.record(self.inner.read(offset, out))
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.health.record(self.inner.set_len(len))?;
        self.health.length.store(len, Ordering::Relaxed);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let flushed = self.injected.on_flush().and_then(|()| self.inner.sync_data());
        let result = self.health.record(flushed);
        if result.is_err() {
            self.health.unflushed.store(true, Ordering::Release);
        }
        result
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.health.record(self.injected.on_write().and_then(|()| self.inner.write(offset, data)))
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
