//! Clock that jumps: only times to live follow it; order and durability do not.

use std::time::Duration;

use ratchet_store::{Commit, EventKind, Guard, Operation, Revision, Store, Write};

use super::put;
use crate::{Embedded, FaultInjector, Options};

const HOUR: i64 = 3_600_000;

async fn put_for_an_hour(store: &Embedded, key: &str) -> Revision {
    let lives = Some(Duration::from_millis(HOUR as u64));
    let act = Operation::Put { value: "x".into(), lives };
    let write = Write { key: key.into(), guard: Guard::Absent, act };
    let Commit::Done(revision) = store.commit(vec![write]).await.unwrap() else { panic!("{key}") };
    revision
}

#[tokio::test]
async fn a_clock_that_jumps_moves_times_to_live_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let injected = FaultInjector::default();
    let store =
        Embedded::open_with(directory.path(), Options::default(), injected.clone()).unwrap();
    let mut watch = store.watch("", Revision(0)).await.unwrap();
    put_for_an_hour(&store, "/a").await;
    // A day back: nothing ends early, and nothing is ordered by the clock.
    injected.set_clock_ahead(-24 * HOUR);
    let second = put(&store, "/b", b"1".to_vec()).await.unwrap();
    assert_eq!(second, Revision(2));
    assert!(store.get("/a").await.unwrap().is_some());
    put_for_an_hour(&store, "/c").await;
    // Two hours ahead of the truth: both hours are over, the one of the past as well.
    injected.set_clock_ahead(2 * HOUR);
    put(&store, "/d", b"1".to_vec()).await.unwrap();
    for key in ["/a", "/c"] {
        assert_eq!(store.get(key).await.unwrap(), None, "{key}");
    }
    injected.set_clock_ahead(-24 * HOUR);
    put(&store, "/e", b"1".to_vec()).await.unwrap();
    let latest = store.latest().await.unwrap();
    let (mut seen, mut upto) = (Vec::new(), Revision(0));
    while upto < latest {
        let batch = watch.next().await.unwrap();
        upto = batch.upto;
        seen.extend(batch.events);
    }
    assert!(seen.is_sorted_by_key(|event| event.revision), "{seen:?}");
    let gone = seen.iter().filter(|event| event.act == EventKind::Deleted).map(|event| &*event.key);
    let mut gone: Vec<&str> = gone.collect();
    gone.sort_unstable();
    assert_eq!(gone, ["/a", "/c"], "each once");
    for key in ["/b", "/d", "/e"] {
        assert!(store.get(key).await.unwrap().is_some(), "{key}");
    }
}
