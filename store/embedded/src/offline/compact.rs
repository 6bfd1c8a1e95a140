//! Compaction of a file: its history is dropped, and it is written anew without gaps.

use std::path::Path;

use ratchet_store::Revision;
use ratchet_store::archive::ArchivedRecord;
use redb::ReadTransaction;

use super::draft::Draft;
use super::open;
use crate::engine::{Engine, catch_panics};
use crate::error::{EngineError, OpenError, open_error};
use crate::format::head_of;
use crate::reads::record;
use crate::rows::{LOG, NEWEST};

/// The bytes of values that are held at once.
const BATCH: usize = 8 << 20;

/// The size of a file in bytes, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSizes {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

/// Drops the history of the store in the directory, and writes its file anew. Until the new one is complete the old one
/// stays, so that the disk needs room for both.
pub fn compact(path: &Path) -> Result<FileSizes, OpenError> {
    let engine = open(path, false)?;
    let medium = engine.medium();
    let before = engine.size();
    let rewritten = rewrite(&engine);
    if rewritten.is_err() {
        medium.discard();
    }
    engine.close();
    rewritten?;
    let unreadable = |why| OpenError::File { path: path.to_owned(), why };
    let after = medium.open().and_then(|file| file.len()).map_err(unreadable)?;
    Ok(FileSizes { before, after })
}

/// Writes the current records into a draft, and settles it.
fn rewrite(engine: &Engine) -> Result<(), OpenError> {
    let medium = engine.medium();
    let explain = |error| open_error(medium.path(), error);
    let snapshot = engine.read().1.map_err(explain)?;
    let revision = catch_panics(|| head_of(&snapshot)).map_err(explain)?.latest;
    let draft = Draft::create(medium)?;
    let mut after: Option<String> = None;
    loop {
        let batch = catch_panics(|| batch(&snapshot, after.as_deref())).map_err(explain)?;
        let Some(last) = batch.last() else { break };
        after = Some(last.record.key.to_string());
        draft.add(medium, &batch)?;
    }
    drop(snapshot);
    draft.settle(medium, Revision(revision))
}

/// The next records after a key.
fn batch(
    snapshot: &ReadTransaction,
    after: Option<&str>,
) -> Result<Vec<ArchivedRecord>, EngineError> {
    let (newest, log) = (snapshot.open_table(NEWEST)?, snapshot.open_table(LOG)?);
    let (mut records, mut bytes) = (Vec::new(), 0);
    for item in newest.range::<&str>(after.unwrap_or_default()..)? {
        let (key, row) = item?;
        if after == Some(key.value()) {
            continue;
        }
        let (position, _, expires) = row.value();
        let record = record(&log, position, key.value())?;
        bytes += record.value.len();
        records.push(ArchivedRecord { record, expires: (expires != 0).then_some(expires) });
        if bytes >= BATCH {
            break;
        }
    }
    Ok(records)
}
