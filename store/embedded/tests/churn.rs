//! The file does not grow without bound, and slow watches cost the writer nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::sync::Arc;

use ratchet_embedded::{Embedded, Options};
use ratchet_store::{Guard, Query, Revision, Store, StoreError, Write};

const KEYS: usize = 50;
const WRITES: u64 = 20_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_is_rewritten_stays_small() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(Embedded::open(dir.path(), Options::default()).unwrap());
    let writers = (0..KEYS).map(|key| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let key = format!("/k/{key:02}");
            for round in 0..WRITES / KEYS as u64 {
                let write = Write::put(&key, Guard::Anything, vec![round as u8; 1500]);
                store.commit(vec![write]).await.unwrap();
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let (mut largest, mut upto) = (0, 0);
    while upto < WRITES {
        let mut watch = store.watch("/k/", Revision(upto)).await.unwrap();
        while upto < WRITES && upto % 1000 < 900 {
            upto = watch.next().await.unwrap().upto.0;
        }
        upto = watch.next().await.map_or(upto, |batch| batch.upto.0);
        store.compact(Revision(upto)).await.unwrap();
        largest = largest.max(store.size().await.unwrap());
        if upto >= WRITES {
            break;
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
    // 75 kB of current data, the history of a thousand commits or two, and 30 MB written in all.
    assert!(largest < 8 << 20, "the file grew to {largest}");
    let page = store.list(Query::under("/k/")).await.unwrap();
    assert_eq!(page.records.len(), KEYS);
    assert_eq!(page.revision, Revision(WRITES));
    drop(store);
    let on_disk = std::fs::metadata(dir.path().join("state.redb")).unwrap().len();
    assert!(on_disk < 8 << 20, "{on_disk} bytes on disk");
}

#[tokio::test]
async fn a_slow_watch_reads_on_from_the_file_or_is_told_that_it_is_too_late() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { recent: 10_000, ..Options::default() };
    let store = Embedded::open(dir.path(), options).unwrap();
    let mut patient = store.watch("/k", Revision(0)).await.unwrap();
    let mut late = store.watch("/k", Revision(0)).await.unwrap();
    for _ in 0..300 {
        store.commit(vec![Write::put("/k", Guard::Anything, vec![1; 500])]).await.unwrap();
    }
    let mut next = 1;
    while next <= 300 {
        for event in patient.next().await.unwrap().events {
            assert_eq!(event.revision, Revision(next));
            next += 1;
        }
    }
    store.compact(Revision(200)).await.unwrap();
    assert_eq!(late.next().await, Err(StoreError::Compacted { oldest: Revision(200) }));
}
