//! Copies between stores: complete, interrupted and run again, refused.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ratchet_embedded::{Embedded, Options};
use ratchet_store::copy::{CopyError, MARKER, Progress, copy, is_unfinished};
use ratchet_store::{
    Answer, Commit, Expiring, Guard, Health, Operation, Page, Query, Record, Revision, Store,
    StoreError, Watch, Write, each_record,
};

fn memory() -> Embedded {
    Embedded::in_memory(Options { cache: 1 << 20, ..Options::default() }).unwrap()
}

async fn commit(store: &dyn Store, writes: Vec<Write>) {
    assert!(matches!(store.commit(writes).await.unwrap(), Commit::Done(_)));
}

async fn put(store: &dyn Store, key: &str, value: impl Into<bytes::Bytes>) {
    commit(store, vec![Write::put(key, Guard::Anything, value)]).await;
}

async fn filled(records: usize) -> Embedded {
    let store = memory();
    for chunk in (0..records).collect::<Vec<_>>().chunks(100) {
        let write = |number: &usize| {
            let value = vec![b'v'; number * 31 % 5000];
            Write::put(&format!("/registry/pods/{number:05}"), Guard::Anything, value)
        };
        commit(&store, chunk.iter().map(write).collect()).await;
    }
    store
}

async fn content(store: &dyn Store) -> Vec<(String, bytes::Bytes)> {
    let records = store.list(Query::default()).await.unwrap().records;
    records.into_iter().map(|record| (record.key.to_string(), record.value)).collect()
}

#[tokio::test]
async fn records_are_read_page_by_page_as_of_one_revision() {
    let store = filled(1500).await;
    put(&store, "/registry/services/a", "beside").await;
    let mut read = Vec::new();
    let take = |record: Record| read.push((record.key.to_string(), record.value));
    let revision = each_record(&store, "/registry/pods/", take).await.unwrap();
    assert_eq!(revision, store.latest().await.unwrap());
    let mut expected = content(&store).await;
    expected.retain(|(key, _)| key.starts_with("/registry/pods/"));
    assert_eq!((read.len(), read), (1500, expected));
}

/// A store whose commits are changed on their way, or refused.
struct Tampered<F> {
    store: Embedded,
    tamper: F,
}

impl<F> Store for Tampered<F>
where
    F: Fn(Vec<Write>) -> Result<Vec<Write>, StoreError> + Send + Sync + 'static,
{
    fn latest(&self) -> Answer<'_, Revision> {
        self.store.latest()
    }

    fn get(&self, key: &str) -> Answer<'_, Option<Record>> {
        self.store.get(key)
    }

    fn list(&self, query: Query) -> Answer<'_, Page> {
        self.store.list(query)
    }

    fn commit(&self, writes: Vec<Write>) -> Answer<'_, Commit> {
        match (self.tamper)(writes) {
            Ok(writes) => self.store.commit(writes),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn watch(&self, prefix: &str, after: Revision) -> Answer<'_, Box<dyn Watch>> {
        self.store.watch(prefix, after)
    }

    fn expiring(&self) -> Answer<'_, Expiring> {
        self.store.expiring()
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        self.store.compact(before)
    }

    fn size(&self) -> Answer<'_, u64> {
        self.store.size()
    }

    fn health(&self) -> Health {
        self.store.health()
    }
}

#[tokio::test]
async fn everything_arrives() {
    let (from, dir) = (filled(3000).await, tempfile::tempdir().unwrap());
    put(&from, "/other", vec![0; 900 << 10]).await;
    put(&from, "/other/large", vec![7; 5 << 20]).await;
    let to = Embedded::open(dir.path(), Options { flush: false, ..Options::default() }).unwrap();
    let mut reports = Vec::new();
    let copied = copy(&from, &to, &mut |progress| reports.push(progress)).await.unwrap();
    assert_eq!(content(&to).await, content(&from).await);
    assert_eq!((copied.revision, copied.hash.records), (Revision(32), 3002));
    assert_eq!((copied.progress.records, copied.progress.written), (3002, 3002));
    assert_eq!(reports.last(), Some(&copied.progress));
    assert!(reports.is_sorted_by_key(|progress| progress.records));
    assert!(!is_unfinished(&to).await.unwrap());
}

