//! Backups while others write, and what is built from them; damaged archives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratchet_embedded::{Builder, Embedded, OpenError, Options, inspect};
use ratchet_store::archive::{ArchiveError, ArchivedRecord, Backup, Reader};
use ratchet_store::{Guard, Operation, Query, Record, Revision, Store, StoreError, Write};

fn open(path: &Path) -> Embedded {
    Embedded::open(path, Options { flush: false, ..Options::default() }).unwrap()
}

async fn put(store: &dyn Store, key: &str, value: impl Into<bytes::Bytes>) -> Revision {
    let done = store.commit(vec![Write::put(key, Guard::Anything, value)]).await.unwrap();
    let ratchet_store::Commit::Done(revision) = done else { panic!("{key}") };
    revision
}

async fn archive(store: Arc<dyn Store>) -> (Revision, Vec<u8>) {
    let mut backup = Backup::begin(store).await.unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = backup.next_piece().await.unwrap() {
        bytes.extend(piece);
    }
    (backup.revision(), bytes)
}

fn read(bytes: &[u8]) -> Result<Vec<ArchivedRecord>, ArchiveError> {
    let mut reader = Reader::open(bytes)?;
    let mut records = Vec::new();
    while let Some(record) = reader.next_record()? {
        records.push(record);
    }
    Ok(records)
}

fn build(path: &Path, bytes: &[u8]) -> Revision {
    let mut reader = Reader::open(bytes).unwrap();
    let mut builder = Builder::begin(path, false).unwrap();
    while let Some(record) = reader.next_record().unwrap() {
        builder.add(record).unwrap();
    }
    let revision = reader.header().revision;
    builder.finish(revision).unwrap();
    revision
}

async fn all(store: &dyn Store, at: Option<Revision>) -> Vec<Record> {
    store.list(Query { at, ..Query::default() }).await.unwrap().records
}

