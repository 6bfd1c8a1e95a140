//! Reads of a snapshot: one key, lists of current or past records, and events.

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use ratchet_store::archive::unix_millis;
use ratchet_store::{
    Batch, Expiring, Page, PastBatch, PastEvent, Query, Record, Revision, StoreError,
};
use redb::{ReadOnlyTable, ReadTransaction};

use crate::engine::catch_panics;
use crate::error::EngineError;
use crate::format::head_of;
use crate::rows::{EXPIRY, HISTORY, LOG, LogPosition, NEWEST, Row};

/// The number of keys after which other tasks get a turn.
const STRIDE: usize = 512;
/// A replay ends after this many rows, or bytes, at the end of a commit.
const REPLAY_ROWS: usize = 4096;
const REPLAY_BYTES: usize = 1 << 20;

pub(crate) type Log = ReadOnlyTable<LogPosition, &'static [u8]>;

/// The current record of a key.
pub(crate) fn get(transaction: &ReadTransaction, key: &str) -> Result<Option<Record>, EngineError> {
    catch_panics(|| {
        let entries = transaction.open_table(NEWEST)?.get(key)?.map(|row| row.value().0);
        let Some(position) = entries else { return Ok(None) };
        record(&transaction.open_table(LOG)?, position, key).map(Some)
    })
}

/// The records of one revision; yields to other tasks now and then.
pub(crate) async fn list(transaction: ReadTransaction, query: &Query) -> Result<Page, EngineError> {
    let head = catch_panics(|| head_of(&transaction))?;
    let at = query.at.map_or(head.latest, |revision| revision.0);
    check_revision(at, head.oldest, head.latest)?;
    let past = (at != head.latest).then_some(at);
    let mut page = Page { revision: Revision(at), ..Page::default() };
    let mut from = start(query);
    let mut selected = Vec::new();
    loop {
        let batch = catch_panics(|| match past {
            None => newest(&transaction, &query.prefix, &from),
            Some(at) => as_of(&transaction, &query.prefix, &from, at),
        })?;
        let room = match query.limit {
            0 => batch.entries.len(),
            limit => limit.saturating_sub(selected.len()).min(batch.entries.len()),
        };
        page.has_more = batch.entries.len() > room;
        selected.extend(batch.entries.into_iter().take(room));
        let Some(last) = batch.resume.filter(|_| !page.has_more) else { break };
        from = Bound::Excluded(last);
        yield_now().await;
    }
    page.records = records(&transaction, selected).await?;
    Ok(page)
}

/// The keys that expire, and the time they have left.
pub(crate) fn expiring(transaction: &ReadTransaction) -> Result<Expiring, EngineError> {
    catch_panics(|| {
        let revision = Revision(head_of(transaction)?.latest);
        let (mut keys, now) = (Vec::new(), unix_millis());
        for item in transaction.open_table(EXPIRY)?.range::<(u64, &str)>(..)? {
            let (row, _) = item?;
            let (when, key) = row.value();
            keys.push((key.into(), Duration::from_millis(when.saturating_sub(now))));
        }
        Ok(Expiring { revision, keys })
    })
}

/// The events after `after` for keys with this prefix, up to the size of a batch.
pub(crate) fn replay(
    transaction: &ReadTransaction,
    prefix: &str,
    after: u64,
) -> Result<Batch, EngineError> {
    let mut events = Vec::new();
    let upto = walk(transaction, prefix, after, |_, row, revision| {
        let bytes = row.size();
        events.push(row.into_event(revision));
        Ok(bytes)
    })?;
    Ok(Batch { events, upto })
}

/// The same, with the records that the events replaced.
pub(crate) fn past(
    transaction: &ReadTransaction,
    prefix: &str,
    after: u64,
) -> Result<PastBatch, EngineError> {
    let mut events = Vec::new();
    let upto = walk(transaction, prefix, after, |log, row, revision| {
        // What was visible at `after` or later is not compacted.
        let before = row.before.map(|position| record(log, position, &row.key)).transpose()?;
        let bytes = row.size() + before.as_ref().map_or(0, |record| record.value.len());
        events.push(PastEvent { event: row.into_event(revision), before });
        Ok(bytes)
    })?;
    Ok(PastBatch { events, upto })
}

/// Hands the rows after `after` of keys with this prefix to `take`, which returns their bytes, up to the
/// size of a batch; returns the revision up to which all were read.
fn walk(
    transaction: &ReadTransaction,
    prefix: &str,
    after: u64,
    mut take: impl FnMut(&Log, Row, u64) -> Result<usize, EngineError>,
) -> Result<Revision, EngineError> {
    catch_panics(|| {
        let head = head_of(transaction)?;
        check_revision(after, head.oldest, head.latest)?;
        let log = transaction.open_table(LOG)?;
        let mut upto = Revision(after);
        let (mut rows, mut bytes) = (0, 0);
        for item in log.range((after + 1, 0)..)? {
            let (position, row) = item?;
            let position = position.value();
            let next = Revision(position.0);
            if next != upto && (rows >= REPLAY_ROWS || bytes >= REPLAY_BYTES) {
                return Ok(upto);
            }
            let row = Row::decode(position, row.value()).ok_or_else(|| damaged_row(position))?;
            rows += 1;
            upto = next;
            if row.key.starts_with(prefix) {
                bytes += take(&log, row, position.0)?;
            }
        }
        Ok(Revision(head.latest))
    })
}

/// Whether a revision is available.
pub(crate) fn check_revision(requested: u64, oldest: u64, latest: u64) -> Result<(), StoreError> {
    if requested < oldest {
        return Err(StoreError::Compacted { oldest: Revision(oldest) });
    }
    if requested > latest {
        return Err(StoreError::Future { latest: Revision(latest) });
    }
    Ok(())
}

