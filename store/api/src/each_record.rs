//! `each_record`: all records of one revision, read in pages, so that no more than a page of them is in memory.

use crate::pages::Pages;
use crate::{Record, Revision, Store, StoreError};

/// Calls `take` for every record with this prefix at the latest revision, in the order of their keys, and returns that
/// revision.
///
/// Fails with [`StoreError::Compacted`] if the revision is compacted meanwhile.
pub async fn each_record(
    store: &dyn Store,
    prefix: &str,
    mut take: impl FnMut(Record),
) -> Result<Revision, StoreError> {
    let revision = store.latest().await?;
    let mut pages = Pages::under(prefix, Some(revision));
    while let Some(records) = pages.next(store).await? {
        records.into_iter().for_each(&mut take);
    }
    Ok(revision)
}
