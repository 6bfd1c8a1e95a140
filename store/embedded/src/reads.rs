//! Reading a snapshot: one key, keys in order as they are or were, and what happened.

use std::ops::Bound;
use std::sync::Arc;

use ratchet_store::{Batch, Page, Query, Record, Revision, StoreError};
use redb::{ReadOnlyTable, ReadTransaction};

use crate::engine::{head_of, sheltered};
use crate::error::Trouble;
use crate::rows::{HISTORY, LOG, NEWEST, Place, Row};

/// So many keys are looked at before others get a turn.
const STRIDE: usize = 512;
/// A replay stops after so many rows, or bytes, at the end of a commit.
const REPLAY_ROWS: usize = 4096;
const REPLAY_BYTES: usize = 1 << 20;

type Log = ReadOnlyTable<Place, &'static [u8]>;

/// What a key holds.
pub(crate) fn get(transaction: &ReadTransaction, key: &str) -> Result<Option<Record>, Trouble> {
    sheltered(|| {
        let found = transaction.open_table(NEWEST)?.get(key)?.map(|row| row.value().0);
        let Some(place) = found else { return Ok(None) };
        record(&transaction.open_table(LOG)?, place, key).map(Some)
    })
}

/// Records of one moment; gives other tasks a turn now and then.
pub(crate) async fn list(transaction: ReadTransaction, query: &Query) -> Result<Page, Trouble> {
    let head = sheltered(|| head_of(&transaction))?;
    let at = query.at.map_or(head.latest, |revision| revision.0);
    within(at, head.oldest, head.latest)?;
    let past = (at != head.latest).then_some(at);
    let mut page = Page { revision: Revision(at), ..Page::default() };
    let mut from = start(query);
    let mut wanted = Vec::new();
    loop {
        let stride = sheltered(|| match past {
            None => newest(&transaction, &query.prefix, &from),
            Some(at) => as_of(&transaction, &query.prefix, &from, at),
        })?;
        let room = match query.limit {
            0 => stride.found.len(),
            limit => limit.saturating_sub(wanted.len()).min(stride.found.len()),
        };
        page.more += stride.found.len() - room;
        wanted.extend(stride.found.into_iter().take(room));
        let Some(last) = stride.resume else { break };
        from = Bound::Excluded(last);
        turn().await;
    }
    page.records = records(&transaction, wanted).await?;
    Ok(page)
}

/// What happened after `after` to keys that begin with `prefix`, as far as one batch goes.
pub(crate) fn replay(
    transaction: &ReadTransaction,
    prefix: &str,
    after: u64,
) -> Result<Batch, Trouble> {
    sheltered(|| {
        let head = head_of(transaction)?;
        within(after, head.oldest, head.latest)?;
        let log = transaction.open_table(LOG)?;
        let mut batch = Batch { events: Vec::new(), upto: Revision(after) };
        let (mut rows, mut bytes) = (0, 0);
        for item in log.range((after + 1, 0)..)? {
            let (place, row) = item?;
            let place = place.value();
            let next = Revision(place.0);
            if next != batch.upto && (rows >= REPLAY_ROWS || bytes >= REPLAY_BYTES) {
                return Ok(batch);
            }
            let row = Row::read(place, row.value()).ok_or_else(|| unreadable(place))?;
            rows += 1;
            batch.upto = next;
            if row.key.starts_with(prefix) {
                bytes += row.put.as_ref().map_or(0, |(value, _)| value.len());
                batch.events.push(row.into_event(place.0));
            }
        }
        batch.upto = Revision(head.latest);
        Ok(batch)
    })
}

/// Whether a revision may be asked for.
pub(crate) fn within(asked: u64, oldest: u64, latest: u64) -> Result<(), StoreError> {
    if asked < oldest {
        return Err(StoreError::Compacted { oldest: Revision(oldest) });
    }
    if asked > latest {
        return Err(StoreError::Future { latest: Revision(latest) });
    }
    Ok(())
}

/// Some keys in order, and where to go on.
struct Stride {
    found: Vec<(Arc<str>, Place)>,
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
) -> Result<Stride, Trouble> {
    let table = transaction.open_table(NEWEST)?;
    let mut found = Vec::new();
    for item in table.range::<&str>((from.as_ref().map(AsRef::as_ref), Bound::Unbounded))? {
        let (key, row) = item?;
        if !key.value().starts_with(prefix) {
            break;
        }
        found.push((Arc::<str>::from(key.value()), row.value().0));
        if found.len() == STRIDE {
            let resume = found.last().map(|(key, _)| Arc::clone(key));
            return Ok(Stride { found, resume });
        }
    }
    Ok(Stride { found, resume: None })
}

