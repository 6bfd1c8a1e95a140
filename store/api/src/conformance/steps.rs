//! Steps of the checks: short ways to write and read, timeouts, and concurrency.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Commit, Event, EventKind, Guard, Query, Revision, Store, Watch, Write};

const TIMEOUT: Duration = Duration::from_secs(60);

/// Puts a value without a guard.
pub(super) async fn put(store: &Arc<dyn Store>, key: &str, value: &str) -> Revision {
    done(store, vec![Write::put(key, Guard::Anything, value.to_owned())]).await
}

/// Deletes a key without a guard.
pub(super) async fn delete(store: &Arc<dyn Store>, key: &str) -> Revision {
    done(store, vec![Write::delete(key, Guard::Anything)]).await
}

/// Commits writes that must succeed.
pub(super) async fn done(store: &Arc<dyn Store>, writes: Vec<Write>) -> Revision {
    match store.commit(writes).await.expect("commit") {
        Commit::Done(revision) => revision,
        Commit::Refused { key, found } => panic!("{key} refused, found {found:?}"),
    }
}

/// Commits writes that must be refused; returns the refused key, and the value and revision found.
pub(super) async fn refused(
    store: &Arc<dyn Store>,
    writes: Vec<Write>,
) -> (String, Option<(String, Revision)>) {
    match store.commit(writes).await.expect("commit") {
        Commit::Done(revision) => panic!("done at {revision}, and must be refused"),
        Commit::Refused { key, found } => {
            let found = found.map(|record| {
                assert_eq!(record.key, key);
                (text(&record.value), record.modified)
            });
            (key.to_string(), found)
        }
    }
}

/// The result of a query as `key=value`, separated by spaces.
pub(super) async fn list_text(store: &Arc<dyn Store>, query: Query) -> String {
    let page = store.list(query).await.expect("list");
    let format_record = |record: &crate::Record| format!("{}={}", record.key, text(&record.value));
    page.records.iter().map(format_record).collect::<Vec<_>>().join(" ")
}

/// The records of a prefix at a revision, as `key=value`.
pub(super) async fn list_at(store: &Arc<dyn Store>, prefix: &str, at: Revision) -> String {
    list_text(store, Query { at: Some(at), ..Query::under(prefix) }).await
}

/// The next batches until there are `count` events, as `revision:key=value` or `revision:key-`.
pub(super) async fn next_events(watch: &mut Box<dyn Watch>, count: usize) -> String {
    let mut events = Vec::new();
    let mut upto = Revision(0);
    while events.len() < count {
        let batch = watch.next().await.expect("watch");
        assert!(batch.upto > upto, "{} after {upto}", batch.upto);
        upto = batch.upto;
        events.extend(batch.events);
    }
    events.iter().map(event_text).collect::<Vec<_>>().join(" ")
}

pub(super) fn event_text(event: &Event) -> String {
    let Event { key, revision, act } = event;
    match act {
        EventKind::Put { value, .. } => format!("{revision}:{key}={}", text(value)),
        EventKind::Deleted => format!("{revision}:{key}-"),
    }
}

pub(super) fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

/// Runs a check, and panics with its name after a timeout.
pub(super) async fn with_timeout<T>(name: &str, check: impl Future<Output = T>) -> T {
    let (deadline, asleep) = (Instant::now() + TIMEOUT, Arc::new(AtomicBool::new(false)));
    let mut check = pin!(check);
    poll_fn(move |context| {
        if let Poll::Ready(result) = check.as_mut().poll(context) {
            return Poll::Ready(result);
        }
        assert!(Instant::now() < deadline, "no answer in time: {name}");
        if !asleep.swap(true, Ordering::Relaxed) {
            alarm(context.waker().clone(), Arc::clone(&asleep));
        }
        Poll::Pending
    })
    .await
}

/// Wakes a pending check now and then, so that it can test its deadline.
fn alarm(waker: Waker, asleep: Arc<AtomicBool>) {
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        asleep.store(false, Ordering::Relaxed);
        waker.wake();
    });
}

/// Waits without a runtime's clock.
pub(super) async fn pause(length: Duration) {
    let deadline = Instant::now() + length;
    poll_fn(move |context| {
        let Some(rest) = deadline.checked_duration_since(Instant::now()) else {
            return Poll::Ready(());
        };
        let waker = context.waker().clone();
        thread::spawn(move || {
            thread::sleep(rest);
            waker.wake();
        });
        Poll::Pending
    })
    .await;
}

/// Runs futures concurrently until all are done.
pub(super) async fn run_concurrently(futures: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>) {
    let mut futures: Vec<_> = futures.into_iter().map(Some).collect();
    poll_fn(move |context| {
        for slot in &mut futures {
            if slot.as_mut().is_some_and(|future| future.as_mut().poll(context).is_ready()) {
                *slot = None;
            }
        }
        if futures.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
