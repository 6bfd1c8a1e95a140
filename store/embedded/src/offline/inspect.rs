//! Inspection of a file: every row is read, and the tables are compared with each other.

use std::collections::HashSet;
use std::path::Path;

use ratchet_store::{Record, Revision};
use redb::{ReadTransaction, ReadableTableMetadata};

use super::open;
use crate::engine::catch_panics;
use crate::error::{EngineError, OpenError, open_error};
use crate::format::{Format, head_of};
use crate::rows::{EXPIRY, HISTORY, Head, LOG, LogPosition, NEWEST, Row};

/// The problems that are reported one by one.
const MAX_REPORTED: usize = 20;

/// What is in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The version of its format.
    pub format: u64,
    /// The program that gave it this format, if it says so.
    pub writer: Option<String>,
    /// The latest revision.
    pub latest: Revision,
    /// The oldest revision that can be read.
    pub oldest: Revision,
    /// The number of current records.
    pub records: u64,
    /// The number of replaced and deleted values that are kept.
    pub history: u64,
    /// The number of keys that expire.
    pub expiring: u64,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// What is wrong with it.
    pub problems: Problems,
}

/// Problems: all are counted, the first ones reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The first ones, a line each.
    pub reported: Vec<String>,
    /// How many there are.
    pub count: u64,
}

impl Problems {
    fn add(&mut self, problem: String) {
        self.count += 1;
        if self.reported.len() < MAX_REPORTED {
            self.reported.push(problem);
        }
    }
}

/// Reads everything in the file of the store in the directory; `check` says what is wrong with a current record.
pub fn inspect(
    path: &Path,
    check: &mut dyn FnMut(&Record) -> Result<(), String>,
) -> Result<Inspection, OpenError> {
    let engine = open(path, true)?;
    let inspected = engine.read().1.and_then(|snapshot| {
        catch_panics(|| Inspector::new(&snapshot)?.run(check))
            .map(|inspection| Inspection { bytes: engine.size(), ..inspection })
    });
    let inspected = inspected.map_err(|error| open_error(engine.medium().path(), error));
    engine.close();
    inspected
}

struct Inspector<'s> {
    snapshot: &'s ReadTransaction,
    format: Format,
    head: Head,
    problems: Problems,
}

impl<'s> Inspector<'s> {
    fn new(snapshot: &'s ReadTransaction) -> Result<Self, EngineError> {
        let (format, head) = (Format::of_snapshot(snapshot)?, head_of(snapshot)?);
        Ok(Self { snapshot, format, head, problems: Problems::default() })
    }

    fn run(
        mut self,
        check: &mut dyn FnMut(&Record) -> Result<(), String>,
    ) -> Result<Inspection, EngineError> {
        if self.head.oldest > self.head.latest || self.head.swept > self.head.oldest {
            self.problems.add("the numbers of its head contradict each other".to_owned());
        }
        let mut reachable = HashSet::new();
        let records = self.newest(&mut reachable, check)?;
        let history = self.history(&mut reachable)?;
        let expiring = self.expiry()?;
        self.log(&reachable)?;
        Ok(Inspection {
            format: self.format.version,
            writer: self.format.writer,
            latest: Revision(self.head.latest),
            oldest: Revision(self.head.oldest),
            records,
            history,
            expiring,
            bytes: 0,
            problems: self.problems,
        })
    }

    /// The current records: each has its value in the log, and its expiry in the index.
    fn newest(
        &mut self,
        reachable: &mut HashSet<LogPosition>,
        check: &mut dyn FnMut(&Record) -> Result<(), String>,
    ) -> Result<u64, EngineError> {
        let (log, expiry) = (self.snapshot.open_table(LOG)?, self.snapshot.open_table(EXPIRY)?);
        let mut count = 0;
        for item in self.snapshot.open_table(NEWEST)?.range::<&str>(..)? {
            let (key, row) = item?;
            let (key, (position, created, expires)) = (key.value(), row.value());
            count += 1;
            reachable.insert(position);
            let row = log.get(position)?.and_then(|row| Row::decode(position, row.value()));
            let record = row.and_then(|row| row.into_record(position.0));
            match record {
                Some(record) if *record.key == *key && record.created.0 == created => {
                    if let Err(why) = check(&record) {
                        self.problems.add(format!("{key}: {why}"));
                    }
                }
                Some(_) => self.problems.add(format!("{key}: its value is that of another record")),
                None => self.problems.add(format!("{key}: its value is unreadable")),
            }
            if expires != 0 && expiry.get((expires, key))?.is_none() {
                self.problems.add(format!("{key}: it should expire and will not"));
            }
        }
        Ok(count)
    }

    /// The replaced and deleted values, as far as they are not compacted.
    fn history(&mut self, reachable: &mut HashSet<LogPosition>) -> Result<u64, EngineError> {
        let log = self.snapshot.open_table(LOG)?;
        let mut count = 0;
        for item in self.snapshot.open_table(HISTORY)?.range::<(&str, u64)>(..)? {
            let (row, position) = item?;
            let ((key, until), position) = (row.value(), position.value());
            count += 1;
            reachable.insert(position);
            if position.0 >= until || until > self.head.latest {
                self.problems
                    .add(format!("{key}: a value until revision {until} is of {}", position.0));
            }
            let row = log.get(position)?.and_then(|row| Row::decode(position, row.value()));
            if !row.is_some_and(|row| *row.key == *key && row.put.is_some()) {
                self.problems.add(format!("{key}: its value until revision {until} is unreadable"));
            }
        }
        Ok(count)
    }

    /// The index of expiries: each is that of a current record.
    fn expiry(&mut self) -> Result<u64, EngineError> {
        let newest = self.snapshot.open_table(NEWEST)?;
        let expiry = self.snapshot.open_table(EXPIRY)?;
        for item in expiry.range::<(u64, &str)>(..)? {
            let (row, _) = item?;
            let (when, key) = row.value();
            if newest.get(key)?.is_none_or(|row| row.value().2 != when) {
                self.problems.add(format!("{key}: it would expire and should not"));
            }
        }
        Ok(expiry.len()?)
    }

    /// The log: every row can be read, and every value is that of a record, or of its history.
    fn log(&mut self, reachable: &HashSet<LogPosition>) -> Result<(), EngineError> {
        for item in self.snapshot.open_table(LOG)?.range::<LogPosition>(..)? {
            let (position, row) = item?;
            let position = position.value();
            let (revision, index) = position;
            match Row::decode(position, row.value()) {
                // Told with its key already.
                None if reachable.contains(&position) => {}
                None => {
                    self.problems
                        .add(format!("write {index} of revision {revision} is unreadable"));
                }
                Some(row) if row.put.is_some() && !reachable.contains(&position) => {
                    let key = &row.key;
                    self.problems
                        .add(format!("{key}: its value of revision {revision} is of no use"));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
