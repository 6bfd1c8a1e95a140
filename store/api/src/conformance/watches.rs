//! Checks of watches: past and new events, without duplicates or gaps.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use super::CheckFuture;
use super::steps::{delete, done, event_text, next_events, put, run_concurrently, text};
use crate::{EventKind, Guard, Revision, Store, Write};

pub(super) async fn replay(store: Arc<dyn Store>) {
    put(&store, "/a", "1").await;
    put(&store, "/b", "1").await;
    put(&store, "/a", "2").await;
    delete(&store, "/a").await;
    put(&store, "/a", "3").await;
    let events = ["1:/a=1", "2:/b=1", "3:/a=2", "4:/a-", "5:/a=3"];
    for after in 0..5 {
        let mut watch = store.watch("", Revision(after as u64)).await.expect("watch");
        assert_eq!(next_events(&mut watch, 5 - after).await, events[after..].join(" "));
    }
    let mut watch = store.watch("/a", Revision(2)).await.expect("watch");
    let events = watch.next().await.expect("batch").events;
    let created = events.iter().map(|event| match event.act {
        EventKind::Put { created, .. } => created.0,
        EventKind::Deleted => 0,
    });
    assert_eq!(created.collect::<Vec<_>>(), [1, 0, 5]);
}

pub(super) async fn live(store: Arc<dyn Store>) {
    put(&store, "/a", "1").await;
    let mut early = store.watch("", Revision(0)).await.expect("watch");
    let mut late = store.watch("", Revision(1)).await.expect("watch");
    for round in 2..20 {
        put(&store, "/a", "x").await;
        assert_eq!(next_events(&mut late, 1).await, format!("{round}:/a=x"));
    }
    let events = next_events(&mut early, 19).await;
    let revisions: Vec<_> =
        events.split(' ').map(|event| event.split(':').next().unwrap()).collect();
    assert_eq!(revisions, (1..20).map(|number: u64| number.to_string()).collect::<Vec<_>>());
}

pub(super) async fn prefix(store: Arc<dyn Store>) {
    let mut watch = store.watch("/a", Revision(0)).await.expect("watch");
    put(&store, "/", "1").await;
    put(&store, "/b", "1").await;
    let batch = watch.next().await.expect("batch");
    assert!(batch.events.is_empty() && batch.upto > Revision(0), "progress is told: {batch:?}");
    put(&store, "/ab", "1").await;
    put(&store, "/a", "1").await;
    put(&store, "/b/a", "1").await;
    assert_eq!(next_events(&mut watch, 2).await, "3:/ab=1 4:/a=1");
    let mut watch = store.watch("/c", Revision(0)).await.expect("watch");
    let mut upto = Revision(0);
    while upto < Revision(5) {
        let batch = watch.next().await.expect("batch");
        assert!(batch.events.is_empty());
        upto = batch.upto;
    }
}

pub(super) async fn whole(store: Arc<dyn Store>) {
    let watch = store.watch("/k/", Revision(0)).await.expect("watch");
    for round in 0..3 {
        let writes = (0..700).map(|number| {
            let key = format!("/k/{number:03}");
            if round == 1 && number % 2 == 0 {
                Write::delete(&key, Guard::Anything)
            } else {
                Write::put(&key, Guard::Anything, vec![b'x'; 2000])
            }
        });
        done(&store, writes.collect()).await;
    }
    for mut watch in [watch, store.watch("/k/", Revision(0)).await.expect("watch")] {
        let mut counts = BTreeMap::new();
        while counts.values().sum::<usize>() < 2100 {
            let batch = watch.next().await.expect("batch");
            for event in &batch.events {
                *counts.entry(event.revision).or_insert(0) += 1;
            }
            assert!(counts.values().all(|count| *count == 700), "a commit is cut: {counts:?}");
            assert_eq!(counts.keys().last(), Some(&batch.upto));
        }
        assert_eq!(counts.len(), 3);
    }
}

pub(super) async fn patience(store: Arc<dyn Store>) {
    let mut watch = store.watch("", Revision(0)).await.expect("watch");
    let mut events = Vec::new();
    for round in 0..200 {
        let mut waiting = watch.next();
        let once = poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context))).await;
        drop(waiting);
        if let Poll::Ready(batch) = once {
            events.extend(batch.expect("batch").events.iter().map(event_text));
        }
        if round % 3 == 0 {
            put(&store, "/a", "1").await;
        }
    }
    while events.len() < 67 {
        events.extend(watch.next().await.expect("batch").events.iter().map(event_text));
    }
    assert_eq!(events, (1..=67).map(|revision| format!("{revision}:/a=1")).collect::<Vec<_>>());
}

/// Writers increment eight keys; watches started at any time see each key without a gap.
pub(super) async fn busy(store: Arc<dyn Store>) {
    const ROUNDS: usize = 120;
    const WRITERS: usize = 8;
    let mut tasks: Vec<CheckFuture> = Vec::new();
    for writer in 0..WRITERS {
        let store = Arc::clone(&store);
        tasks.push(Box::pin(async move {
            for round in 0..ROUNDS {
                put(&store, &format!("/k/{writer}"), &round.to_string()).await;
            }
        }));
    }
    for watcher in 0..4 {
        let store = Arc::clone(&store);
        tasks.push(Box::pin(async move {
            let prefix = if watcher % 2 == 0 { "/k/" } else { "/k/3" };
            while store.latest().await.expect("latest") < Revision(watcher * 100) {
                super::steps::pause(std::time::Duration::from_millis(1)).await;
            }
            let mut watch = store.watch(prefix, Revision(0)).await.expect("watch");
            let mut next: BTreeMap<String, usize> = BTreeMap::new();
            let (mut upto, mut count) = (Revision(0), 0);
            let keys = if watcher % 2 == 0 { WRITERS } else { 1 };
            // A store may make revisions of its own, so that the last write may be later than the number of all.
            while upto.0 < (ROUNDS * WRITERS) as u64 || count < ROUNDS * keys {
                let batch = watch.next().await.expect("batch");
                for event in &batch.events {
                    assert!(event.revision > upto && event.revision <= batch.upto);
                    let EventKind::Put { value, .. } = &event.act else { panic!("nobody deletes") };
                    let next = next.entry(event.key.to_string()).or_default();
                    assert_eq!(text(value), next.to_string(), "of {}", event.key);
                    *next += 1;
                    count += 1;
                }
                upto = batch.upto;
            }
            assert_eq!(count, ROUNDS * keys);
        }));
    }
    run_concurrently(tasks).await;
}
