//! Slow disk: what waits for it is bounded, and what nobody waits for any more is not written.

use std::sync::Arc;
use std::time::Duration;

use ratchet_store::Store;

use super::{all, put};
use crate::{Embedded, FaultInjector, Options};

/// The size of a value.
const LARGE: usize = 1 << 20;

#[tokio::test]
async fn writes_that_wait_are_bounded_in_bytes_and_end_with_their_requests() {
    let directory = tempfile::tempdir().unwrap();
    let injected = FaultInjector::default();
    let store =
        Embedded::open_with(directory.path(), Options::default(), injected.clone()).unwrap();
    let store = Arc::new(store);
    injected.hold_flushes(true);
    let write = |key: String| {
        let store = store.clone();
        tokio::spawn(async move { put(&store, &key, vec![7; LARGE]).await })
    };
    // The writer takes this one, and waits for the disk.
    let first = write("/first".to_owned());
    while !injected.is_holding_a_flush() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let others: Vec<_> = (0..200).map(|number| write(format!("/left/{number:03}"))).collect();
    while store.shared.waiting_kb() < 60 << 10 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // Their requests have ended. What was handed over keeps its room until the writer looks at it.
    others.iter().for_each(tokio::task::JoinHandle::abort);
    for other in others {
        assert!(other.await.unwrap_err().is_cancelled());
    }
    assert!(store.shared.waiting_kb() <= 64 << 10);
    let last = write("/last".to_owned());
    assert_eq!(store.latest().await.unwrap().0, 0, "nothing is acknowledged before it is flushed");
    injected.hold_flushes(false);
    first.await.unwrap().unwrap();
    last.await.unwrap().unwrap();
    let keys: Vec<_> = all(&store).await.unwrap().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["/first", "/last"]);
    // Room is given back right after the answer.
    while store.shared.waiting_kb() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn what_is_larger_than_all_that_may_wait_is_written() {
    let store = Embedded::in_memory(Options::default()).unwrap();
    let writes = (0..3).map(|number| {
        let key = format!("/k/{number}");
        ratchet_store::Write::put(&key, ratchet_store::Guard::Absent, vec![1; 40 << 20])
    });
    store.commit(writes.collect()).await.unwrap();
    assert_eq!(all(&store).await.unwrap().len(), 3);
    while store.shared.waiting_kb() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
