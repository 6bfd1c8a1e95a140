//! What examiners use: short ways to write and read, patience with an end, and many at once.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Commit, Event, Guard, Happened, Query, Revision, Store, Watch, Write};

const PATIENCE: Duration = Duration::from_secs(60);

/// Puts a value, whatever is there.
pub(super) async fn put(store: &Arc<dyn Store>, key: &str, value: &str) -> Revision {
    done(store, vec![Write::put(key, Guard::Anything, value.to_owned())]).await
}

/// Deletes a key, whatever is there.
pub(super) async fn delete(store: &Arc<dyn Store>, key: &str) -> Revision {
    done(store, vec![Write::delete(key, Guard::Anything)]).await
}

/// Commits what must not be refused.
pub(super) async fn done(store: &Arc<dyn Store>, writes: Vec<Write>) -> Revision {
    match store.commit(writes).await.expect("commit") {
        Commit::Done(revision) => revision,
        Commit::Refused { key, found } => panic!("{key} refused, found {found:?}"),
    }
}

/// Commits what must be refused; the key that is named, and the value and revision found.
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

/// Keys and values of a query, as `key=value` words.
pub(super) async fn words(store: &Arc<dyn Store>, query: Query) -> String {
    let page = store.list(query).await.expect("list");
    let word = |record: &crate::Record| format!("{}={}", record.key, text(&record.value));
    page.records.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The words of a prefix at a revision.
pub(super) async fn words_at(store: &Arc<dyn Store>, prefix: &str, at: Revision) -> String {
    words(store, Query { at: Some(at), ..Query::under(prefix) }).await
}

/// The next batches until there are `count` events, as `revision:key=value` or `revision:key-` words.
pub(super) async fn told(watch: &mut Box<dyn Watch>, count: usize) -> String {
    let mut events = Vec::new();
    let mut upto = Revision(0);
    while events.len() < count {
        let batch = watch.next().await.expect("watch");
        assert!(batch.upto > upto, "{} after {upto}", batch.upto);
        upto = batch.upto;
        events.extend(batch.events);
    }
    events.iter().map(word).collect::<Vec<_>>().join(" ")
}

pub(super) fn word(event: &Event) -> String {
    let Event { key, revision, act } = event;
    match act {
        Happened::Put { value, .. } => format!("{revision}:{key}={}", text(value)),
        Happened::Deleted => format!("{revision}:{key}-"),
    }
}

pub(super) fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

/// Runs a question and panics with its name when it takes for ever.
pub(super) async fn in_time<T>(name: &str, question: impl Future<Output = T>) -> T {
    let (deadline, asleep) = (Instant::now() + PATIENCE, Arc::new(AtomicBool::new(false)));
    let mut question = pin!(question);
    poll_fn(move |context| {
        if let Poll::Ready(answer) = question.as_mut().poll(context) {
            return Poll::Ready(answer);
        }
        assert!(Instant::now() < deadline, "no answer in time: {name}");
        if !asleep.swap(true, Ordering::Relaxed) {
            alarm(context.waker().clone(), Arc::clone(&asleep));
        }
        Poll::Pending
    })
    .await
}

/// Wakes a sleeping question now and then, so that it can look at the clock.
fn alarm(waker: Waker, asleep: Arc<AtomicBool>) {
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        asleep.store(false, Ordering::Relaxed);
        waker.wake();
    });
}

/// Waits without a runtime's clock.
pub(super) async fn pause(length: Duration) {
    let until = Instant::now() + length;
    poll_fn(move |context| {
        let Some(rest) = until.checked_duration_since(Instant::now()) else {
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

/// Runs futures side by side until all are done.
pub(super) async fn together(futures: Vec<Pin<Box<dyn Future<Output = ()> + Send>>>) {
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
