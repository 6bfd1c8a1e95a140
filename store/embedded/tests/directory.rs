//! Usable and unusable directories, and the error messages.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ratchet_embedded::{Embedded, OpenError, Options};
use ratchet_store::{
    Commit, EventKind, Guard, Operation, Query, Revision, Store, StoreError, Write,
};

fn open(path: &Path) -> Result<Embedded, OpenError> {
    Embedded::open(path, Options::default())
}

fn open_error(path: &Path) -> String {
    let text = open(path).expect_err("this cannot be opened").to_string();
    assert!(!text.contains('\n'), "{text}");
    assert!(text.contains(path.to_str().unwrap()), "{text}");
    text
}

async fn put(store: &Embedded, key: &str, value: &'static str) {
    let result = store.commit(vec![Write::put(key, Guard::Anything, value)]).await.unwrap();
    assert!(matches!(result, Commit::Done(_)));
}

#[tokio::test]
async fn an_absent_directory_is_made_with_its_parents() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/c");
    put(&open(&path).unwrap(), "/a", "1").await;
    assert_eq!(open(&path).unwrap().get("/a").await.unwrap().unwrap().value, "1");
}

#[cfg(unix)]
#[test]
fn others_cannot_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data");
    let _store = open(&path).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    assert_eq!(mode(&path.join("state.redb")), 0o600);
}

#[test]
fn a_file_is_no_directory() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data");
    fs::write(&path, "").unwrap();
    assert!(open_error(&path).ends_with("as data directory: it is a file"));
    open_error(&path.join("below"));
}

#[cfg(unix)]
#[test]
fn a_directory_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o500)).unwrap();
    if fs::write(dir.path().join("probe"), "").is_ok() {
        return; // the superuser may do anything
    }
    assert!(open_error(dir.path()).contains("ermission denied"));
    open_error(&dir.path().join("below"));
}

#[test]
fn two_stores_cannot_share_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let text = open_error(dir.path());
    assert!(text.contains("state.redb is in use by another process"), "{text}");
    drop(store);
    open(dir.path()).unwrap();
}

#[tokio::test]
async fn what_is_no_store_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("state.redb");
    for content in [&b""[..], b"hello", &[0; 100_000]] {
        fs::write(&file, content).unwrap();
        let text = open_error(dir.path());
        assert!(text.contains("is damaged") && text.contains("backup"), "{text}");
    }
    fs::write(&file, [7; 5000]).unwrap();
    open_error(dir.path());
    assert_eq!(fs::read(&file).unwrap(), [7; 5000]);
    fs::remove_file(&file).unwrap();
    assert_eq!(open(dir.path()).unwrap().latest().await, Ok(Revision(0)));
}

#[tokio::test]
async fn a_draft_that_was_left_behind_is_written_over() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("state.redb.new"), [7; 5000]).unwrap();
    put(&open(dir.path()).unwrap(), "/a", "1").await;
    assert_eq!(open(dir.path()).unwrap().latest().await, Ok(Revision(1)));
}

#[tokio::test]
async fn time_runs_while_the_store_is_shut() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let brief = |key: &str, lives| Write {
        key: key.into(),
        guard: Guard::Absent,
        act: Operation::Put { value: "1".into(), lives: Some(lives) },
    };
    let short = Duration::from_millis(50);
    let writes = vec![brief("/short", short), brief("/long", Duration::from_secs(3600))];
    store.commit(writes).await.unwrap();
    drop(store);
    std::thread::sleep(short * 2);
    let store = open(dir.path()).unwrap();
    let mut watch = store.watch("", Revision(1)).await.unwrap();
    let events = watch.next().await.unwrap().events;
    assert_eq!((&*events[0].key, &events[0].act), ("/short", &EventKind::Deleted));
    assert_eq!(store.list(Query::default()).await.unwrap().records.len(), 1);
}

#[tokio::test]
async fn history_and_its_end_survive_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    for value in ["1", "2", "3", "4"] {
        put(&store, "/a", value).await;
    }
    store.compact(Revision(2)).await.unwrap();
    drop(store);
    let store = open(dir.path()).unwrap();
    let at = |at| Query { at: Some(Revision(at)), ..Query::default() };
    let gone = StoreError::Compacted { oldest: Revision(2) };
    assert_eq!(store.list(at(1)).await, Err(gone));
    assert_eq!(store.list(at(2)).await.unwrap().records[0].value, "2");
    let mut watch = store.watch("", Revision(2)).await.unwrap();
    let batch = watch.next().await.unwrap();
    assert_eq!((batch.events.len(), batch.upto), (2, Revision(4)));
}

#[tokio::test]
async fn a_closed_store_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(open(dir.path()).unwrap());
    let mut watch = store.watch("", Revision(0)).await.unwrap();
    drop(store);
    assert_eq!(watch.next().await, Err(StoreError::Closed));
    open(dir.path()).expect("a watch that is left over does not hold the file");
}

#[tokio::test]
async fn too_long_keys_and_values_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let write = Write::put(&"k".repeat(40_000), Guard::Anything, "1");
    let long_key = store.commit(vec![write]).await;
    assert!(matches!(&long_key, Err(StoreError::Broken(why)) if why.contains("too long")));
    let write = Write::put("/a", Guard::Anything, vec![0; (64 << 20) + 1]);
    let long_value = store.commit(vec![write]).await;
    assert!(matches!(&long_value, Err(StoreError::Broken(why)) if why.contains("under /a")));
    assert_eq!(store.latest().await, Ok(Revision(0)));
}
