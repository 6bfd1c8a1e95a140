//! Copy of all records from one store into another: it can be interrupted and run again, and is verified by a hash.
//!
//! The target bears a marker until everything is there and verified; what a store with the marker holds must not be
//! served. Run again, a copy compares what is there and writes what is missing, so that it goes on where it ended.
//! Revisions are those of the target: it counts its own commits.

mod error;
mod hash;
mod records;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{Commit, Guard, Operation, Record, Revision, Store, StoreError, Write};

pub use crate::pages::MARKER;
use crate::pages::Pages;
pub use error::CopyError;
pub use hash::{ContentHash, content_hash};

use records::Records;

/// The most writes of a commit; etcd takes 128.
const MAX_WRITES: usize = 100;
/// The most bytes of a commit, if it has several writes; etcd takes a request of 1.5 MiB.
const MAX_BYTES: usize = 512 << 10;

/// How far a copy is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The records of the source that were compared or written.
    pub records: u64,
    /// The bytes of their values.
    pub bytes: u64,
    /// The records that had to be written or deleted.
    pub written: u64,
    /// Whether everything is written, and both sides are hashed.
    pub verifying: bool,
}

/// A finished copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The revision of the source that was copied.
    pub revision: Revision,
    /// What was done.
    pub progress: Progress,
    /// The hash that both sides have.
    pub hash: ContentHash,
}

/// Whether a store is the target of a copy that has not been finished.
pub async fn is_unfinished(store: &dyn Store) -> Result<bool, StoreError> {
    Ok(store.get(MARKER).await?.is_some())
}

/// Copies the latest revision of a store into another one, which must be empty, or the target of an interrupted copy.
pub async fn copy(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<Copied, CopyError> {
    if is_unfinished(from).await.map_err(CopyError::Source)? {
        return Err(CopyError::SourceUnfinished);
    }
    mark(to).await?;
    let expiring = from.expiring().await.map_err(CopyError::Source)?;
    let (revision, read) = (expiring.revision, Instant::now());
    let lives: HashMap<Arc<str>, Duration> = expiring.keys.into_iter().collect();
    let mut batch = Batch { to, writes: Vec::new(), bytes: 0 };
    let mut progress = Progress::default();
    let (mut source, mut target) = (Records::new(from, Some(revision)), Records::new(to, None));
    loop {
        let wanted = source.peek().await.map_err(CopyError::Source)?;
        let found = target.peek().await.map_err(CopyError::Target)?;
        let (wanted, found) = match (wanted, found) {
            (None, None) => break,
            (Some(wanted), Some(found)) if wanted.key < found.key => (source.take(), None),
            (Some(wanted), Some(found)) if wanted.key > found.key => (None, target.take()),
            _ => (source.take(), target.take()),
        };
        let Some(wanted) = wanted else {
            // It is of an earlier attempt, and the source has deleted it since.
            if let Some(found) = found {
                progress.written += 1;
                batch.add(Write::delete(&found.key, Guard::Anything)).await?;
            }
            continue;
        };
        progress.records += 1;
        progress.bytes += wanted.value.len() as u64;
        if found.is_none_or(|found| found.value != wanted.value) {
            let left = lives.get(&wanted.key).map(|left| left.saturating_sub(read.elapsed()));
            progress.written += 1;
            batch.put(wanted, left).await?;
        }
        report(progress);
    }
    batch.flush().await?;
    progress.verifying = true;
    report(progress);
    let expected = content_hash(from, Some(revision), &lives).await.map_err(CopyError::Source)?;
    let copied = content_hash(to, None, &lives).await.map_err(CopyError::Target)?;
    if expected != copied {
        return Err(CopyError::Different { expected, copied });
    }
    commit(to, vec![Write::delete(MARKER, Guard::Anything)]).await?;
    Ok(Copied { revision, progress, hash: expected })
}

/// Puts the marker into an empty store.
async fn mark(to: &dyn Store) -> Result<(), CopyError> {
    if is_unfinished(to).await.map_err(CopyError::Target)? {
        return Ok(());
    }
    let (mut pages, mut records, mut example) = (Pages::new(None), 0, None);
    while let Some(page) = pages.next(to).await.map_err(CopyError::Target)? {
        records += page.len() as u64;
        example = example.or_else(|| page.first().map(|record| record.key.to_string()));
    }
    if let Some(example) = example {
        return Err(CopyError::NotEmpty { records, example });
    }
    let text = "a copy that is not finished: run `ratchet store copy` again";
    commit(to, vec![Write::put(MARKER, Guard::Absent, text)]).await
}

/// Writes that wait to be committed together.
struct Batch<'s> {
    to: &'s dyn Store,
    writes: Vec<Write>,
    bytes: usize,
}

impl Batch<'_> {
    async fn put(&mut self, record: Record, left: Option<Duration>) -> Result<(), CopyError> {
        // What expires while it is copied is gone.
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(());
        }
        let bytes = record.key.len() + record.value.len();
        if self.bytes + bytes > MAX_BYTES {
            self.flush().await?;
        }
        self.bytes += bytes;
        let act = Operation::Put { value: record.value, lives: left };
        self.add(Write { key: record.key, guard: Guard::Anything, act }).await
    }

    async fn add(&mut self, write: Write) -> Result<(), CopyError> {
        self.writes.push(write);
        if self.writes.len() >= MAX_WRITES { self.flush().await } else { Ok(()) }
    }

    async fn flush(&mut self) -> Result<(), CopyError> {
        self.bytes = 0;
        match std::mem::take(&mut self.writes) {
            writes if writes.is_empty() => Ok(()),
            writes => commit(self.to, writes).await,
        }
    }
}

async fn commit(to: &dyn Store, writes: Vec<Write>) -> Result<(), CopyError> {
    match to.commit(writes).await.map_err(CopyError::Target)? {
        Commit::Done(_) => Ok(()),
        Commit::Refused { key, .. } => Err(CopyError::InUse { key: key.to_string() }),
    }
}