/// Some keys in order, and where to continue.
struct KeyBatch {
    entries: Vec<(Arc<str>, LogPosition)>,
    resume: Option<Arc<str>>,
}

fn start(query: &Query) -> Bound<Arc<str>> {
    match &query.after {
        Some(after) if *after >= query.prefix => Bound::Excluded(after.as_str().into()),
        _ => Bound::Included(query.prefix.as_str().into()),
    }
}

fn newest(
    transaction: &ReadTransaction,
    prefix: &str,
    from: &Bound<Arc<str>>,
) -> Result<KeyBatch, EngineError> {
    let table = transaction.open_table(NEWEST)?;
    let mut entries = Vec::new();
    for item in table.range::<&str>((from.as_ref().map(AsRef::as_ref), Bound::Unbounded))? {
        let (key, row) = item?;
        if !key.value().starts_with(prefix) {
            break;
        }
        entries.push((Arc::<str>::from(key.value()), row.value().0));
        if entries.len() == STRIDE {
            let resume = entries.last().map(|(key, _)| Arc::clone(key));
            return Ok(KeyBatch { entries, resume });
        }
    }
    Ok(KeyBatch { entries, resume: None })
}

/// Merges current and past values: a value that was written at revision `a` and replaced at `b` is
/// visible from `a` to the revision before `b`.
fn as_of(
    transaction: &ReadTransaction,
    prefix: &str,
    from: &Bound<Arc<str>>,
    at: u64,
) -> Result<KeyBatch, EngineError> {
    let newest = transaction.open_table(NEWEST)?;
    let history = transaction.open_table(HISTORY)?;
    let mut now = newest.range::<&str>((from.as_ref().map(AsRef::as_ref), Bound::Unbounded))?;
    let past_from = match from {
        Bound::Included(key) => Bound::Included((key.as_ref(), 0)),
        Bound::Excluded(key) => Bound::Excluded((key.as_ref(), u64::MAX)),
        Bound::Unbounded => Bound::Unbounded,
    };
    let mut past = history.range::<(&str, u64)>((past_from, Bound::Unbounded))?;
    let mut next_now = || -> Result<Option<(Arc<str>, LogPosition)>, EngineError> {
        let Some(item) = now.next() else { return Ok(None) };
        let (key, row) = item?;
        Ok(key.value().starts_with(prefix).then(|| (key.value().into(), row.value().0)))
    };
    let mut next_past = || -> Result<Option<(Arc<str>, u64, LogPosition)>, EngineError> {
        let Some(item) = past.next() else { return Ok(None) };
        let (key, row) = item?;
        let (key, until) = key.value();
        Ok(key.starts_with(prefix).then(|| (key.into(), until, row.value())))
    };
    let (mut current, mut older) = (next_now()?, next_past()?);
    let (mut entries, mut visited) = (Vec::new(), 0);
    while visited < STRIDE {
        let keys = [current.as_ref().map(|row| &row.0), older.as_ref().map(|row| &row.0)];
        let Some(key) = keys.into_iter().flatten().min().cloned() else {
            return Ok(KeyBatch { entries, resume: None });
        };
        let mut visible = None;
        while let Some((_, until, position)) = older.take_if(|row| row.0 == key) {
            if position.0 <= at && at < until {
                visible = Some(position);
            }
            older = next_past()?;
            visited += 1;
        }
        if let Some((_, position)) = current.take_if(|row| row.0 == key) {
            if position.0 <= at {
                visible = Some(position);
            }
            current = next_now()?;
            visited += 1;
        }
        entries.extend(visible.map(|position| (Arc::clone(&key), position)));
        if visited >= STRIDE {
            return Ok(KeyBatch { entries, resume: Some(key) });
        }
    }
    Ok(KeyBatch { entries, resume: None })
}

/// Reads values in the order of the log, so that each page of the file is read once, and returns
/// them in the order of their keys.
async fn records(
    transaction: &ReadTransaction,
    selected: Vec<(Arc<str>, LogPosition)>,
) -> Result<Vec<Record>, EngineError> {
    let mut order: Vec<(usize, (Arc<str>, LogPosition))> =
        selected.into_iter().enumerate().collect();
    order.sort_unstable_by_key(|(_, (_, position))| *position);
    let mut records_by_index = Vec::with_capacity(order.len());
    for batch in order.chunks(STRIDE) {
        catch_panics(|| {
            let log = transaction.open_table(LOG)?;
            for (index, (key, position)) in batch {
                records_by_index.push((*index, record(&log, *position, key)?));
            }
            Ok(())
        })?;
        yield_now().await;
    }
    records_by_index.sort_unstable_by_key(|(index, _)| *index);
    Ok(records_by_index.into_iter().map(|(_, record)| record).collect())
}

/// The record at a position, which must be that of the key.
pub(crate) fn record(log: &Log, position: LogPosition, key: &str) -> Result<Record, EngineError> {
    let row = log.get(position)?.and_then(|row| Row::decode(position, row.value()));
    let record = row.and_then(|row| row.into_record(position.0));
    record.filter(|record| &*record.key == key).ok_or_else(|| damaged_row(position))
}

/// The error for a row that is absent or damaged.
pub(crate) fn damaged_row((revision, index): LogPosition) -> EngineError {
    EngineError::Damaged(format!("write {index} of revision {revision} is unreadable"))
}

/// Yields to other tasks.
async fn yield_now() {
    let mut waited = false;
    std::future::poll_fn(|context| {
        if waited {
            return std::task::Poll::Ready(());
        }
        waited = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
