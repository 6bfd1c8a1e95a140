//! Several stores as one: each part passes the conformance suite, and commits across them keep their promises.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::sync::Arc;
use std::time::Duration;

use ratchet_embedded::{Embedded, Options};
use ratchet_store::archive::{Backup, Reader};
use ratchet_store::{
    Commit, Guard, Line, Operation, Query, Revision, Split, Store, StoreError, Write, conformance,
};

fn memory() -> Arc<dyn Store> {
    Arc::new(Embedded::in_memory(Options { cache: 1 << 20, ..Options::default() }).unwrap())
}

/// Events and leases are in stores of their own.
fn split() -> Split {
    Split::from(memory())
        .with(["/events/".to_owned()], memory())
        .with(["/leases/".to_owned(), "/quotas/".to_owned()], memory())
}

fn put(key: &str) -> Write {
    Write::put(key, Guard::Anything, "1")
}

async fn done(store: &dyn Store, writes: Vec<Write>) -> u64 {
    match store.commit(writes).await.unwrap() {
        Commit::Done(revision) => revision.0,
        refused @ Commit::Refused { .. } => panic!("{refused:?}"),
    }
}

async fn keys(store: &dyn Store, prefix: &str) -> Vec<String> {
    let page = store.list(Query::under(prefix)).await.unwrap();
    page.records.iter().map(|record| record.key.to_string()).collect()
}

/// A store beside which there are others keeps the whole contract, whichever of them has the keys.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_pass_the_conformance_suite() {
    conformance::run_all(|| {
        let split = Split::from(memory()).with(["\u{1}elsewhere/".to_owned()], memory());
        std::future::ready(split.parts().remove(0))
    })
    .await;
    conformance::run_all(|| {
        let split = Split::from(memory()).with([String::new()], memory());
        std::future::ready(split.parts().remove(1))
    })
    .await;
}

#[tokio::test]
async fn one_store_is_itself() {
    let store = memory();
    assert!(Arc::ptr_eq(&store, &Split::from(store.clone()).into_store()));
}

#[tokio::test]
async fn each_store_counts_its_own_revisions() {
    let split = split();
    let lines = ["/pods/a", "/events/a", "/leases/a", "/eventsources/a"];
    assert_eq!(lines.map(|key| split.line_of(key)), [Line(0), Line(1), Line(2), Line(0)]);
    for _ in 0..3 {
        done(&split, vec![put("/events/a")]).await;
    }
    assert_eq!(done(&split, vec![put("/pods/a")]).await, 1);
    assert_eq!(done(&split, vec![put("/events/b")]).await, 4);
    assert_eq!(split.latest().await.unwrap(), Revision(1));
    assert_eq!(keys(&split, "/events/").await, ["/events/a", "/events/b"]);
    let across = split.list(Query::under("/")).await.unwrap_err();
    assert!(matches!(&across, StoreError::Broken(why) if why.contains("several stores")));
    assert!(split.watch("", Revision(0)).await.is_err());
    let parts = split.parts();
    assert_eq!(keys(&*parts[0], "").await, ["/pods/a"]);
    assert_eq!(keys(&*parts[1], "").await, ["/events/a", "/events/b"]);
    let mut watch = split.watch("/events/", Revision(3)).await.unwrap();
    assert_eq!(watch.next().await.unwrap().upto, Revision(4));
    parts[1].compact(Revision(4)).await.unwrap();
    assert!(split.past("/pods/", Revision(0)).await.is_ok(), "the others remember");
    assert!(matches!(
        split.past("/events/", Revision(1)).await,
        Err(StoreError::Compacted { oldest: Revision(4) })
    ));
}

/// What was stored before keys were split is not seen, and neither is what others have in the same store.
#[tokio::test]
async fn keys_of_others_are_not_seen() {
    let (main, other) = (memory(), memory());
    for number in 0..5 {
        done(&*main, vec![put(&format!("/events/{number}"))]).await;
        done(&*main, vec![put(&format!("/a{number}"))]).await;
        done(&*main, vec![put(&format!("/z{number}"))]).await;
    }
    let split = Split::from(main).with(["/events/".to_owned()], other);
    let parts = split.parts();
    let expected: Vec<String> =
        (0..5).map(|n| format!("/a{n}")).chain((0..5).map(|n| format!("/z{n}"))).collect();
    assert_eq!(keys(&*parts[0], "").await, expected);
    let (mut found, mut after, mut at) = (Vec::new(), None, None);
    loop {
        let query = Query { after: after.take(), limit: 3, at, ..Query::under("/") };
        let page = parts[0].list(query).await.unwrap();
        at = Some(page.revision);
        after = page.records.last().map(|record| record.key.to_string());
        found.extend(page.records.iter().map(|record| record.key.to_string()));
        if !page.has_more {
            break;
        }
    }
    assert_eq!(found, expected);
    assert_eq!(parts[0].get("/events/1").await.unwrap(), None);
    assert_eq!(split.get("/events/1").await.unwrap(), None);
    assert!(parts[0].commit(vec![put("/events/9")]).await.is_err());
    let past = parts[0].past("", Revision(0)).await.unwrap();
    assert!(past.events.iter().all(|past| !past.event.key.starts_with("/events/")));
}

