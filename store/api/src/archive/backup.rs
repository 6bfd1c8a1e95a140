//! `Backup`: the archive of a store, or of several that share the keys, read piece by piece while they are in use.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;

use super::encode::Encoder;
use super::{Header, unix_millis};
use crate::pages::Pages;
use crate::{Record, Revision, Store, StoreError};

/// The backup of one revision of a store, which may go on being written; its history from this revision on must not
/// be compacted before the last piece.
pub struct Backup {
    revision: Revision,
    expiries: HashMap<Arc<str>, u64>,
    sources: Vec<Source>,
    /// None after the last piece.
    encoder: Option<Encoder>,
    /// The bytes of the header, until they are sent with the first records.
    begun: Vec<u8>,
}

/// A store that is read, each at a revision of its own.
struct Source {
    store: Arc<dyn Store>,
    pages: Pages,
    /// Records that are read and not yet written.
    records: VecDeque<Record>,
    is_done: bool,
}

impl Backup {
    /// Begins a backup of the latest revision.
    pub async fn begin(store: Arc<dyn Store>) -> Result<Self, StoreError> {
        Self::begin_all(vec![store]).await
    }

    /// Begins a backup of several stores, which have no key in common: each at its latest revision. That of the archive is
    /// the highest of them.
    pub async fn begin_all(stores: Vec<Arc<dyn Store>>) -> Result<Self, StoreError> {
        let (mut revision, mut expiries, mut sources) =
            (Revision(0), HashMap::new(), Vec::with_capacity(stores.len()));
        let taken = unix_millis();
        for store in stores {
            let expiring = store.expiring().await?;
            let read = unix_millis();
            let expires = |left: std::time::Duration| {
                read.saturating_add(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)).max(1)
            };
            expiries.extend(expiring.keys.into_iter().map(|(key, left)| (key, expires(left))));
            revision = revision.max(expiring.revision);
            let pages = Pages::new(Some(expiring.revision));
            sources.push(Source { store, pages, records: VecDeque::new(), is_done: false });
        }
        let mut begun = Vec::new();
        let encoder = Some(Encoder::begin(Header { revision, taken }, &mut begun));
        Ok(Self { revision, expiries, sources, encoder, begun })
    }

    /// The revision of the backup.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The next bytes of the archive, some megabytes; `None` after the last.
    pub async fn next_piece(&mut self) -> Result<Option<Bytes>, StoreError> {
        if self.encoder.is_none() {
            return Ok(None);
        }
        for source in &mut self.sources {
            source.read().await?;
        }
        let mut out = std::mem::take(&mut self.begun);
        let is_done = self.sources.iter().all(|source| source.is_done && source.records.is_empty());
        while let Some(record) = next_record(&mut self.sources) {
            if let Some(encoder) = &mut self.encoder {
                encoder.record(&record, self.expiries.get(&record.key).copied(), &mut out);
            }
        }
        if is_done && let Some(encoder) = self.encoder.take() {
            encoder.finish(&mut out);
        }
        Ok(Some(out.into()))
    }
}

impl Source {
    /// Reads a page, if nothing is left of the last one.
    async fn read(&mut self) -> Result<(), StoreError> {
        while self.records.is_empty() && !self.is_done {
            match self.pages.next(&*self.store).await? {
                Some(records) => self.records = records.into(),
                None => self.is_done = true,
            }
        }
        Ok(())
    }
}

/// The first record of all in the order of their keys; none as long as a store may have one before it.
fn next_record(sources: &mut [Source]) -> Option<Record> {
    if sources.iter().any(|source| source.records.is_empty() && !source.is_done) {
        return None;
    }
    let heads = sources.iter_mut().filter(|source| !source.records.is_empty());
    let first = heads.min_by(|one, other| {
        let key = |source: &Source| source.records.front().map(|record| record.key.clone());
        key(one).cmp(&key(other))
    });
    first?.records.pop_front()
}
