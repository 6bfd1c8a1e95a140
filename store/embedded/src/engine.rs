//! The engine (redb) and its file: opened, read, written, and reopened after a disk error.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ratchet_store::{Health, State, StoreError};
use redb::{
    Database, ReadTransaction, ReadableDatabase, ReadableTable, StorageBackend, WriteTransaction,
};

use crate::directory::Medium;
use crate::disk::{Disk, DiskHealth};
use crate::error::{EngineError, OpenError, damage, explain, open_error};
use crate::format::{self, Format, create_tables, head_of, set_durable};
use crate::injected::FaultInjector;
use crate::rows::{FORMAT, Head, LOG};

/// The engine; once an operation on its file has failed, it fails everything until it is renewed.
pub(crate) struct Engine {
    medium: Box<dyn Medium>,
    cache: usize,
    health: Arc<DiskHealth>,
    injected: FaultInjector,
    pace: RewriteBackoff,
    slot: RwLock<Slot>,
}

/// Backoff of rewrites of the file, which may be large.
#[derive(Debug, Default)]
struct RewriteBackoff(Mutex<Option<(Instant, Duration)>>);

impl RewriteBackoff {
    const FIRST: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_secs(60);

    /// Whether a rewrite is allowed now; if so, the next one is delayed.
    fn is_due(&self) -> bool {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = match *next {
            Some((at, _)) if Instant::now() < at => return false,
            Some((_, wait)) => (wait * 2).min(Self::LONGEST),
            None => Self::FIRST,
        };
        *next = Some((Instant::now() + wait, wait));
        true
    }

