//! `Draft`: a file that is written from records beside the store, and takes its place when it is complete.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ratchet_store::Revision;
use ratchet_store::archive::ArchivedRecord;
use redb::{Database, ReadableTable};

use super::CACHE;
use crate::directory::Medium;
use crate::disk::Disk;
use crate::engine::catch_panics;
use crate::error::{EngineError, OpenError, open_error};
use crate::format::{create_tables, set_durable};
use crate::injected::FaultInjector;
use crate::rows::{EXPIRY, FORMAT, HEAD, Head, LOG, NEWEST, Row};

/// A file that does not count yet.
pub(super) struct Draft(Database);

impl Draft {
    /// An empty store beside the one of the medium.
    pub(super) fn create(medium: &dyn Medium) -> Result<Self, OpenError> {
        let created = catch_panics(|| {
            let inner = medium.draft().map_err(redb::StorageError::Io)?;
            let (health, injected) = (Arc::default(), FaultInjector::default());
            let disk = Disk { inner, health, injected };
            let database = Database::builder().set_cache_size(CACHE).create_with_backend(disk)?;
            create_tables(&database)?;
            Ok(Self(database))
        });
        created.map_err(|error| write_error(medium.path(), error))
    }

    /// Adds records in one transaction.
    pub(super) fn add(
        &self,
        medium: &dyn Medium,
        records: &[ArchivedRecord],
    ) -> Result<(), OpenError> {
        catch_panics(|| self.insert(records)).map_err(|error| write_error(medium.path(), error))
    }

    fn insert(&self, records: &[ArchivedRecord]) -> Result<(), EngineError> {
        let transaction = self.0.begin_write()?;
        let mut newest = transaction.open_table(NEWEST)?;
        let mut log = transaction.open_table(LOG)?;
        let mut expiry = transaction.open_table(EXPIRY)?;
        for ArchivedRecord { record, expires } in records {
            // Keys of one commit have one revision: they stand in the log one after another.
            let revision = record.modified.0;
            let last = log.range((revision, 0)..=(revision, u32::MAX))?.next_back().transpose()?;
            let index = last.map_or(0, |(position, _)| position.value().1 + 1);
            let position = (revision, index);
            let put = Some((record.value.clone(), record.created));
            let row = Row { key: record.key.clone(), put, before: None };
            log.insert(position, row.encode(position).as_slice())?;
            let expires = expires.unwrap_or(0);
            newest.insert(&*record.key, (position, record.created.0, expires))?;
            if expires != 0 {
                expiry.insert((expires, &*record.key), ())?;
            }
        }
        drop((newest, log, expiry));
        Ok(transaction.commit()?)
    }

    /// Completes the file, whose history begins at `revision`, and puts it in the place of the store's.
    pub(super) fn settle(
        mut self,
        medium: &dyn Medium,
        revision: Revision,
    ) -> Result<(), OpenError> {
        let settled = catch_panics(|| {
            let mut transaction = self.0.begin_write()?;
            set_durable(&mut transaction);
            let head =
                Head { format: FORMAT, latest: revision.0, oldest: revision.0, swept: revision.0 };
            transaction.open_table(HEAD)?.insert((), head.encode())?;
            transaction.commit()?;
            // Transactions leave free pages behind, which nobody will fill.
            while self.0.compact().map_err(|error| EngineError::Engine(error.into()))? {}
            drop(self);
            Ok(medium.settle().map_err(redb::StorageError::Io)?)
        });
        settled.map_err(|error| write_error(medium.path(), error))
    }
}

/// The error of a file that cannot be written anew.
fn write_error(path: &Path, error: EngineError) -> OpenError {
    match open_error(path, error) {
        OpenError::File { path, why } => OpenError::Write { path, why },
        OpenError::Damaged { path, why } => OpenError::Write { path, why: io::Error::other(why) },
        other => other,
    }
}
