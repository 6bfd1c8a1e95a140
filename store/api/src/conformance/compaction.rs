//! Checks of compaction and expiry.

use std::sync::Arc;
use std::time::Duration;

use super::steps::{delete, done, list_at, list_text, next_events, pause, put};
use crate::{Guard, Operation, Query, Revision, Store, StoreError, Write};

pub(super) async fn refused(store: Arc<dyn Store>) {
    for round in 1..=6 {
        put(&store, "/a", &round.to_string()).await;
    }
    store.compact(Revision(4)).await.expect("compact");
    let compacted = StoreError::Compacted { oldest: Revision(4) };
    for at in [0, 1, 3] {
        let query = Query { at: Some(Revision(at)), ..Query::default() };
        assert_eq!(store.list(query).await, Err(compacted.clone()), "list at {at}");
        let watch = store.watch("", Revision(at)).await.map(drop);
        assert_eq!(watch, Err(compacted.clone()), "watch after {at}");
    }
    for at in 4..=6 {
        assert_eq!(list_at(&store, "", Revision(at)).await, format!("/a={at}"));
    }
    let mut watch = store.watch("", Revision(4)).await.expect("watch");
    assert_eq!(next_events(&mut watch, 2).await, "5:/a=5 6:/a=6");
    assert_eq!(store.compact(Revision(2)).await, Ok(()), "again, and further back: no error");
    assert_eq!(store.compact(Revision(4)).await, Ok(()));
    assert_eq!(list_at(&store, "", Revision(4)).await, "/a=4");
    assert_eq!(store.latest().await, Ok(Revision(6)), "forgetting is no change");
    store.compact(Revision(6)).await.expect("compact");
    assert_eq!(list_at(&store, "", Revision(6)).await, "/a=6");
}

pub(super) async fn newest(store: Arc<dyn Store>) {
    for round in 0..40 {
        for key in ["/a", "/b", "/c"] {
            put(&store, key, &round.to_string()).await;
        }
        let latest = store.latest().await.expect("latest");
        store.compact(latest).await.expect("compact");
        assert_eq!(
            list_text(&store, Query::default()).await,
            format!("/a={round} /b={round} /c={round}")
        );
    }
    let first = put(&store, "/d", "1").await;
    for _ in 0..30 {
        store.compact(store.latest().await.expect("latest")).await.expect("compact");
        put(&store, "/a", "x").await;
    }
    let record = store.get("/d").await.expect("get").expect("record");
    assert_eq!((record.created, record.modified), (first, first));
    done(&store, vec![Write::put("/d", Guard::At(first), "2")]).await;
    assert_eq!(list_text(&store, Query::under("/d")).await, "/d=2");
}

pub(super) async fn deleted(store: Arc<dyn Store>) {
    put(&store, "/a", "1").await;
    put(&store, "/b", "1").await;
    let third = delete(&store, "/a").await;
    let fourth = put(&store, "/b", "2").await;
    store.compact(third).await.expect("compact");
    assert_eq!(list_at(&store, "", third).await, "/b=1");
    assert_eq!(list_at(&store, "", fourth).await, "/b=2");
    store.compact(fourth).await.expect("compact");
    assert_eq!(store.get("/a").await, Ok(None));
    let fifth = done(&store, vec![Write::put("/a", Guard::Absent, "3")]).await;
    assert_eq!(list_at(&store, "", fourth).await, "/b=2");
    assert_eq!(list_at(&store, "", fifth).await, "/a=3 /b=2");
    let mut watch = store.watch("", fourth).await.expect("watch");
    assert_eq!(next_events(&mut watch, 1).await, format!("{fifth}:/a=3"));
}

fn put_with_ttl(key: &str, value: &'static str, lives: Duration) -> Write {
    let act = Operation::Put { value: value.into(), lives: Some(lives) };
    Write { key: key.into(), guard: Guard::Anything, act }
}

pub(super) async fn expiry(store: Arc<dyn Store>) {
    let short = Duration::from_millis(200);
    let first =
        done(&store, vec![put_with_ttl("/a", "1", short), put_with_ttl("/b", "1", short * 2)])
            .await;
    let second = put(&store, "/c", "1").await;
    assert_eq!(store.get("/a").await.expect("get").map(|record| record.modified), Some(first));
    let mut watch = store.watch("", second).await.expect("watch");
    // A store may let keys live a little longer, so that either may go first, or both at once.
    let events = next_events(&mut watch, 2).await;
    let mut gone: Vec<_> = events.split(' ').filter_map(|event| event.split(':').nth(1)).collect();
    gone.sort_unstable();
    assert_eq!(gone, ["/a-", "/b-"]);
    assert_eq!(list_text(&store, Query::default()).await, "/c=1");
    assert_eq!(list_at(&store, "", second).await, "/a=1 /b=1 /c=1");
    done(&store, vec![Write::put("/a", Guard::Absent, "2")]).await;
}

pub(super) async fn renewed(store: Arc<dyn Store>) {
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(3600));
    done(
        &store,
        vec![
            put_with_ttl("/a", "1", short),
            put_with_ttl("/b", "1", short),
            put_with_ttl("/c", "1", short),
        ],
    )
    .await;
    let writes = vec![
        Write::put("/a", Guard::Anything, "2"),
        put_with_ttl("/b", "2", long),
        put_with_ttl("/d", "2", short),
    ];
    done(&store, writes).await;
    delete(&store, "/c").await;
    put(&store, "/c", "2").await;
    let mut watch = store.watch("", Revision(4)).await.expect("watch");
    assert_eq!(next_events(&mut watch, 1).await, "5:/d-");
    pause(short * 2).await;
    assert_eq!(list_text(&store, Query::default()).await, "/a=2 /b=2 /c=2");
    assert_eq!(store.latest().await, Ok(Revision(5)));
}

pub(super) async fn expiring(store: Arc<dyn Store>) {
    let empty = store.expiring().await.expect("expiring");
    assert_eq!((empty.revision, empty.keys.len()), (Revision(0), 0));
    let (hour, day) = (Duration::from_secs(3600), Duration::from_secs(86_400));
    let writes = ["/a", "/b", "/c"].map(|key| put_with_ttl(key, "1", hour));
    done(&store, writes.into()).await;
    put(&store, "/d", "1").await;
    done(&store, vec![put_with_ttl("/b", "2", day)]).await;
    put(&store, "/c", "2").await;
    let last = delete(&store, "/a").await;
    let found = store.expiring().await.expect("expiring");
    assert_eq!(found.revision, last);
    assert_eq!(found.keys.iter().map(|(key, _)| &**key).collect::<Vec<_>>(), ["/b"]);
    let left = found.keys[0].1;
    // A store may keep it a little longer than asked for.
    assert!(left > day - hour && left < day + hour, "{left:?}");
}