fn temporary(key: &str, lives: u64) -> Write {
    let act = Operation::Put { value: "1".into(), lives: Some(Duration::from_secs(lives)) };
    Write { key: key.into(), guard: Guard::Anything, act }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_is_one_revision_whatever_is_written_meanwhile() {
    let (data, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store: Arc<dyn Store> = Arc::new(open(data.path()));
    for number in 0..1000 {
        put(&*store, &format!("/a/{number:04}"), vec![b'x'; number * 13 % 900]).await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writer = tokio::spawn({
        let (store, stop) = (Arc::clone(&store), Arc::clone(&stop));
        async move {
            while !stop.load(Ordering::Relaxed) {
                let number = fastrand::usize(0..2000);
                let key = format!("/a/{number:04}");
                match fastrand::bool() {
                    true => drop(put(&*store, &key, "y").await),
                    false => {
                        let writes =
                            vec![Write::delete(&key, Guard::Anything), temporary("/t", 90)];
                        store.commit(writes).await.unwrap();
                    }
                }
            }
        }
    });
    let (revision, bytes) = archive(Arc::clone(&store)).await;
    while store.latest().await.unwrap() < Revision(revision.0 + 20) {
        tokio::task::yield_now().await;
    }
    stop.store(true, Ordering::Relaxed);
    writer.await.unwrap();
    let expected = all(&*store, Some(revision)).await;
    assert_ne!(expected, all(&*store, None).await, "somebody has written since");
    let found: Vec<Record> = read(&bytes).unwrap().into_iter().map(|one| one.record).collect();
    assert_eq!(found, expected);
    assert_eq!(build(copy.path(), &bytes), revision);
    let restored = open(copy.path());
    assert_eq!(all(&restored, None).await, expected, "with the same revisions");
    assert_eq!(restored.latest().await, Ok(revision));
}

#[tokio::test]
async fn a_built_store_goes_on_and_forgets_what_was_before_it() {
    let (data, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store: Arc<dyn Store> = Arc::new(open(data.path()));
    put(&*store, "/a", "1").await;
    let writes = ["/a", "/b", "/c"].map(|key| Write::put(key, Guard::Anything, "2"));
    store.commit(writes.into()).await.unwrap();
    store.commit(vec![temporary("/short", 1), temporary("/long", 3600)]).await.unwrap();
    let (_, bytes) = archive(store).await;
    build(copy.path(), &bytes);
    let found = inspect(copy.path(), &mut |_| Ok(())).unwrap();
    assert_eq!((found.problems.count, found.records, found.expiring), (0, 5, 2));
    std::thread::sleep(Duration::from_millis(1100));
    let restored = open(copy.path());
    let past =
        store_error(restored.list(Query { at: Some(Revision(2)), ..Query::default() }).await);
    assert_eq!(past, StoreError::Compacted { oldest: Revision(3) });
    let mut watch = restored.watch("", Revision(3)).await.unwrap();
    let events = watch.next().await.unwrap().events;
    assert_eq!((&*events[0].key, events[0].revision), ("/short", Revision(4)), "it has expired");
    assert_eq!(put(&restored, "/a", "3").await, Revision(5));
    let record = restored.get("/a").await.unwrap().unwrap();
    assert_eq!((record.created, record.modified), (Revision(1), Revision(5)));
    let expiring = restored.expiring().await.unwrap();
    assert_eq!((expiring.revision, expiring.keys.len()), (Revision(5), 1));
    let left = expiring.keys[0].1.as_secs();
    assert!((3500..3600).contains(&left), "{left} seconds are left");
    restored.compact(Revision(5)).await.unwrap();
    drop(restored);
    assert_eq!(inspect(copy.path(), &mut |_| Ok(())).unwrap().problems.count, 0);
}

fn store_error<T: std::fmt::Debug>(result: Result<T, StoreError>) -> StoreError {
    result.unwrap_err()
}

#[tokio::test]
async fn an_empty_store_has_an_archive() {
    let store = Embedded::in_memory(Options::default()).unwrap();
    let (revision, bytes) = archive(Arc::new(store)).await;
    assert_eq!((revision, bytes.len()), (Revision(0), 8 + 4 + 16 + 1 + 8 + 32));
    assert_eq!(read(&bytes).unwrap(), []);
    let copy = tempfile::tempdir().unwrap();
    build(copy.path(), &bytes);
    assert_eq!(put(&open(copy.path()), "/a", "1").await, Revision(1));
}

#[tokio::test]
async fn every_changed_byte_and_every_cut_is_noticed() {
    let store: Arc<dyn Store> = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    put(&*store, "/a", "value").await;
    store.commit(vec![temporary("/t", 90)]).await.unwrap();
    let (_, bytes) = archive(store).await;
    assert_eq!(read(&bytes).unwrap().len(), 2);
    for at in 0..bytes.len() {
        for bit in [0, 7] {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let text = read(&changed).expect_err("it is damaged").to_string();
            assert!(!text.contains('\n'), "{text}");
        }
        let text = read(&bytes[..at]).expect_err("it is cut").to_string();
        match at {
            0..8 => assert!(text.starts_with("is no archive of a store"), "{at}: {text}"),
            _ => assert!(
                text.starts_with(&format!("is cut short: it ends after {at} bytes")),
                "{text}"
            ),
        }
    }
    let longer = [&bytes[..], b"x"].concat();
    let text = read(&longer).unwrap_err().to_string();
    assert!(text.contains("there is something behind its end"), "{text}");
    let mut newer = bytes;
    newer[8] = 2;
    let text = read(&newer).unwrap_err().to_string();
    assert_eq!(
        text,
        "has archive version 2, and this program reads up to 1: use the newer one that wrote it"
    );
}

#[tokio::test]
async fn what_is_not_finished_is_not_there() {
    let store: Arc<dyn Store> = Arc::new(Embedded::in_memory(Options::default()).unwrap());
    put(&*store, "/new", "2").await;
    let (_, bytes) = archive(store).await;
    let record = || read(&bytes).unwrap().remove(0);
    let dir = tempfile::tempdir().unwrap();
    let mut builder = Builder::begin(dir.path(), false).unwrap();
    builder.add(record()).unwrap();
    assert!(matches!(Builder::begin(dir.path(), false), Err(OpenError::InUse { .. })));
    drop(builder);
    let mut files: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["state.lock"]);
    put(&open(dir.path()), "/old", "1").await;
    assert!(matches!(Builder::begin(dir.path(), false), Err(OpenError::Exists { .. })));
    let mut builder = Builder::begin(dir.path(), true).unwrap();
    builder.add(record()).unwrap();
    drop(builder);
    assert_eq!(&*all(&open(dir.path()), None).await[0].key, "/old", "it is as it was");
    let mut builder = Builder::begin(dir.path(), true).unwrap();
    builder.add(record()).unwrap();
    builder.finish(Revision(1000)).unwrap();
    let store = open(dir.path());
    assert_eq!(
        (&*all(&store, None).await[0].key, store.latest().await),
        ("/new", Ok(Revision(1000)))
    );
}
