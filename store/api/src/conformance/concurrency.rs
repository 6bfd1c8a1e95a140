//! Checks of concurrency: nothing is lost and nothing is mixed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::CheckFuture;
use super::steps::{run_concurrently, text};
use crate::{Commit, Guard, Query, Store, Write};

pub(super) async fn counters(store: Arc<dyn Store>) {
    const TASKS: usize = 12;
    const ROUNDS: usize = 25;
    let task = |_| -> CheckFuture {
        let store = Arc::clone(&store);
        Box::pin(async move {
            for _ in 0..ROUNDS {
                count_up(&store).await;
            }
        })
    };
    run_concurrently((0..TASKS).map(task).collect()).await;
    let record = store.get("/count").await.expect("get").expect("record");
    assert_eq!(text(&record.value), (TASKS * ROUNDS).to_string());
    assert_eq!(record.modified.0, (TASKS * ROUNDS) as u64);
}

/// Reads and writes back until there is no conflict.
async fn count_up(store: &Arc<dyn Store>) {
    let mut found = store.get("/count").await.expect("get");
    loop {
        let count = found.as_ref().map_or(0, |record| text(&record.value).parse().unwrap());
        let guard = found.as_ref().map_or(Guard::Absent, |record| Guard::At(record.modified));
        let next: usize = count + 1;
        let write = Write::put("/count", guard, next.to_string());
        match store.commit(vec![write]).await.expect("commit") {
            Commit::Done(_) => return,
            Commit::Refused { found: current, .. } => found = current,
        }
    }
}

pub(super) async fn creators(store: Arc<dyn Store>) {
    for round in 0..20 {
        let won = Arc::new(AtomicUsize::new(0));
        let task = |creator: usize| -> CheckFuture {
            let (store, won) = (Arc::clone(&store), Arc::clone(&won));
            Box::pin(async move {
                let key = format!("/k/{round}");
                let write = Write::put(&key, Guard::Absent, creator.to_string());
                let mine = match store.commit(vec![write]).await.expect("commit") {
                    Commit::Done(revision) => {
                        won.fetch_add(1, Ordering::Relaxed);
                        Some(revision)
                    }
                    Commit::Refused { found, .. } => {
                        assert_ne!(text(&found.expect("the winner's").value), creator.to_string());
                        None
                    }
                };
                let record = store.get(&key).await.expect("get").expect("record");
                assert_eq!(mine.is_some(), text(&record.value) == creator.to_string());
            })
        };
        run_concurrently((0..6).map(task).collect()).await;
        assert_eq!(won.load(Ordering::Relaxed), 1, "round {round}");
    }
}

/// Commits write two keys with the same value, in either order; every list finds them equal.
pub(super) async fn crossing(store: Arc<dyn Store>) {
    let writer = |writer: usize| -> CheckFuture {
        let store = Arc::clone(&store);
        Box::pin(async move {
            for round in 0..40 {
                let value = format!("{writer}/{round}");
                let put = |key| Write::put(key, Guard::Anything, value.clone());
                let writes = if writer.is_multiple_of(2) {
                    vec![put("/a"), put("/b")]
                } else {
                    vec![put("/b"), put("/a")]
                };
                store.commit(writes).await.expect("commit");
            }
        })
    };
    let reader = |_| -> CheckFuture {
        let store = Arc::clone(&store);
        Box::pin(async move {
            for _ in 0..100 {
                let records = store.list(Query::default()).await.expect("list").records;
                if let [a, b] = &records[..] {
                    assert_eq!((&a.value, a.modified), (&b.value, b.modified));
                }
                super::steps::pause(std::time::Duration::from_micros(200)).await;
            }
        })
    };
    let tasks = (0..6).map(writer).chain((0..2).map(reader));
    run_concurrently(tasks.collect()).await;
    assert_eq!(store.latest().await.expect("latest").0, 240);
}
