//! Store medium in memory: nothing is left of it when the process ends.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::StorageBackend;
use redb::backends::InMemoryBackend;

use crate::directory::Medium;

/// The name in messages.
const NAME: &str = ":memory:";

/// Memory in place of a file; the draft is the store itself, because no power cut can halve it.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    file: Arc<InMemoryBackend>,
    is_settled: AtomicBool,
}

impl Medium for Memory {
    fn path(&self) -> &Path {
        Path::new(NAME)
    }

    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(SharedMemory(Arc::clone(&self.file))))
    }

    fn is_new(&self) -> bool {
        !self.is_settled.load(Ordering::Acquire)
    }

    fn draft(&self) -> io::Result<Box<dyn StorageBackend>> {
        self.open()
    }

    fn settle(&self) -> io::Result<()> {
        self.is_settled.store(true, Ordering::Release);
        Ok(())
    }

    fn discard(&self) {}

    fn rewrite(&self) -> io::Result<()> {
        Ok(()) // there is no disk that could have lost a page
    }

    fn release(&self) {}
}

/// The memory of a store, which outlives every engine that is opened on it.
#[derive(Debug)]
struct SharedMemory(Arc<InMemoryBackend>);

impl StorageBackend for SharedMemory {
    fn len(&self) -> io::Result<u64> {
        StorageBackend::len(&*self.0)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        StorageBackend::read(&*self.0, offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        StorageBackend::set_len(&*self.0, len)
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        StorageBackend::write(&*self.0, offset, data)
    }
}
