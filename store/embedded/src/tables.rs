//! Changes of the tables in a write transaction: commits, expiry, and compaction in small steps.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ratchet_store::{Commit, Event, Guard, Operation, Record, Revision, StoreError, Write};
use redb::{ReadableTable, Table, WriteTransaction};

use crate::error::EngineError;
use crate::reads::damaged_row;
use crate::rows::{EXPIRY, HEAD, HISTORY, Head, LOG, LogPosition, NEWEST, Row};

/// The maximum number of keys that expire in one transaction.
const MAX_EXPIRED: usize = 256;

/// The tables, open for writing.
pub(crate) struct Tables<'t> {
    newest: Table<'t, &'static str, (LogPosition, u64, u64)>,
    history: Table<'t, (&'static str, u64), LogPosition>,
    log: Table<'t, LogPosition, &'static [u8]>,
    expiry: Table<'t, (u64, &'static str), ()>,
    head_row: Table<'t, (), (u64, u64, u64, u64, u64)>,
    /// The new numbers; [`Tables::finish`] writes them.
    pub(crate) head: Head,
    written: Head,
}

/// The result of one commit: the response, and the events.
pub(crate) type Applied = (Commit, Vec<Event>);

#[derive(Clone, Copy)]
struct Current {
    position: LogPosition,
    created: u64,
    expires: u64,
}

