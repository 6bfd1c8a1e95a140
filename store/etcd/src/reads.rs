//! Lists of records: read in parts of bounded size, all at one revision.

use ratchet_store::{Page, Query, StoreError};

use crate::records::record;
use crate::shared::{Shared, from_etcd};

/// The records that are read at once.
const PART: usize = 2000;

/// The records of one revision.
pub(crate) async fn list(shared: &Shared, query: &Query) -> Result<Page, StoreError> {
    let Some(mut keys) = shared.keys.range(&query.prefix, query.after.as_deref()) else {
        return match query.at {
            Some(at) => {
                shared.check_revision(at).await?;
                Ok(Page { revision: at, ..Page::default() })
            }
            None => Ok(Page { revision: shared.latest().await?, ..Page::default() }),
        };
    };
    let mut page = Page::default();
    let mut at = query.at;
    loop {
        let left = match query.limit {
            0 => PART,
            limit => PART.min(limit.saturating_sub(page.records.len())),
        };
        let part = shared.range(&keys, left as u64, at).await?;
        page.revision = *at.get_or_insert(from_etcd(part.revision));
        let count = usize::try_from(part.count).unwrap_or(usize::MAX);
        page.has_more = count > part.kvs.len();
        let last = part.kvs.last().map(|kv| kv.key.to_vec());
        page.records.extend(part.kvs.into_iter().filter_map(|kv| record(&shared.keys, kv)));
        let is_full = query.limit > 0 && page.records.len() >= query.limit;
        match last {
            Some(mut last) if page.has_more && !is_full => {
                last.push(0);
                keys.start = last;
            }
            _ => return Ok(page),
        }
    }
}