#[tokio::test]
async fn a_commit_across_stores_happens_or_is_taken_back() {
    let split = split();
    let quota = done(&split, vec![put("/quotas/q")]).await;
    let guard = Guard::At(Revision(quota));
    let create = |guard| {
        vec![
            Write::put("/pods/a", Guard::Absent, "pod"),
            Write::put("/quotas/q", guard, "2"),
            Write::put("/leases/l", Guard::Absent, "l"),
        ]
    };
    assert_eq!(done(&split, create(guard)).await, 1);
    assert_eq!(split.get("/quotas/q").await.unwrap().unwrap().value, "2");
    assert!(split.get("/leases/l").await.unwrap().is_some());

    // The quota was changed since.
    let refused = split.commit(create(guard)).await.unwrap();
    assert!(matches!(&refused, Commit::Refused { key, .. } if &**key == "/quotas/q"));

    // The first write is refused: what was put for it is taken back.
    let now = split.get("/quotas/q").await.unwrap().unwrap().modified;
    let writes = vec![
        Write::put("/pods/a", Guard::Absent, "another"),
        Write::put("/quotas/q", Guard::At(now), "3"),
        Write::put("/leases/m", Guard::Absent, "m"),
    ];
    let refused = split.commit(writes).await.unwrap();
    assert!(matches!(&refused, Commit::Refused { key, .. } if &**key == "/pods/a"));
    assert_eq!(split.get("/quotas/q").await.unwrap().unwrap().value, "2");
    assert_eq!(split.get("/leases/m").await.unwrap(), None);
}

#[tokio::test]
async fn guards_elsewhere_count_and_deletions_come_last() {
    let split = split();
    done(&split, vec![put("/pods/a")]).await;
    let lease = Revision(done(&split, vec![put("/leases/a")]).await);
    let delete = |guard| {
        let act = Operation::Delete;
        vec![
            Write::delete("/pods/a", Guard::Anything),
            Write { key: "/leases/a".into(), guard, act },
            Write::keep("/events/e", Guard::Absent),
        ]
    };
    let refused = split.commit(delete(Guard::Absent)).await.unwrap();
    assert!(matches!(&refused, Commit::Refused { key, .. } if &**key == "/leases/a"));
    assert!(split.get("/pods/a").await.unwrap().is_some(), "nothing happened");
    assert!(split.get("/leases/a").await.unwrap().is_some());
    done(&split, delete(Guard::At(lease))).await;
    assert_eq!(split.get("/pods/a").await.unwrap(), None);
    assert_eq!(split.get("/leases/a").await.unwrap(), None);
}

/// Half a copy in any of the stores is noticed.
#[tokio::test]
async fn an_unfinished_copy_is_seen_in_every_store() {
    let other = memory();
    let split = Split::from(memory()).with(["/events/".to_owned()], other.clone());
    assert!(!split.is_unfinished().await.unwrap());
    done(&*other, vec![put(ratchet_store::copy::MARKER)]).await;
    assert!(split.is_unfinished().await.unwrap());
}

/// An archive of several stores is that of one: all keys in order, and no revision above its own.
#[tokio::test]
async fn a_backup_has_the_keys_of_all_stores() {
    let split = split();
    for number in 0..700 {
        done(&split, vec![put(&format!("/events/{number:04}"))]).await;
    }
    let act = Operation::Put { value: "1".into(), lives: Some(Duration::from_secs(600)) };
    let write = Write { key: "/leases/short".into(), guard: Guard::Absent, act };
    done(&split, vec![write]).await;
    for key in ["/a", "/eventsources/x", "/pods/a"] {
        done(&split, vec![put(key)]).await;
    }
    let mut backup = Backup::begin_all(split.parts()).await.unwrap();
    assert_eq!(backup.revision(), Revision(700));
    let mut archive = Vec::new();
    while let Some(piece) = backup.next_piece().await.unwrap() {
        archive.extend(piece);
    }
    let mut reader = Reader::open(&archive[..]).unwrap();
    let (mut keys, mut expiring) = (Vec::new(), Vec::new());
    while let Some(archived) = reader.next_record().unwrap() {
        if archived.expires.is_some() {
            expiring.push(archived.record.key.to_string());
        }
        keys.push(archived.record.key.to_string());
    }
    assert_eq!(keys.len(), 704);
    assert_eq!((keys[0].as_str(), keys[701].as_str()), ("/a", "/eventsources/x"));
    assert_eq!(expiring, ["/leases/short"]);
}
