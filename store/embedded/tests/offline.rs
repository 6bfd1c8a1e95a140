//! Files that no server uses: what an inspection finds, and what a compaction leaves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::path::Path;
use std::time::Duration;

use ratchet_embedded::{Embedded, OpenError, Options, compact, inspect};
use ratchet_store::{Guard, Operation, Query, Record, Revision, Store, Write};
use redb::{Database, TableDefinition};

const NEWEST: TableDefinition<'_, &str, ((u64, u32), u64, u64)> = TableDefinition::new("newest");
const HISTORY: TableDefinition<'_, (&str, u64), (u64, u32)> = TableDefinition::new("history");
const EXPIRY: TableDefinition<'_, (u64, &str), ()> = TableDefinition::new("expiry");
const LOG: TableDefinition<'_, (u64, u32), &[u8]> = TableDefinition::new("log");

fn open(path: &Path) -> Embedded {
    Embedded::open(path, Options { flush: false, ..Options::default() }).unwrap()
}

/// A store of a few keys with history, of which one expires.
async fn fill(path: &Path) {
    let store = open(path);
    for round in 0..5 {
        for key in ["/a", "/b", "/c"] {
            let value = format!("{key} {round}").repeat(400);
            store.commit(vec![Write::put(key, Guard::Anything, value)]).await.unwrap();
        }
    }
    let lives = Some(Duration::from_secs(3600));
    let act = Operation::Put { value: "e".into(), lives };
    store.commit(vec![Write { key: "/e".into(), guard: Guard::Absent, act }]).await.unwrap();
    store.commit(vec![Write::delete("/c", Guard::Anything)]).await.unwrap();
}

fn problems(path: &Path) -> Vec<String> {
    inspect(path, &mut |_| Ok(())).unwrap().problems.reported
}

/// Changes the tables behind the store's back.
fn tamper(path: &Path, change: impl FnOnce(&redb::WriteTransaction)) {
    let database = Database::open(path.join("state.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    change(&transaction);
    transaction.commit().unwrap();
}

#[tokio::test]
async fn a_sound_file_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path()).await;
    let mut keys = Vec::new();
    let found = inspect(dir.path(), &mut |record: &Record| {
        keys.push(record.key.to_string());
        Ok(())
    });
    let found = found.unwrap();
    assert_eq!(keys, ["/a", "/b", "/e"]);
    assert_eq!((found.latest, found.oldest), (Revision(17), Revision(0)));
    assert_eq!((found.records, found.history, found.expiring), (3, 4 + 4 + 5, 1));
    assert_eq!(found.problems.count, 0);
    assert_eq!(found.bytes, std::fs::metadata(dir.path().join("state.redb")).unwrap().len());
    let refused = inspect(dir.path(), &mut |record| match &*record.key {
        "/b" => Err("it is odd".to_owned()),
        _ => Ok(()),
    });
    assert_eq!(refused.unwrap().problems.reported, ["/b: it is odd"]);
}

#[tokio::test]
async fn every_contradiction_is_told() {
    type Change = fn(&redb::WriteTransaction);
    let rows: &[(&str, Change)] = &[
        ("/a: its value is unreadable", |rows| {
            rows.open_table(LOG).unwrap().remove((13, 0)).unwrap();
        }),
        ("/a: its value is that of another record", |rows| {
            rows.open_table(NEWEST).unwrap().insert("/a", ((14, 0), 1, 0)).unwrap();
        }),
        ("/a: it should expire and will not", |rows| {
            rows.open_table(NEWEST).unwrap().insert("/a", ((13, 0), 1, 7)).unwrap();
        }),
        ("/a: it would expire and should not", |rows| {
            rows.open_table(EXPIRY).unwrap().insert((u64::MAX, "/a"), ()).unwrap();
        }),
        ("/a: its value until revision 4 is unreadable", |rows| {
            rows.open_table(LOG).unwrap().remove((1, 0)).unwrap();
        }),
        ("/a: its value of revision 1 is of no use", |rows| {
            rows.open_table(HISTORY).unwrap().remove(("/a", 4)).unwrap();
        }),
        ("/z: a value until revision 99 is of 1", |rows| {
            rows.open_table(HISTORY).unwrap().insert(("/z", 99), (1, 0)).unwrap();
        }),
        ("write 7 of revision 3 is unreadable", |rows| {
            rows.open_table(LOG).unwrap().insert((3, 7), &b"rot"[..]).unwrap();
        }),
    ];
    for (wanted, change) in rows {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path()).await;
        tamper(dir.path(), change);
        let found = problems(dir.path());
        assert!(found.iter().any(|problem| problem == wanted), "{wanted}: {found:?}");
    }
}

#[tokio::test]
async fn a_compacted_file_is_smaller_and_has_the_same_records() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path()).await;
    let store = open(dir.path());
    for number in 0..600 {
        let value = vec![b'x'; 20_000];
        store.commit(vec![Write::put("/large", Guard::Anything, value)]).await.unwrap();
        if number == 599 {
            store.commit(vec![Write::delete("/large", Guard::Anything)]).await.unwrap();
        }
    }
    let before = store.list(Query::default()).await.unwrap();
    drop(store);
    let sizes = compact(dir.path()).unwrap();
    let length = std::fs::metadata(dir.path().join("state.redb")).unwrap().len();
    assert_eq!(sizes.after, length);
    assert!(sizes.after * 10 < sizes.before, "{sizes:?}");
    assert_eq!(problems(dir.path()), [] as [&str; 0]);
    let store = open(dir.path());
    assert_eq!(store.list(Query::default()).await.unwrap(), before);
    assert_eq!(store.expiring().await.unwrap().keys.len(), 1);
    assert!(matches!(compact(dir.path()), Err(OpenError::InUse { .. })));
    drop(store);
    let none = dir.path().join("none");
    assert!(matches!(compact(&none), Err(OpenError::Absent { .. })));
    assert!(matches!(inspect(&none, &mut |_| Ok(())), Err(OpenError::Absent { .. })));
    assert!(!none.exists(), "nothing was made");
}

#[tokio::test]
async fn a_damaged_record_keeps_a_file_from_being_compacted() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path()).await;
    tamper(dir.path(), |rows| {
        rows.open_table(LOG).unwrap().insert((13, 0), &b"rot"[..]).unwrap();
    });
    let before = std::fs::metadata(dir.path().join("state.redb")).unwrap().len();
    let error = compact(dir.path()).unwrap_err().to_string();
    assert!(error.contains("write 0 of revision 13 is unreadable"), "{error}");
    assert_eq!(std::fs::metadata(dir.path().join("state.redb")).unwrap().len(), before);
    assert!(!dir.path().join("state.redb.new").exists());
    assert_eq!(problems(dir.path()), ["/a: its value is unreadable"]);
}
