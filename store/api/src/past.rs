//! Past events with what they replaced, for stores whose watches do not tell it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{EventKind, PastBatch, PastEvent, Query, Record, Revision, Store, StoreError};

/// Replays a watch over the state at `after`.
pub(crate) async fn from_watch<S: Store + ?Sized>(
    store: &S,
    prefix: &str,
    after: Revision,
) -> Result<PastBatch, StoreError> {
    let mut watch = store.watch(prefix, after).await?;
    if store.latest().await? <= after {
        return Ok(PastBatch { events: Vec::new(), upto: after });
    }
    let batch = watch.next().await?;
    if batch.events.is_empty() {
        return Ok(PastBatch { events: Vec::new(), upto: batch.upto });
    }
    let state = store.list(Query { at: Some(after), ..Query::under(prefix) }).await?;
    let mut state: HashMap<Arc<str>, Record> =
        state.records.into_iter().map(|record| (record.key.clone(), record)).collect();
    let past = |event: crate::Event| {
        let before = match &event.act {
            EventKind::Deleted => state.remove(&event.key),
            EventKind::Put { value, created } => {
                let record = Record {
                    key: event.key.clone(),
                    value: value.clone(),
                    created: *created,
                    modified: event.revision,
                };
                state.insert(event.key.clone(), record)
            }
        };
        PastEvent { event, before }
    };
    Ok(PastBatch { events: batch.events.into_iter().map(past).collect(), upto: batch.upto })
}
