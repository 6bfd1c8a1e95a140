//! Checks of past events: each with the record that it replaced.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::steps::{delete, done, event_text, put, text};
use crate::{EventKind, Guard, Revision, Store, StoreError, Write};

/// All past events of a prefix as `revision:key=value<before`.
async fn all(store: &Arc<dyn Store>, prefix: &str, after: u64) -> Vec<String> {
    let latest = store.latest().await.expect("latest");
    let (mut at, mut found) = (Revision(after), Vec::new());
    while at < latest {
        let batch = store.past(prefix, at).await.expect("past");
        assert!(batch.upto > at, "{} after {at}", batch.upto);
        at = batch.upto;
        for past in batch.events {
            let before = past.before.map(|record| {
                assert_eq!(record.key, past.event.key);
                format!("<{}@{}", text(&record.value), record.modified)
            });
            found.push(format!("{}{}", event_text(&past.event), before.unwrap_or_default()));
        }
    }
    found
}

pub(super) async fn replaced(store: Arc<dyn Store>) {
    put(&store, "/a", "1").await;
    put(&store, "/b", "1").await;
    put(&store, "/a", "2").await;
    delete(&store, "/a").await;
    put(&store, "/a", "3").await;
    let events = ["1:/a=1", "2:/b=1", "3:/a=2<1@1", "4:/a-<2@3", "5:/a=3"];
    for after in 0..5 {
        assert_eq!(all(&store, "", after as u64).await, events[after..]);
    }
    assert_eq!(all(&store, "/b", 0).await, ["2:/b=1"]);
    let none = store.past("/a", Revision(5)).await.expect("past");
    assert!(none.events.is_empty() && none.upto == Revision(5), "it does not wait: {none:?}");
    let future = store.past("/a", Revision(6)).await;
    assert_eq!(future, Err(StoreError::Future { latest: Revision(5) }));
}

pub(super) async fn batches(store: Arc<dyn Store>) {
    for round in 0..4 {
        let write = |number| {
            let key = format!("/k/{number:03}");
            match (round + number) % 5 {
                0 => Write::delete(&key, Guard::Anything),
                _ => Write::put(&key, Guard::Anything, vec![b'a' + round as u8; 2000]),
            }
        };
        done(&store, (0..700).map(write).collect()).await;
    }
    let (mut at, mut state) = (Revision(0), BTreeMap::new());
    while at < Revision(4) {
        let batch = store.past("/k/", at).await.expect("past");
        assert!(batch.upto > at);
        for past in batch.events {
            assert!(past.event.revision > at && past.event.revision <= batch.upto);
            let before = past.before.map(|record| record.value);
            assert_eq!(before, state.remove(&past.event.key), "of {}", past.event.key);
            if let EventKind::Put { value, .. } = past.event.act {
                state.insert(past.event.key, value);
            }
        }
        at = batch.upto;
    }
    let now = store.list(crate::Query::under("/k/")).await.expect("list").records;
    assert_eq!(now.len(), state.len());
}

pub(super) async fn forgotten(store: Arc<dyn Store>) {
    put(&store, "/a", "1").await;
    put(&store, "/a", "2").await;
    put(&store, "/a", "3").await;
    delete(&store, "/a").await;
    store.compact(Revision(2)).await.expect("compact");
    let refused = store.past("/a", Revision(1)).await;
    assert_eq!(refused, Err(StoreError::Compacted { oldest: Revision(2) }));
    assert_eq!(all(&store, "/a", 2).await, ["3:/a=3<2@2", "4:/a-<3@3"], "the oldest state is kept");
}