    fn reset(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[derive(Default)]
struct Slot {
    database: Option<Database>,
    generation: u64,
    closed: bool,
}

impl Engine {
    /// Opens the file, or creates an empty store in it.
    pub(crate) fn open(
        medium: Box<dyn Medium>,
        cache: usize,
        verify: bool,
        injected: FaultInjector,
    ) -> Result<Self, OpenError> {
        let slot = RwLock::default();
        let (health, pace) = (Arc::default(), RewriteBackoff::default());
        let engine = Self { medium, cache, health, injected, pace, slot };
        let opened = catch_panics(|| {
            if engine.medium.is_new() {
                create_tables(&engine.database(engine.medium.draft())?)?;
                engine.medium.settle().map_err(redb::StorageError::Io)?;
            }
            let mut database = engine.database(engine.medium.open())?;
            if verify && !database.check_integrity()? {
                return Err(EngineError::Damaged("its checksums do not match".to_owned()));
            }
            let found = Format::of(&database)?;
            // The other tables of a newer file may be anything.
            if !found.is_newer() {
                format::upgrade(&database, found.version)?;
                newest_head(&database)?;
            }
            Ok((database, found))
        });
        let path = engine.medium.path();
        let (database, found) = opened.map_err(|error| open_error(path, error))?;
        if found.is_newer() {
            let (path, writer) = (path.to_owned(), found.writer);
            return Err(OpenError::Newer { path, found: found.version, known: FORMAT, writer });
        }
        engine.slot.write().unwrap_or_else(PoisonError::into_inner).database = Some(database);
        Ok(engine)
    }

    /// A snapshot to read from, and its generation of the file.
    pub(crate) fn read(&self) -> (u64, Result<ReadTransaction, EngineError>) {
        let slot = self.slot.read().unwrap_or_else(PoisonError::into_inner);
        let result = match &slot.database {
            Some(database) => database.begin_read().map_err(EngineError::from),
            None => Err(absent(&slot)),
        };
        (slot.generation, result)
    }

    /// A durable write transaction.
    pub(crate) fn write(&self) -> (u64, Result<WriteTransaction, EngineError>) {
        let slot = self.slot.read().unwrap_or_else(PoisonError::into_inner);
        let result = match &slot.database {
            Some(database) => database.begin_write().map_err(EngineError::from),
            None => Err(absent(&slot)),
        };
        let durable = result.map(|mut transaction| {
            set_durable(&mut transaction);
            transaction
        });
        (slot.generation, durable)
    }

    /// Reopens the file, unless that happened since `generation`; only the writer may call this,
    /// while it writes nothing.
    pub(crate) fn renew(&self, generation: u64) -> Result<(), EngineError> {
        {
            let mut slot = self.slot.write().unwrap_or_else(PoisonError::into_inner);
            if slot.generation != generation && slot.database.is_some() {
                return Ok(());
            }
            if slot.closed || (self.health.unflushed() && !self.pace.is_due()) {
                slot.database = None;
                return Err(absent(&slot));
            }
            slot.database = None;
            slot.generation += 1;
        }
        // Not under the lock: concurrent readers get an error that makes them wait, and do not
        // block.
        let database = catch_panics(|| self.reopen())?;
        self.slot.write().unwrap_or_else(PoisonError::into_inner).database = Some(database);
        Ok(())
    }

    /// The reopened file. After a failed flush the system considers unwritten pages written, and no
    /// later flush would tell: the whole file is rewritten into another one, and only consistent
    /// data counts. Acknowledged data is in it, for it was flushed before.
    fn reopen(&self) -> Result<Database, EngineError> {
        if !self.health.unflushed() {
            return self.database(self.medium.open());
        }
        let written = self.injected.on_flush().and_then(|()| self.medium.rewrite());
        self.health.record(written).map_err(redb::StorageError::Io)?;
        let mut database = self.database(self.medium.open())?;
        // If the newest transaction is inconsistent, the one before it is restored.
        database.check_integrity()?;
        newest_head(&database)?;
        self.health.flushed();
        self.pace.reset();
        Ok(database)
    }

    /// Where the file is.
    pub(crate) fn medium(&self) -> &dyn Medium {
        &*self.medium
    }

    /// Closes the file for good.
    pub(crate) fn close(&self) {
        let mut slot = self.slot.write().unwrap_or_else(PoisonError::into_inner);
        slot.database = None;
        if !std::mem::replace(&mut slot.closed, true) {
            self.medium.release();
        }
    }

    /// The health of the store.
    pub(crate) fn health(&self) -> Health {
        self.health.health()
    }

    /// Records that a transaction reached the disk.
    pub(crate) fn note_written(&self) {
        self.health.set(State::Sound);
    }

    /// Records that a transaction failed, and why.
    pub(crate) fn note_failed(&self, why: &StoreError) {
        match why {
            StoreError::Full(text) => self.health.set(State::Full(text.clone())),
            StoreError::Broken(text) => self.health.set(State::Broken(text.clone())),
            _ => {}
        }
    }

    /// Whether the last transaction failed.
    pub(crate) fn is_unwritable(&self) -> bool {
        self.health.health().state != State::Sound
    }

    /// The wall clock, in milliseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        self.injected.now()
    }

    /// The length of the file.
    pub(crate) fn size(&self) -> u64 {
        self.health.length()
    }

    /// The error for the caller.
    pub(crate) fn explain(&self, error: EngineError) -> StoreError {
        let path = self.medium.path();
        let of_disk = error.needs_renewal();
        let error = match error {
            EngineError::Store(error) => return error,
            EngineError::Damaged(why) => return damage(path, &why),
            EngineError::Engine(redb::Error::Corrupted(why)) => return damage(path, &why),
            EngineError::Engine(error) => error,
        };
        match self.health.failure().filter(|_| of_disk) {
            Some((_, why)) if self.health.unflushed() => StoreError::Broken(format!(
                "{} could not be flushed to its disk ({why}): what the disk holds is not known; it is written anew as soon as the disk takes it",
                path.display()
            )),
            Some((kind, why)) => explain(path, kind, &why),
            None => StoreError::Broken(format!("{} cannot be used: {error}", path.display())),
        }
    }

    fn database(
        &self,
        inner: io::Result<Box<dyn StorageBackend>>,
    ) -> Result<Database, EngineError> {
        let inner = inner.and_then(|inner| self.injected.on_open().map(|()| inner));
        let inner = inner.map_err(redb::StorageError::Io)?;
        let (health, injected) = (Arc::clone(&self.health), self.injected.clone());
        let disk = Disk { inner, health, injected };
        Ok(Database::builder().set_cache_size(self.cache).create_with_backend(disk)?)
    }
}

/// The head, compared with the end of the log: a stale head would assign revisions twice.
fn newest_head(database: &Database) -> Result<Head, EngineError> {
    let transaction = database.begin_read()?;
    let head = head_of(&transaction)?;
    let last = transaction.open_table(LOG)?.last()?.map(|(position, _)| position.value().0);
    match last {
        Some(last) if last > head.latest => {
            Err(EngineError::Damaged("its log goes beyond its head".to_owned()))
        }
        _ => Ok(head),
    }
}

/// Runs an operation on the file and catches panics: the engine asserts what a valid file
/// guarantees, and a damaged one must not crash the process.
pub(crate) fn catch_panics<T>(
    run: impl FnOnce() -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let first = text.and_then(|text| text.lines().next()).unwrap_or("no reason given");
        Err(EngineError::Damaged(format!("the engine gave up: {first}")))
    })
}

fn absent(slot: &Slot) -> EngineError {
    if slot.closed {
        EngineError::Store(StoreError::Closed)
    } else {
        EngineError::Engine(redb::Error::DatabaseClosed)
    }
}
