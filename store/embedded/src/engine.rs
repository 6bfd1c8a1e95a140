//! The engine (redb) and its file: opened, read, written, and opened anew after an error of the disk.

use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ratchet_store::{Health, State, StoreError};
use redb::{
    Database, ReadTransaction, ReadableDatabase, ReadableTable, StorageBackend, TableError,
    WriteTransaction,
};

use crate::directory::Medium;
use crate::disk::{Disk, DiskHealth};
use crate::error::{OpenError, Trouble, damage, explain};
use crate::injected::Injected;
use crate::rows::{EXPIRY, FORMAT, HEAD, HISTORY, Head, LOG, NEWEST};

/// The engine; once an operation on its file has failed, it answers nothing until it is renewed.
pub(crate) struct Engine {
    medium: Box<dyn Medium>,
    cache: usize,
    health: Arc<DiskHealth>,
    injected: Injected,
    pace: Pace,
    slot: RwLock<Slot>,
}

/// When the file may be written anew once more: soon at first, then less and less often, for it may be large.
#[derive(Debug, Default)]
struct Pace(Mutex<Option<(Instant, Duration)>>);

impl Pace {
    const FIRST: Duration = Duration::from_secs(1);
    const LONGEST: Duration = Duration::from_secs(60);

    /// Whether it may be now; if so, it may not be again for a while.
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

