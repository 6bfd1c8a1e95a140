//! `ContentHash`: one number for all keys and values of a store.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::pages::Pages;
use crate::{Revision, Store, StoreError};

/// The SHA-256 of keys and values in order, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentHash {
    /// The hash.
    pub sha256: [u8; 32],
    /// The number of records in it.
    pub records: u64,
}

impl fmt::Display for ContentHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sha256:")?;
        self.sha256.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
        write!(out, " of {} records", self.records)
    }
}

/// The hash of a revision of a store, the latest without one. Revisions of records do not count, for no copy has the
/// same, and neither do the records that may expire while they are hashed.
pub async fn content_hash(
    store: &dyn Store,
    at: Option<Revision>,
    without: &HashMap<Arc<str>, Duration>,
) -> Result<ContentHash, StoreError> {
    let (mut hash, mut count) = (Sha256::new(), 0);
    let mut pages = Pages::new(at);
    while let Some(records) = pages.next(store).await? {
        for record in records.iter().filter(|record| !without.contains_key(&record.key)) {
            for bytes in [record.key.as_bytes(), &record.value] {
                hash.update((bytes.len() as u64).to_le_bytes());
                hash.update(bytes);
            }
            count += 1;
        }
    }
    Ok(ContentHash { sha256: hash.finalize().into(), records: count })
}
