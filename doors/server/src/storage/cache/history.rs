//! Changes that the watch cache has dropped, or never had, read from the history of the store.

use super::change::Change;
use super::item::Item;
use super::recent::TooOld;
use super::scope::index_of;
use super::{Cache, MAX_RECENT_BYTES, ResourceCache, split};
use ratchet_store::{EventKind, PastBatch, Record, Revision, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

/// The most watches that hold changes of their own at the same time: nobody shares these.
pub(super) const MAX_READERS: usize = 64;

/// How long others wait for their turn. Those before them may not read what they hold, and are cut off late.
const LONGEST_TURN: Duration = Duration::from_secs(30);

/// The number of changes after which other tasks have a turn.
const YIELD_EVERY: usize = 32;

/// How many revisions further back than asked is read: who comes back after a restart asks for about the same time.
const AHEAD: u64 = 1024;

/// Past changes.
#[derive(Debug)]
pub(crate) enum Past {
    /// The cache has them now.
    Cached,
    /// They are here.
    Read {
        /// The changes, oldest first.
        changes: Vec<Arc<Change>>,
        /// There are no others up to this revision.
        upto: u64,
        /// To be held as long as the changes are.
        permit: OwnedSemaphorePermit,
    },
}

/// Changes after one revision and up to another.
struct Run {
    changes: Vec<Arc<Change>>,
    after: u64,
    upto: u64,
}

impl Cache {
    /// The changes of a resource after a revision that its cache has dropped, for a watch; `too_old` is what the cache
    /// said, and is said again if the store does not have them either. `root` is the prefix of the resource's keys.
    pub(crate) async fn past(
        &self,
        cache: &ResourceCache,
        root: &str,
        after: u64,
        too_old: TooOld,
    ) -> Result<Past, TooOld> {
        {
            let _reading = cache.reading.lock().await;
            if cache.since(after).is_ok() {
                return Ok(Past::Cached);
            }
            if cache.recent().has_space() && self.has_space() {
                self.read_back(cache, root, after)
                    .await
                    .map_err(|oldest| older(too_old, oldest))?;
                if cache.since(after).is_ok() {
                    return Ok(Past::Cached);
                }
            }
        }
        let turn = self.history_readers.clone().acquire_owned();
        let permit = timeout(LONGEST_TURN, turn).await;
        let permit = permit.ok().and_then(Result::ok).ok_or(too_old)?;
        let batch = self.store.past(root, Revision(after)).await;
        let batch = batch.map_err(|error| older(too_old, oldest(&error)))?;
        let Run { changes, after: known_after, upto } = self.decode(after, batch).await;
        // Nobody watches across a value that cannot be decoded.
        if known_after > after {
            return Err(TooOld { oldest: known_after });
        }
        Ok(Past::Read { changes, upto, permit })
    }

    /// Reads older changes into the cache, from before `after`. The error is the oldest revision of the store.
    async fn read_back(
        &self,
        cache: &ResourceCache,
        root: &str,
        after: u64,
    ) -> Result<(), Option<u64>> {
        let until = cache.recent().dropped_until();
        let wanted = after.saturating_sub(until.saturating_sub(after).saturating_add(AHEAD));
        let mut from = wanted;
        let mut run: Option<Run> = None;
        loop {
            let at = run.as_ref().map_or(from, |run| run.upto);
            let batch = match self.store.past(root, Revision(at)).await {
                Ok(batch) => batch,
                // Further back than the store remembers: as far back as it does, if that helps.
                Err(StoreError::Compacted { oldest }) if run.is_none() && oldest.0 <= after => {
                    from = oldest.0;
                    continue;
                }
                Err(error) => return Err(oldest(&error)),
            };
            let next = self.decode(at, batch).await;
            let is_stuck = next.upto <= at;
            let run = match &mut run {
                Some(run) if next.after == at => {
                    run.changes.extend(next.changes);
                    run.upto = next.upto;
                    run
                }
                run => run.insert(next),
            };
            if run.upto >= until || is_stuck {
                break;
            }
            // The newest are kept; the others would not fit.
            let bytes: usize = run.changes.iter().map(|change| change.weight()).sum();
            if bytes > 2 * super::recent::MAX_BYTES {
                let cut = run.changes.len() / 2;
                let last = run.changes.drain(..cut).next_back();
                let last = last.map_or(run.after, |change| change.revision);
                run.changes.retain(|change| change.revision > last);
                run.after = last;
            }
        }
        let Some(Run { changes, after, upto }) = run else { return Ok(()) };
        self.account(cache, || cache.recent_mut().extend_back(changes, after, upto));
        Ok(())
    }

    /// The changes of a batch; only those after the last value that cannot be decoded.
    async fn decode(&self, after: u64, batch: PastBatch) -> Run {
        let mut run = Run { changes: Vec::new(), after, upto: batch.upto.0 };
        for (number, past) in batch.events.into_iter().enumerate() {
            if number % YIELD_EVERY == YIELD_EVERY - 1 {
                tokio::task::yield_now().await;
            }
            let revision = past.event.revision.0;
            let Some((name, key)) = split(&past.event.key) else { continue };
            let (key, index): (Arc<str>, _) = (key.into(), index_of(name));
            let item = |revision: u64, value: &[u8]| {
                Item::cached(key.clone(), revision, value, &self.pool, index).map(Arc::new)
            };
            let after_event = match &past.event.act {
                EventKind::Deleted => None,
                EventKind::Put { value, .. } => match item(revision, value) {
                    Ok(item) => Some(item),
                    Err(_) => {
                        run.after = revision;
                        continue;
                    }
                },
            };
            // What could not be decoded counts as missing, as it does in the cache.
            let before = |record: &Record| item(record.modified.0, &record.value).ok();
            let before = past.before.as_ref().and_then(before);
            run.changes.extend(Change::new(revision, after_event, before));
        }
        let after = run.after;
        run.changes.retain(|change| change.revision > after);
        run
    }

    /// Whether the recent changes of all resources leave space for older ones.
    fn has_space(&self) -> bool {
        *self.recent_bytes() < MAX_RECENT_BYTES / 2
    }
}

/// The oldest revision, where an error says it.
fn oldest(error: &StoreError) -> Option<u64> {
    match error {
        StoreError::Compacted { oldest } => Some(oldest.0),
        _ => None,
    }
}

fn older(too_old: TooOld, oldest: Option<u64>) -> TooOld {
    oldest.map_or(too_old, |oldest| TooOld { oldest })
}