    fn begin_again(&self) {
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
    /// Opens the file, or makes an empty store in it.
    pub(crate) fn open(
        medium: Box<dyn Medium>,
        cache: usize,
        verify: bool,
        injected: Injected,
    ) -> Result<Self, OpenError> {
        let slot = RwLock::default();
        let (health, pace) = (Arc::default(), Pace::default());
        let engine = Self { medium, cache, health, injected, pace, slot };
        let opened = sheltered(|| {
            if engine.medium.is_new() {
                furnish(engine.database(engine.medium.draft())?)?;
                engine.medium.settle().map_err(redb::StorageError::Io)?;
            }
            let mut database = engine.database(engine.medium.open())?;
            if verify && !database.check_integrity()? {
                return Err(Trouble::Damaged("its checksums do not match".to_owned()));
            }
            let head = newest_head(&database)?;
            Ok((database, head.format))
        });
        let (database, found) = opened.map_err(|trouble| engine.refusal(trouble))?;
        if found > FORMAT {
            let path = engine.medium.path().to_owned();
            return Err(OpenError::Newer { path, found, known: FORMAT });
        }
        engine.slot.write().unwrap_or_else(PoisonError::into_inner).database = Some(database);
        Ok(engine)
    }

    /// A snapshot to read from, and which opening of the file it belongs to.
    pub(crate) fn read(&self) -> (u64, Result<ReadTransaction, Trouble>) {
        let slot = self.slot.read().unwrap_or_else(PoisonError::into_inner);
        let result = match &slot.database {
            Some(database) => database.begin_read().map_err(Trouble::from),
            None => Err(absent(&slot)),
        };
        (slot.generation, result)
    }

    /// A transaction to write in, durable in two phases: a torn header can then never be taken for a whole one.
    pub(crate) fn write(&self) -> (u64, Result<WriteTransaction, Trouble>) {
        let slot = self.slot.read().unwrap_or_else(PoisonError::into_inner);
        let result = match &slot.database {
            Some(database) => database.begin_write().map_err(Trouble::from),
            None => Err(absent(&slot)),
        };
        let durable = result.map(|mut transaction| {
            transaction.set_two_phase_commit(true);
            transaction.set_quick_repair(true);
            transaction
        });
        (slot.generation, durable)
    }

    /// Opens the file anew, unless somebody did so since `generation`; only the writer may call this, while it writes
    /// nothing.
    pub(crate) fn renew(&self, generation: u64) -> Result<(), Trouble> {
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
        // Not under the lock: whoever reads meanwhile is told to wait, and does not stand in the way.
        let database = sheltered(|| self.reopened())?;
        self.slot.write().unwrap_or_else(PoisonError::into_inner).database = Some(database);
        Ok(())
    }

    /// The file, opened once more. After a flush that failed the system takes pages for written that are not, and no
    /// later flush would tell: all of it is written anew, into another file, and only what holds together counts. What
    /// was acknowledged is in it, for that was flushed before.
    fn reopened(&self) -> Result<Database, Trouble> {
        if !self.health.unflushed() {
            return self.database(self.medium.open());
        }
        let written = self.injected.on_flush().and_then(|()| self.medium.rewrite());
        self.health.note(written).map_err(redb::StorageError::Io)?;
        let mut database = self.database(self.medium.open())?;
        // If the newest transaction does not hold together, the one before it is gone back to.
        database.check_integrity()?;
        newest_head(&database)?;
        self.health.flushed();
        self.pace.begin_again();
        Ok(database)
    }

    /// Lets go of the file for good.
    pub(crate) fn close(&self) {
        let mut slot = self.slot.write().unwrap_or_else(PoisonError::into_inner);
        slot.database = None;
        if !std::mem::replace(&mut slot.closed, true) {
            self.medium.release();
        }
    }

    /// How the store fares.
    pub(crate) fn health(&self) -> Health {
        self.health.told()
    }

    /// Notes that a transaction reached the disk.
    pub(crate) fn note_written(&self) {
        self.health.set(State::Sound);
    }

    /// Notes that a transaction did not, and why.
    pub(crate) fn note_failed(&self, why: &StoreError) {
        match why {
            StoreError::Full(text) => self.health.set(State::Full(text.clone())),
            StoreError::Broken(text) => self.health.set(State::Broken(text.clone())),
            _ => {}
        }
    }

    /// Whether the last transaction did not reach the disk.
    pub(crate) fn is_unwritable(&self) -> bool {
        self.health.told().state != State::Sound
    }

    /// How long the file is.
    pub(crate) fn size(&self) -> u64 {
        self.health.length()
    }

    /// What trouble means to whoever asked.
    pub(crate) fn explain(&self, trouble: Trouble) -> StoreError {
        let path = self.medium.path();
        let of_disk = trouble.needs_renewal();
        let error = match trouble {
            Trouble::Plain(error) => return error,
            Trouble::Damaged(why) => return damage(path, &why),
            Trouble::Engine(redb::Error::Corrupted(why)) => return damage(path, &why),
            Trouble::Engine(error) => error,
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

    fn database(&self, inner: io::Result<Box<dyn StorageBackend>>) -> Result<Database, Trouble> {
        let inner = inner.map_err(redb::StorageError::Io)?;
        let (health, injected) = (Arc::clone(&self.health), self.injected.clone());
        let disk = Disk { inner, health, injected };
        Ok(Database::builder().set_cache_size(self.cache).create_with_backend(disk)?)
    }

    fn refusal(&self, trouble: Trouble) -> OpenError {
        let path = self.medium.path().to_owned();
        match trouble {
            Trouble::Engine(redb::Error::DatabaseAlreadyOpen) => OpenError::InUse { path },
            Trouble::Engine(redb::Error::Io(why)) if why.kind() == ErrorKind::UnexpectedEof => {
                OpenError::Damaged { path, why: "it is cut short".to_owned() }
            }
            Trouble::Engine(redb::Error::Io(why)) if why.kind() == ErrorKind::InvalidData => {
                OpenError::Damaged { path, why: why.to_string() }
            }
            Trouble::Engine(redb::Error::Io(why)) => OpenError::File { path, why },
            Trouble::Engine(redb::Error::Corrupted(why)) | Trouble::Damaged(why) => {
                OpenError::Damaged { path, why }
            }
            Trouble::Engine(error) => OpenError::Damaged { path, why: error.to_string() },
            Trouble::Plain(error) => OpenError::Damaged { path, why: error.to_string() },
        }
    }
}

/// Makes the tables in a new file.
fn furnish(database: Database) -> Result<(), Trouble> {
    let mut transaction = database.begin_write()?;
    transaction.set_two_phase_commit(true);
    transaction.set_quick_repair(true);
    transaction.open_table(NEWEST)?;
    transaction.open_table(HISTORY)?;
    transaction.open_table(LOG)?;
    transaction.open_table(EXPIRY)?;
    transaction.open_table(HEAD)?.insert((), Head::EMPTY.write())?;
    Ok(transaction.commit()?)
}

/// The head that a snapshot sees.
pub(crate) fn head_of(transaction: &ReadTransaction) -> Result<Head, Trouble> {
    let table = match transaction.open_table(HEAD) {
        Err(TableError::TableDoesNotExist(_)) => {
            return Err(Trouble::Damaged("there is no store in it".to_owned()));
        }
        table => table?,
    };
    let row = table.get(())?.map(|row| row.value());
    row.and_then(Head::read).ok_or_else(|| Trouble::Damaged("its head is unreadable".to_owned()))
}

/// The head, held against the end of the log: a head that lags behind would give revisions out twice.
fn newest_head(database: &Database) -> Result<Head, Trouble> {
    let transaction = database.begin_read()?;
    let head = head_of(&transaction)?;
    let last = transaction.open_table(LOG)?.last()?.map(|(place, _)| place.value().0);
    match last {
        Some(last) if last > head.latest => {
            Err(Trouble::Damaged("its log goes beyond its head".to_owned()))
        }
        _ => Ok(head),
    }
}

/// Runs what touches the file: the engine asserts what a whole file guarantees, and a damaged one must not take the
/// process down.
pub(crate) fn sheltered<T>(run: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let first = text.and_then(|text| text.lines().next()).unwrap_or("no reason given");
        Err(Trouble::Damaged(format!("the engine gave up: {first}")))
    })
}

fn absent(slot: &Slot) -> Trouble {
    if slot.closed {
        Trouble::Plain(StoreError::Closed)
    } else {
        Trouble::Engine(redb::Error::DatabaseClosed)
    }
}
