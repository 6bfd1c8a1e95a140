//! Durable store in one file, for one machine: redb underneath, one writer with group commit,
//! history and watches on top.
//!
//! Acknowledged commits are on the disk. The directory contains `state.redb` (the data) and
//! `state.lock` (the lock). For tests, a store can do without flushes ([`Options::flush`]) or without
//! a disk ([`Embedded::in_memory`]).
//!
//! ```
//! use ratchet_embedded::{Embedded, Options};
//! use ratchet_store::{Commit, Guard, Revision, Store, Write};
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let directory = tempfile::tempdir().unwrap();
//! let store = Embedded::open(directory.path(), Options::default()).unwrap();
//! let create = || vec![Write::put("/pods/web", Guard::Absent, "{}")];
//! assert_eq!(store.commit(create()).await.unwrap(), Commit::Done(Revision(1)));
//! assert!(matches!(store.commit(create()).await.unwrap(), Commit::Refused { .. }));
//! assert_eq!(store.get("/pods/web").await.unwrap().unwrap().value, "{}");
//! # });
//! ```

use std::fmt;
use std::future::ready;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use ratchet_store::{
    Answer, Commit, Expiring, Health, Operation, Page, PastBatch, Query, Record, Revision, Store,
    StoreError, Watch, Write,
};

mod directory;
mod disk;
mod engine;
mod error;
#[cfg(test)]
mod faults;
mod format;
mod injected;
mod memory;
mod offline;
mod reads;
mod recent;
mod rows;
mod shared;
mod tables;
mod watcher;
mod writer;

pub use error::OpenError;
#[doc(hidden)]
pub use injected::FaultInjector;
pub use offline::{Builder, FileSizes, Inspection, Problems, compact, exists, inspect};

use directory::{Directory, Medium};
use engine::{Engine, catch_panics};
use format::head_of;
use memory::Memory;
use recent::Recent;
use shared::Shared;
use watcher::Watcher;
use writer::Job;

/// Longer keys and values are refused, well below the engine's own limits.
const MAX_KEY: usize = 32 << 10;
const MAX_VALUE: usize = 64 << 20;

/// Memory limits and verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of the file cached in memory.
    pub cache: usize,
    /// Bytes of recent events kept in memory for watches that keep up.
    pub recent: usize,
    /// Whether to read the whole file when it is opened and verify all checksums; otherwise damage
    /// is found when damaged data is read.
    pub verify: bool,
    /// Whether a commit waits until it is on the disk. Without it, what was acknowledged survives the
    /// process, but not the machine.
    pub flush: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { cache: 8 << 20, recent: 1 << 20, verify: false, flush: true }
    }
}

/// A store in one file; dropping it waits for the writer and releases the file.
pub struct Embedded {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

impl Embedded {
    /// Opens the store in the directory `path`, which is created if it is absent.
    pub fn open(path: &Path, options: Options) -> Result<Self, OpenError> {
        Self::open_with(path, options, FaultInjector::default())
    }

    /// An empty store in memory; it ends with the value.
    pub fn in_memory(options: Options) -> Result<Self, OpenError> {
        let memory = Box::new(Memory::default());
        let path = memory.path().to_owned();
        Self::on(memory, &path, options, FaultInjector::default())
    }

    /// [`Embedded::open`] with injected disk faults.
    #[doc(hidden)]
    pub fn open_with(
        path: &Path,
        options: Options,
        injected: FaultInjector,
    ) -> Result<Self, OpenError> {
        Self::on(Box::new(Directory::take(path, options.flush)?), path, options, injected)
    }

    fn on(
        medium: Box<dyn Medium>,
        path: &Path,
        options: Options,
        injected: FaultInjector,
    ) -> Result<Self, OpenError> {
        let engine = Engine::open(medium, options.cache, options.verify, injected)?;
        let latest = engine.read().1.and_then(|snapshot| head_of(&snapshot));
        let latest = latest.map_err(|trouble| OpenError::Damaged {
            path: path.to_owned(),
            why: engine.explain(trouble).to_string(),
        })?;
        let (jobs, inbox) = mpsc::channel();
        let recent = Recent::new(options.recent, latest.latest);
        let shared = Arc::new(Shared::new(engine, recent, latest.latest, jobs));
        let writer = Arc::clone(&shared);
        let writer = thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || writer::run(&writer, &inbox))
            .map_err(|why| OpenError::Directory { path: path.to_owned(), why })?;
        Ok(Self { shared, writer: Some(writer) })
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        let _ = self.shared.jobs.send(Job::Stop);
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Embedded").field("bytes", &self.shared.engine.size()).finish()
    }
}

impl Store for Embedded {
    fn latest(&self) -> Answer<'_, Revision> {
        // The writer publishes before it acknowledges, so that no read of the file is needed.
        let published = *self.shared.published.borrow();
        Box::pin(ready(match published.closed {
            true => Err(StoreError::Closed),
            false => Ok(Revision(published.latest)),
        }))
    }

    fn get(&self, key: &str) -> Answer<'_, Option<Record>> {
        let key = key.to_owned();
        Box::pin(
            async move { self.shared.read(|snapshot| ready(reads::get(&snapshot, &key))).await },
        )
    }

    fn list(&self, query: Query) -> Answer<'_, Page> {
        Box::pin(async move { self.shared.read(|snapshot| reads::list(snapshot, &query)).await })
    }

    fn commit(&self, writes: Vec<Write>) -> Answer<'_, Commit> {
        Box::pin(async move {
            writes.iter().try_for_each(check_size)?;
            self.shared.commit(writes).await
        })
    }

    fn watch(&self, prefix: &str, after: Revision) -> Answer<'_, Box<dyn Watch>> {
        let prefix = Arc::from(prefix);
        Box::pin(async move {
            let head = |snapshot| ready(catch_panics(|| head_of(&snapshot)));
            let head = self.shared.read(head).await?;
            reads::check_revision(after.0, head.oldest, head.latest)?;
            Ok(Box::new(Watcher::new(&self.shared, prefix, after)) as Box<dyn Watch>)
        })
    }

    fn past(&self, prefix: &str, after: Revision) -> Answer<'_, PastBatch> {
        let prefix = prefix.to_owned();
        Box::pin(async move {
            self.shared.read(|snapshot| ready(reads::past(&snapshot, &prefix, after.0))).await
        })
    }

    fn expiring(&self) -> Answer<'_, Expiring> {
        Box::pin(self.shared.read(|snapshot| ready(reads::expiring(&snapshot))))
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        Box::pin(self.shared.submit(move |reply| Job::Compact(before, reply)))
    }

    fn size(&self) -> Answer<'_, u64> {
        Box::pin(ready(Ok(self.shared.engine.size())))
    }

    fn health(&self) -> Health {
        self.shared.engine.health()
    }
}

fn check_size(write: &Write) -> Result<(), StoreError> {
    let (key, value) = match &write.act {
        Operation::Put { value, .. } => (write.key.len(), value.len()),
        Operation::Delete | Operation::Keep => (write.key.len(), 0),
    };
    if key > MAX_KEY {
        return Err(StoreError::Broken(format!(
            "a key of {key} bytes is too long: at most {MAX_KEY}"
        )));
    }
    if value > MAX_VALUE {
        let key = &write.key;
        return Err(StoreError::Broken(format!(
            "a value of {value} bytes under {key} is too long: at most {MAX_VALUE}"
        )));
    }
    Ok(())
}
