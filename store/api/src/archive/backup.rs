//! `Backup`: the archive of a store, read piece by piece while the store is in use.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use super::encode::Encoder;
use super::{Header, unix_millis};
use crate::pages::Pages;
use crate::{Revision, Store, StoreError};

/// The backup of one revision of a store, which may go on being written; its history from this revision on must not
/// be compacted before the last piece.
pub struct Backup {
    store: Arc<dyn Store>,
    revision: Revision,
    expiries: HashMap<Arc<str>, u64>,
    pages: Pages,
    /// None after the last piece.
    encoder: Option<Encoder>,
    /// The bytes of the header, until they are sent with the first records.
    begun: Vec<u8>,
}

impl Backup {
    /// Begins a backup of the latest revision.
    pub async fn begin(store: Arc<dyn Store>) -> Result<Self, StoreError> {
        let expiring = store.expiring().await?;
        let (revision, taken) = (expiring.revision, unix_millis());
        let expires = |left: std::time::Duration| {
            taken.saturating_add(u64::try_from(left.as_millis()).unwrap_or(u64::MAX)).max(1)
        };
        let expiries = expiring.keys.into_iter().map(|(key, left)| (key, expires(left))).collect();
        let mut begun = Vec::new();
        let encoder = Some(Encoder::begin(Header { revision, taken }, &mut begun));
        let pages = Pages::new(Some(revision));
        Ok(Self { store, revision, expiries, pages, encoder, begun })
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
        let page = self.pages.next(&*self.store).await?;
        let mut out = std::mem::take(&mut self.begun);
        match (page, &mut self.encoder) {
            (Some(records), Some(encoder)) => {
                for record in &records {
                    encoder.record(record, self.expiries.get(&record.key).copied(), &mut out);
                }
            }
            (_, encoder) => {
                if let Some(encoder) = encoder.take() {
                    encoder.finish(&mut out);
                }
            }
        }
        Ok(Some(out.into()))
    }
}
