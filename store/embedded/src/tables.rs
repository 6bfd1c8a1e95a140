//! What a write transaction does to the tables: commits, expiry, and forgetting in small slices.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ratchet_store::{Act, Commit, Event, Guard, Record, Revision, StoreError, Write};
use redb::{ReadableTable, Table, WriteTransaction};

use crate::error::Trouble;
use crate::reads::unreadable;
use crate::rows::{EXPIRY, HEAD, HISTORY, Head, LOG, NEWEST, Place, Row};

/// So many keys expire in one transaction at most.
const EXPIRES_AT_ONCE: usize = 256;

/// The tables, open for writing.
pub(crate) struct Tables<'t> {
    newest: Table<'t, &'static str, (Place, u64, u64)>,
    history: Table<'t, (&'static str, u64), Place>,
    log: Table<'t, Place, &'static [u8]>,
    expiry: Table<'t, (u64, &'static str), ()>,
    head_row: Table<'t, (), (u64, u64, u64, u64, u64)>,
    /// The numbers as they will be; [`Tables::finish`] writes them.
    pub(crate) head: Head,
    written: Head,
}

/// What became of one commit: what to answer, and what to tell.
pub(crate) type Applied = (Commit, Vec<Event>);

#[derive(Clone, Copy)]
struct Current {
    place: Place,
    created: u64,
    expires: u64,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction) -> Result<Self, Trouble> {
        let head_row = transaction.open_table(HEAD)?;
        let head = head_row.get(())?.and_then(|row| Head::read(row.value()));
        let head = head.ok_or_else(|| Trouble::Damaged("its head is unreadable".to_owned()))?;
        Ok(Self {
            newest: transaction.open_table(NEWEST)?,
            history: transaction.open_table(HISTORY)?,
            log: transaction.open_table(LOG)?,
            expiry: transaction.open_table(EXPIRY)?,
            head_row,
            head,
            written: head,
        })
    }

    /// Writes the head; `false` if nothing changed and the transaction need not be committed.
    pub(crate) fn finish(mut self) -> Result<bool, Trouble> {
        if self.head == self.written {
            return Ok(false);
        }
        self.head_row.insert((), self.head.write())?;
        Ok(true)
    }

    /// Does all writes at the next revision, or none.
    pub(crate) fn commit(&mut self, writes: &[Write], now: u64) -> Result<Applied, Trouble> {
        for write in writes {
            let current = self.current(&write.key)?;
            let holds = match write.guard {
                Guard::Anything => true,
                Guard::Absent => current.is_none(),
                Guard::At(revision) => current.is_some_and(|row| row.place.0 == revision.0),
            };
            if !holds {
                let found = current.map(|row| self.record(row.place)).transpose()?;
                return Ok((Commit::Refused { key: Arc::clone(&write.key), found }, Vec::new()));
            }
        }
        let mut events = Vec::with_capacity(writes.len());
        for write in last_acts(writes) {
            let place = (self.head.latest + 1, events.len() as u32);
            let row = match &write.act {
                Act::Keep => None,
                Act::Delete => self.delete(&write.key, place)?,
                Act::Put { value, lives } => {
                    let expires = lives.map_or(0, |lives| moment(now, lives));
                    Some(self.put(&write.key, value, expires, place)?)
                }
            };
            events.extend(row.map(|row| row.into_event(place.0)));
        }
        self.head.latest += u64::from(!events.is_empty());
        Ok((Commit::Done(Revision(self.head.latest)), events))
    }

    /// Deletes keys whose time is over, each at its own revision.
    pub(crate) fn expire(&mut self, now: u64) -> Result<Vec<(u64, Vec<Event>)>, Trouble> {
        let mut due = Vec::new();
        for item in self.expiry.range(..(now.saturating_add(1), ""))?.take(EXPIRES_AT_ONCE) {
            let (row, ()) = item.map(|(row, _)| (row, ()))?;
            let (when, key) = row.value();
            due.push((when, Arc::<str>::from(key)));
        }
        let mut told = Vec::with_capacity(due.len());
        for (when, key) in due {
            self.expiry.remove((when, &*key))?;
            let place = (self.head.latest + 1, 0);
            if let Some(row) = self.delete(&key, place)? {
                self.head.latest = place.0;
                told.push((place.0, vec![row.into_event(place.0)]));
            }
        }
        Ok(told)
    }

    /// When the next key expires.
    pub(crate) fn next_expiry(&self) -> Result<Option<u64>, Trouble> {
        Ok(self.expiry.first()?.map(|(row, _)| row.value().0))
    }

    /// From now on nobody may ask for what was before `before`.
    pub(crate) fn forget(&mut self, before: Revision) -> Result<(), StoreError> {
        if before.0 > self.head.latest {
            return Err(StoreError::Future { latest: Revision(self.head.latest) });
        }
        self.head.oldest = self.head.oldest.max(before.0);
        Ok(())
    }

    /// Whether rows wait to be removed.
    pub(crate) fn is_dusty(&self) -> bool {
        self.head.swept < self.head.oldest
    }

    /// Removes what nobody may ask for, looking at about `budget` rows of the log, each once in its life: a row at or
    /// before the oldest revision has made its predecessor invisible, and a deletion there has nothing left to say.
    pub(crate) fn sweep(&mut self, budget: usize) -> Result<(), Trouble> {
        let mut looked = Vec::new();
        let range = (self.head.swept + 1, 0)..=(self.head.oldest, u32::MAX);
        let mut upto = self.head.oldest;
        for item in self.log.range(range)? {
            let (place, row) = item?;
            let place = place.value();
            match looked.last() {
                Some(((revision, _), _)) if looked.len() >= budget && *revision != place.0 => {
                    upto = *revision;
                    break;
                }
                _ => looked.push((place, Row::read(place, row.value()))),
            }
        }
        for (place, row) in looked {
            // A row that rotted stays and is reported to whoever reads it; forgetting must not stop for it.
            let Some(row) = row else { continue };
            if let Some(before) = row.before {
                self.log.remove(before)?;
                self.history.remove((&*row.key, place.0))?;
            }
            if row.put.is_none() {
                self.log.remove(place)?;
            }
        }
        self.head.swept = upto;
        Ok(())
    }

    fn current(&self, key: &str) -> Result<Option<Current>, Trouble> {
        let row = self.newest.get(key)?.map(|row| row.value());
        Ok(row.map(|(place, created, expires)| Current { place, created, expires }))
    }

    fn record(&self, place: Place) -> Result<Record, Trouble> {
        let row = self.log.get(place)?.and_then(|row| Row::read(place, row.value()));
        row.and_then(|row| row.into_record(place.0)).ok_or_else(|| unreadable(place))
    }

    fn put(
        &mut self,
        key: &Arc<str>,
        value: &Bytes,
        expires: u64,
        place: Place,
    ) -> Result<Row, Trouble> {
        let current = self.current(key)?;
        let created = current.map_or(place.0, |row| row.created);
        let row = Row {
            key: Arc::clone(key),
            put: Some((value.clone(), Revision(created))),
            before: current.map(|row| row.place),
        };
        self.retire(key, current, place)?;
        self.log.insert(place, row.write(place).as_slice())?;
        self.newest.insert(&**key, (place, created, expires))?;
        if expires != 0 {
            self.expiry.insert((expires, &**key), ())?;
        }
        Ok(row)
    }

    fn delete(&mut self, key: &Arc<str>, place: Place) -> Result<Option<Row>, Trouble> {
        let Some(current) = self.current(key)? else { return Ok(None) };
        let row = Row { key: Arc::clone(key), put: None, before: Some(current.place) };
        self.retire(key, Some(current), place)?;
        self.log.insert(place, row.write(place).as_slice())?;
        self.newest.remove(&**key)?;
        Ok(Some(row))
    }

    /// What a key held becomes history.
    fn retire(&mut self, key: &str, old: Option<Current>, by: Place) -> Result<(), Trouble> {
        let Some(old) = old else { return Ok(()) };
        self.history.insert((key, by.0), old.place)?;
        if old.expires != 0 {
            self.expiry.remove((old.expires, key))?;
        }
        Ok(())
    }
}

/// The writes whose acts count: of those that name the same key, the last that is not `Keep`.
fn last_acts(writes: &[Write]) -> impl Iterator<Item = &Write> {
    let acts = || writes.iter().enumerate().filter(|(_, write)| write.act != Act::Keep);
    let last: HashMap<&str, usize> = acts().map(|(at, write)| (&*write.key, at)).collect();
    acts().filter(move |(at, write)| last.get(&*write.key) == Some(at)).map(|(_, write)| write)
}

/// `lives` after `now`, in milliseconds; never 0, which means never.
fn moment(now: u64, lives: Duration) -> u64 {
    now.saturating_add(u64::try_from(lives.as_millis()).unwrap_or(u64::MAX)).clamp(1, u64::MAX - 1)
}