impl<'t> Tables<'t> {
    pub(crate) fn open(transaction: &'t WriteTransaction) -> Result<Self, EngineError> {
        let head_row = transaction.open_table(HEAD)?;
        let head = head_row.get(())?.and_then(|row| Head::decode(row.value()));
        let head = head.ok_or_else(|| EngineError::Damaged("its head is unreadable".to_owned()))?;
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
    pub(crate) fn finish(mut self) -> Result<bool, EngineError> {
        if self.head == self.written {
            return Ok(false);
        }
        self.head_row.insert((), self.head.encode())?;
        Ok(true)
    }

    /// Applies all writes at the next revision, or none.
    pub(crate) fn commit(&mut self, writes: &[Write], now: u64) -> Result<Applied, EngineError> {
        let mut found = Vec::with_capacity(writes.len());
        for write in writes {
            let current = self.current(&write.key)?;
            found.push(current);
            let holds = match write.guard {
                Guard::Anything => true,
                Guard::Absent => current.is_none(),
                Guard::At(revision) => current.is_some_and(|row| row.position.0 == revision.0),
            };
            if !holds {
                let record = current.map(|row| self.record(row.position)).transpose()?;
                return Ok((
                    Commit::Refused { key: Arc::clone(&write.key), found: record },
                    Vec::new(),
                ));
            }
        }
        let mut events = Vec::with_capacity(writes.len());
        for (write, current) in last_acts(writes, &found) {
            let position = (self.head.latest + 1, events.len() as u32);
            let row = match &write.act {
                Operation::Keep => None,
                Operation::Delete => self.delete(&write.key, current, position)?,
                Operation::Put { value, lives } => {
                    let expires = lives.map_or(0, |lives| expiry_time(now, lives));
                    Some(self.put((&write.key, current), value, expires, position)?)
                }
            };
            events.extend(row.map(|row| row.into_event(position.0)));
        }
        self.head.latest += u64::from(!events.is_empty());
        Ok((Commit::Done(Revision(self.head.latest)), events))
    }

    /// Deletes expired keys, each at its own revision.
    pub(crate) fn expire(&mut self, now: u64) -> Result<Vec<(u64, Vec<Event>)>, EngineError> {
        let mut due = Vec::new();
        for item in self.expiry.range(..(now.saturating_add(1), ""))?.take(MAX_EXPIRED) {
            let (row, ()) = item.map(|(row, _)| (row, ()))?;
            let (when, key) = row.value();
            due.push((when, Arc::<str>::from(key)));
        }
        let mut expired = Vec::with_capacity(due.len());
        for (when, key) in due {
            self.expiry.remove((when, &*key))?;
            let position = (self.head.latest + 1, 0);
            let current = self.current(&key)?;
            if let Some(row) = self.delete(&key, current, position)? {
                self.head.latest = position.0;
                expired.push((position.0, vec![row.into_event(position.0)]));
            }
        }
        Ok(expired)
    }

    /// When the next key expires.
    pub(crate) fn next_expiry(&self) -> Result<Option<u64>, EngineError> {
        Ok(self.expiry.first()?.map(|(row, _)| row.value().0))
    }

    /// Makes revisions before `before` unavailable.
    pub(crate) fn compact(&mut self, before: Revision) -> Result<(), StoreError> {
        if before.0 > self.head.latest {
            return Err(StoreError::Future { latest: Revision(self.head.latest) });
        }
        self.head.oldest = self.head.oldest.max(before.0);
        Ok(())
    }

    /// Whether compacted rows wait to be removed.
    pub(crate) fn needs_sweep(&self) -> bool {
        self.head.swept < self.head.oldest
    }

    /// Removes compacted rows, reading about `budget` rows of the log, each once in its life: a row
    /// at or before the oldest revision makes its predecessor invisible, and a deletion there is
    /// not needed any more.
    pub(crate) fn sweep(&mut self, budget: usize) -> Result<(), EngineError> {
        let mut visited = Vec::new();
        let range = (self.head.swept + 1, 0)..=(self.head.oldest, u32::MAX);
        let mut upto = self.head.oldest;
        for item in self.log.range(range)? {
            let (position, row) = item?;
            let position = position.value();
            match visited.last() {
                Some(((revision, _), _)) if visited.len() >= budget && *revision != position.0 => {
                    upto = *revision;
                    break;
                }
                _ => visited.push((position, Row::decode(position, row.value()))),
            }
        }
        for (position, row) in visited {
            // A damaged row stays and is reported to its reader; compaction must not stop for it.
            let Some(row) = row else { continue };
            if let Some(before) = row.before {
                self.log.remove(before)?;
                self.history.remove((&*row.key, position.0))?;
            }
            if row.put.is_none() {
                self.log.remove(position)?;
            }
        }
        self.head.swept = upto;
        Ok(())
    }

    fn current(&self, key: &str) -> Result<Option<Current>, EngineError> {
        let row = self.newest.get(key)?.map(|row| row.value());
        Ok(row.map(|(position, created, expires)| Current { position, created, expires }))
    }

    fn record(&self, position: LogPosition) -> Result<Record, EngineError> {
        let row = self.log.get(position)?.and_then(|row| Row::decode(position, row.value()));
        row.and_then(|row| row.into_record(position.0)).ok_or_else(|| damaged_row(position))
    }

    fn put(
        &mut self,
        (key, current): (&Arc<str>, Option<Current>),
        value: &Bytes,
        expires: u64,
        position: LogPosition,
    ) -> Result<Row, EngineError> {
        let created = current.map_or(position.0, |row| row.created);
        let row = Row {
            key: Arc::clone(key),
            put: Some((value.clone(), Revision(created))),
            before: current.map(|row| row.position),
        };
        self.retire(key, current, position)?;
        self.log.insert(position, row.encode(position).as_slice())?;
        self.newest.insert(&**key, (position, created, expires))?;
        if expires != 0 {
            self.expiry.insert((expires, &**key), ())?;
        }
        Ok(row)
    }

    fn delete(
        &mut self,
        key: &Arc<str>,
        current: Option<Current>,
        position: LogPosition,
    ) -> Result<Option<Row>, EngineError> {
        let Some(current) = current else { return Ok(None) };
        let row = Row { key: Arc::clone(key), put: None, before: Some(current.position) };
        self.retire(key, Some(current), position)?;
        self.log.insert(position, row.encode(position).as_slice())?;
        self.newest.remove(&**key)?;
        Ok(Some(row))
    }

    /// Moves the value of a key to the history.
    fn retire(
        &mut self,
        key: &str,
        old: Option<Current>,
        by: LogPosition,
    ) -> Result<(), EngineError> {
        let Some(old) = old else { return Ok(()) };
        self.history.insert((key, by.0), old.position)?;
        if old.expires != 0 {
            self.expiry.remove((old.expires, key))?;
        }
        Ok(())
    }
}

/// The effective writes with what was found for them: of those for the same key, the last that is not `Keep`. A commit
/// has a handful of writes.
fn last_acts<'w>(
    writes: &'w [Write],
    found: &[Option<Current>],
) -> impl Iterator<Item = (&'w Write, Option<Current>)> {
    let is_act = |write: &&Write| write.act != Operation::Keep;
    let is_last = move |(at, write): &(usize, (&Write, &Option<Current>))| {
        let mut later = writes.iter().skip(at + 1).filter(is_act);
        is_act(&write.0) && later.all(|other| other.key != write.0.key)
    };
    let pairs = writes.iter().zip(found).enumerate().filter(is_last);
    pairs.map(|(_, (write, current))| (write, *current))
}

/// `lives` after `now`, in milliseconds; never 0, which means never.
fn expiry_time(now: u64, lives: Duration) -> u64 {
    now.saturating_add(u64::try_from(lives.as_millis()).unwrap_or(u64::MAX)).clamp(1, u64::MAX - 1)
}