#[tokio::test]
async fn an_interrupted_copy_goes_on() {
    let from = filled(1500).await;
    let commits = Arc::new(AtomicUsize::new(0));
    let left = commits.clone();
    let tamper = move |writes| {
        let one_less = |left: usize| left.checked_sub(1);
        let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        taken.map(|_| writes).map_err(|_| StoreError::Broken("unplugged".to_owned()))
    };
    let to = Tampered { store: memory(), tamper };
    let mut silent = |_: Progress| {};
    let unplugged = Err(CopyError::Target(StoreError::Broken("unplugged".to_owned())));
    assert_eq!(copy(&from, &to, &mut silent).await, unplugged);
    assert!(!is_unfinished(&to).await.unwrap(), "nothing was begun");
    commits.store(6, Ordering::Relaxed);
    assert_eq!(copy(&from, &to, &mut silent).await, unplugged);
    assert!(is_unfinished(&to).await.unwrap());
    let there = content(&to).await.len() as u64 - 1;
    assert!((1..1500).contains(&there), "{there} are there");
    assert_eq!(copy(&to, &memory(), &mut silent).await, Err(CopyError::SourceUnfinished));
    // The source goes on meanwhile.
    put(&from, "/registry/pods/00000", "changed").await;
    put(&from, "/registry/a", "new").await;
    commit(&from, vec![Write::delete("/registry/pods/00001", Guard::Anything)]).await;
    commits.store(usize::MAX, Ordering::Relaxed);
    let copied = copy(&from, &to, &mut silent).await.unwrap();
    assert_eq!(copied.progress.records, 1500);
    assert_eq!(copied.progress.written, 1500 - there + 3, "what was there stays");
    assert_eq!(content(&to).await, content(&from).await);
}

#[tokio::test]
async fn a_store_with_something_else_is_left_alone() {
    let (from, to) = (filled(3).await, filled(2).await);
    let error = copy(&from, &to, &mut |_| {}).await.unwrap_err();
    let example = "/registry/pods/00000".to_owned();
    assert_eq!(error, CopyError::NotEmpty { records: 2, example });
    assert_eq!(content(&to).await.len(), 2);
}

#[tokio::test]
async fn what_expires_expires_there_too() {
    let (from, to) = (memory(), memory());
    let act =
        |seconds| Operation::Put { value: "e".into(), lives: Some(Duration::from_secs(seconds)) };
    let write =
        |key: &str, seconds| Write { key: key.into(), guard: Guard::Anything, act: act(seconds) };
    commit(&from, vec![write("/events/1", 1), write("/events/2", 1000)]).await;
    put(&from, "/pods/1", "p").await;
    let copied = copy(&from, &to, &mut |_| {}).await.unwrap();
    assert_eq!(copied.hash.records, 1, "what may go meanwhile is not compared");
    let expiring = to.expiring().await.unwrap().keys;
    assert!(expiring.iter().any(|(key, left)| &**key == "/events/2" && left.as_secs() > 900));
    let mut watch = to.watch("/events/1", Revision(1)).await.unwrap();
    let gone = async {
        loop {
            let events = watch.next().await.unwrap().events;
            if events.iter().any(|event| event.act == ratchet_store::EventKind::Deleted) {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone).await.expect("it expires");
    assert_eq!(to.get(MARKER).await.unwrap(), None);
}

/// A target that loses a write, and says it has it.
#[tokio::test]
async fn a_difference_is_found() {
    let tamper = |mut writes: Vec<Write>| {
        writes.retain(|write| !write.key.ends_with('7'));
        Ok(writes)
    };
    let (from, to) = (filled(20).await, Tampered { store: memory(), tamper });
    let error = copy(&from, &to, &mut |_| {}).await.unwrap_err();
    let CopyError::Different { expected, copied } = error else { panic!("{error}") };
    assert_eq!((expected.records, copied.records), (20, 18));
    assert!(is_unfinished(&to).await.unwrap(), "it must not be served");
}