/// Merges what keys hold with what they held: a value that stood from revision `a` until revision `b` is seen at all
/// revisions from `a` to the one before `b`.
fn as_of(
    transaction: &ReadTransaction,
    prefix: &str,
    from: &Bound<Arc<str>>,
    at: u64,
) -> Result<Stride, Trouble> {
    let newest = transaction.open_table(NEWEST)?;
    let history = transaction.open_table(HISTORY)?;
    let mut now = newest.range::<&str>((from.as_ref().map(AsRef::as_ref), Bound::Unbounded))?;
    let past_from = match from {
        Bound::Included(key) => Bound::Included((key.as_ref(), 0)),
        Bound::Excluded(key) => Bound::Excluded((key.as_ref(), u64::MAX)),
        Bound::Unbounded => Bound::Unbounded,
    };
    let mut past = history.range::<(&str, u64)>((past_from, Bound::Unbounded))?;
    let mut next_now = || -> Result<Option<(Arc<str>, Place)>, Trouble> {
        let Some(item) = now.next() else { return Ok(None) };
        let (key, row) = item?;
        Ok(key.value().starts_with(prefix).then(|| (key.value().into(), row.value().0)))
    };
    let mut next_past = || -> Result<Option<(Arc<str>, u64, Place)>, Trouble> {
        let Some(item) = past.next() else { return Ok(None) };
        let (key, row) = item?;
        let (key, until) = key.value();
        Ok(key.starts_with(prefix).then(|| (key.into(), until, row.value())))
    };
    let (mut current, mut older) = (next_now()?, next_past()?);
    let (mut found, mut looked) = (Vec::new(), 0);
    while looked < STRIDE {
        let keys = [current.as_ref().map(|row| &row.0), older.as_ref().map(|row| &row.0)];
        let Some(key) = keys.into_iter().flatten().min().cloned() else {
            return Ok(Stride { found, resume: None });
        };
        let mut seen = None;
        while let Some((_, until, place)) = older.take_if(|row| row.0 == key) {
            if place.0 <= at && at < until {
                seen = Some(place);
            }
            older = next_past()?;
            looked += 1;
        }
        if let Some((_, place)) = current.take_if(|row| row.0 == key) {
            if place.0 <= at {
                seen = Some(place);
            }
            current = next_now()?;
            looked += 1;
        }
        found.extend(seen.map(|place| (Arc::clone(&key), place)));
        if looked >= STRIDE {
            return Ok(Stride { found, resume: Some(key) });
        }
    }
    Ok(Stride { found, resume: None })
}

/// Reads values in the order in which they stand in the log, so that each page of the file is read once, and gives them
/// back in the order of their keys.
async fn records(
    transaction: &ReadTransaction,
    wanted: Vec<(Arc<str>, Place)>,
) -> Result<Vec<Record>, Trouble> {
    let mut order: Vec<(usize, (Arc<str>, Place))> = wanted.into_iter().enumerate().collect();
    order.sort_unstable_by_key(|(_, (_, place))| *place);
    let mut read = Vec::with_capacity(order.len());
    for stride in order.chunks(STRIDE) {
        sheltered(|| {
            let log = transaction.open_table(LOG)?;
            for (index, (key, place)) in stride {
                read.push((*index, record(&log, *place, key)?));
            }
            Ok(())
        })?;
        turn().await;
    }
    read.sort_unstable_by_key(|(index, _)| *index);
    Ok(read.into_iter().map(|(_, record)| record).collect())
}

fn record(log: &Log, place: Place, key: &str) -> Result<Record, Trouble> {
    let row = log.get(place)?.and_then(|row| Row::read(place, row.value()));
    let record = row.and_then(|row| row.into_record(place.0));
    record.filter(|record| &*record.key == key).ok_or_else(|| unreadable(place))
}

/// What is said of a row that is absent or not as it was written.
pub(crate) fn unreadable((revision, index): Place) -> Trouble {
    Trouble::Damaged(format!("write {index} of revision {revision} is unreadable"))
}

/// Lets other tasks run.
async fn turn() {
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
