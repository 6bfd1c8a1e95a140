//! `Builder`: the file of a store from archived records.

use std::path::Path;

use ratchet_store::Revision;
use ratchet_store::archive::ArchivedRecord;

use super::draft::Draft;
use crate::directory::{Directory, Medium};
use crate::error::OpenError;

/// The bytes of records that are written in one transaction.
const BATCH: usize = 8 << 20;

/// Builds a store, which is there when [`Builder::finish`] returns, and not before: whatever happens until then leaves
/// the directory without a store, or with the one it had.
pub struct Builder {
    medium: Box<dyn Medium>,
    draft: Option<Draft>,
    batch: Vec<ArchivedRecord>,
    bytes: usize,
}

impl Builder {
    /// Locks the directory, which is created if it is absent. A store in it is refused, unless it is to be replaced.
    pub fn begin(path: &Path, replace: bool) -> Result<Self, OpenError> {
        if !replace && Directory::has_store(path) {
            return Err(OpenError::Exists { path: path.to_owned() });
        }
        Self::on(Box::new(Directory::take(path, true)?))
    }

    fn on(medium: Box<dyn Medium>) -> Result<Self, OpenError> {
        let draft = Some(Draft::create(&*medium)?);
        Ok(Self { medium, draft, batch: Vec::new(), bytes: 0 })
    }

    /// Adds a record; each key once.
    pub fn add(&mut self, record: ArchivedRecord) -> Result<(), OpenError> {
        self.bytes += record.record.key.len() + record.record.value.len();
        self.batch.push(record);
        if self.bytes >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Completes the store at this revision, at least that of its newest record.
    pub fn finish(mut self, revision: Revision) -> Result<(), OpenError> {
        self.flush()?;
        match self.draft.take() {
            Some(draft) => draft.settle(&*self.medium, revision),
            None => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), OpenError> {
        if let Some(draft) = &self.draft {
            draft.add(&*self.medium, &self.batch)?;
        }
        self.batch.clear();
        self.bytes = 0;
        Ok(())
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        if self.draft.take().is_some() {
            self.medium.discard();
        }
        self.medium.release();
    }
}
