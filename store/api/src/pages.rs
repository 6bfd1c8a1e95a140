//! Pages of all records of one revision, in the order of their keys.

use crate::{Query, Record, Revision, Store, StoreError};

/// The key that a target has as long as a copy into it is not finished. It has the root of all keys, for a store may
/// refuse others, and one part more, which makes it nobody's.
pub const MARKER: &str = "/registry/ratchet-copy";

/// The number of records of the first page.
const FIRST: usize = 256;
/// The most records of a page. A store may count what follows a page, so that many small ones cost more; but the next
/// resource may have objects of a megabyte.
const MOST: usize = 1000;
/// The size of a page that the number of records is adjusted to.
const PAGE_BYTES: usize = 4 << 20;

/// The position of a reader of all records.
#[derive(Debug)]
pub(crate) struct Pages {
    prefix: String,
    at: Option<Revision>,
    after: Option<String>,
    limit: usize,
    is_done: bool,
}

impl Pages {
    /// The first page; `None` reads the latest revision, which must not change meanwhile.
    pub(crate) fn new(at: Option<Revision>) -> Self {
        Self::under("", at)
    }

    /// The same of the records with a prefix alone.
    pub(crate) fn under(prefix: &str, at: Option<Revision>) -> Self {
        Self { prefix: prefix.to_owned(), at, after: None, limit: FIRST, is_done: false }
    }

    /// The next page, without the marker of a copy; `None` after the last. A page may be empty.
    pub(crate) async fn next(
        &mut self,
        store: &dyn Store,
    ) -> Result<Option<Vec<Record>>, StoreError> {
        if self.is_done {
            return Ok(None);
        }
        let query = Query {
            prefix: self.prefix.clone(),
            after: self.after.take(),
            limit: self.limit,
            at: self.at,
        };
        let page = store.list(query).await?;
        self.is_done = !page.has_more;
        self.after = page.records.last().map(|record| record.key.to_string());
        let bytes: usize = page.records.iter().map(|record| record.value.len()).sum();
        let mean = bytes / page.records.len().max(1) + 1;
        self.limit = (PAGE_BYTES / mean).clamp(1, MOST.min(self.limit * 2));
        let mut records = page.records;
        records.retain(|record| &*record.key != MARKER);
        Ok(Some(records))
    }
}
