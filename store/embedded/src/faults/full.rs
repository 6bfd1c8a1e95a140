//! Full disk: writes are refused with a clear message, reads continue, and writes resume when there
//! is space.

use std::time::Duration;

use ratchet_store::{Guard, Query, Revision, State, Store, StoreError, Write};

use super::{all, machine::Machine, open, put};

/// Writes until there is no space; returns the written records.
async fn fill(store: &crate::Embedded) -> (Vec<(String, Vec<u8>)>, StoreError) {
    let mut written = Vec::new();
    for round in 0..10_000 {
        let (key, value) = (format!("/k/{round:05}"), vec![round as u8; 5000]);
        match put(store, &key, value.clone()).await {
            Ok(_) => written.push((key, value)),
            Err(why) => return (written, why),
        }
    }
    panic!("never full");
}

async fn runs_full(eager: bool) {
    let machine = Machine::new(Vec::new());
    let store = open(&machine, false).unwrap();
    put(&store, "/first", b"1".to_vec()).await.unwrap();
    let mut watch = store.watch("/k/", Revision(1)).await.unwrap();
    machine.limit(300, eager);
    let (mut written, why) = fill(&store).await;
    let StoreError::Full(text) = &why else { panic!("not full: {why:?}") };
    assert!(text.contains("/data/state.redb") && text.contains("free space"), "{text}");
    assert!(!text.contains('\n'));
    written.insert(0, ("/first".to_owned(), b"1".to_vec()));
    for round in 0..3 {
        assert_eq!(all(&store).await.unwrap(), written, "reads go on, round {round}");
        let record = store.get("/k/00003").await.unwrap().unwrap();
        assert_eq!(record.value, vec![3; 5000]);
        let refused = put(&store, "/more", vec![1; 400_000]).await;
        assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
    }
    let mut events = 0;
    while events < written.len() - 1 {
        events += watch.next().await.unwrap().events.len();
    }
    let then = Query { at: Some(Revision(2)), ..Query::default() };
    assert_eq!(store.list(then).await.unwrap().records.len(), 2);

    // A restart on a full disk serves reads, too.
    drop(store);
    let store = open(&machine, false).unwrap();
    assert_eq!(all(&store).await.unwrap(), written);
    let refused = put(&store, "/more", vec![1; 400_000]).await;
    assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
    let latest = store.latest().await.unwrap();
    let mut watch = store.watch("", latest).await.unwrap();

    machine.widen();
    let revision = put(&store, "/more", vec![1; 400_000]).await.unwrap();
    assert_eq!(revision.0, latest.0 + 1, "what was refused left no trace");
    assert_eq!(watch.next().await.unwrap().events.len(), 1);
    written.push(("/more".to_owned(), vec![1; 400_000]));
    drop(store);
    let store = open(&machine, true).unwrap();
    assert_eq!(all(&store).await.unwrap(), written);
}

#[tokio::test]
async fn blocks_run_out_while_they_are_written() {
    runs_full(false).await;
}

#[tokio::test]
async fn the_file_cannot_grow() {
    runs_full(true).await;
}

#[tokio::test]
async fn many_writers_on_a_full_disk_are_all_answered() {
    let machine = Machine::new(Vec::new());
    let store = std::sync::Arc::new(open(&machine, false).unwrap());
    machine.limit(100, false);
    let tasks: Vec<_> = (0..40)
        .map(|task| {
            let store = std::sync::Arc::clone(&store);
            tokio::spawn(async move {
                let mut acknowledged = Vec::new();
                for round in 0..20 {
                    let key = format!("/k/{task}/{round}");
                    let write = Write::put(&key, Guard::Absent, vec![7; 3000]);
                    match store.commit(vec![write]).await {
                        Ok(_) => acknowledged.push(key),
                        Err(StoreError::Full(_)) => assert_eq!(store.get(&key).await, Ok(None)),
                        Err(why) => panic!("{why}"),
                    }
                }
                acknowledged
            })
        })
        .collect();
    let mut acknowledged = Vec::new();
    for task in tasks {
        acknowledged.extend(task.await.unwrap());
    }
    acknowledged.sort_unstable();
    let stored: Vec<_> = all(&store).await.unwrap().into_iter().map(|(key, _)| key).collect();
    assert_eq!(stored, acknowledged);
    assert!(acknowledged.len() < 800, "never full");
}

/// Every failed write makes the engine unusable until it is renewed; reads must succeed in between.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_on_a_full_disk_are_answered_though_every_write_fails() {
    let machine = Machine::new(Vec::new());
    let store = std::sync::Arc::new(open(&machine, false).unwrap());
    let many =
        (0..3000).map(|key| Write::put(&format!("/many/{key:04}"), Guard::Absent, vec![1; 20]));
    store.commit(many.collect()).await.unwrap();
    machine.limit(20, false);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|task| {
            let (store, stop) = (std::sync::Arc::clone(&store), std::sync::Arc::clone(&stop));
            tokio::spawn(async move {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let refused = put(&store, &format!("/k/{task}"), vec![7; 400_000]).await;
                    assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
                }
            })
        })
        .collect();
    for round in 0..20 {
        let found = all(&store).await.map(|records| records.len());
        assert_eq!(found, Ok(3000), "round {round}");
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
}

/// Waits until the store reports the wanted state.
async fn until(store: &crate::Embedded, is_wanted: impl Fn(&State) -> bool) {
    let mut last = store.health();
    for _ in 0..600 {
        if is_wanted(&last.state) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        last = store.health();
    }
    panic!("{last:?}");
}

#[tokio::test]
async fn a_full_store_says_so_and_recovers_though_nobody_writes() {
    let machine = Machine::new(Vec::new());
    let store = open(&machine, false).unwrap();
    put(&store, "/first", b"1".to_vec()).await.unwrap();
    assert_eq!(store.health(), ratchet_store::Health::default());
    machine.limit(20, false);
    let refused = put(&store, "/large", vec![1; 400_000]).await;
    assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
    let health = store.health();
    assert!(
        matches!(&health.state, State::Full(text) if text.contains("state.redb")),
        "{health:?}"
    );
    // The probe is as large as the refused write: a small write that fits proves nothing.
    until(&store, |_| store.health().failures > health.failures).await;
    assert!(matches!(store.health().state, State::Full(_)));
    assert_eq!(
        all(&store).await.unwrap().len(),
        1,
        "reads go on, and nothing of the trial is seen"
    );
    let latest = store.latest().await.unwrap();
    machine.widen();
    until(&store, |state| *state == State::Sound).await;
    assert_eq!(store.latest().await.unwrap(), latest, "a trial is no revision");
    put(&store, "/large", vec![1; 400_000]).await.unwrap();
    assert_eq!(all(&store).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_disk_that_fails_for_a_while_is_used_again() {
    let machine = Machine::new(Vec::new());
    let store = open(&machine, false).unwrap();
    put(&store, "/a", b"1".to_vec()).await.unwrap();
    machine.scratch(true);
    let broken = put(&store, "/a", b"2".to_vec()).await;
    assert!(matches!(broken, Err(StoreError::Broken(_))), "{broken:?}");
    assert!(matches!(store.health().state, State::Broken(_)));
    machine.scratch(false);
    until(&store, |state| *state == State::Sound).await;
    assert_eq!(store.get("/a").await.unwrap().unwrap().value, b"1".as_slice());
    put(&store, "/a", b"3".to_vec()).await.unwrap();
}

#[tokio::test]
async fn a_store_that_could_not_flush_is_written_anew() {
    let machine = Machine::new(Vec::new());
    let store = open(&machine, false).unwrap();
    let mut written = Vec::new();
    for round in 0..50 {
        let (key, value) = (format!("/k/{round:02}"), vec![round; 3000]);
        put(&store, &key, value.clone()).await.unwrap();
        written.push((key, value));
    }
    machine.stick(true);
    let broken = put(&store, "/k/lost", vec![1; 9000]).await;
    let Err(StoreError::Broken(text)) = &broken else { panic!("{broken:?}") };
    assert!(text.contains("written anew"), "{text}");
    assert!(matches!(store.health().state, State::Broken(_)));
    assert!(matches!(put(&store, "/k/lost", vec![1]).await, Err(StoreError::Broken(_))));
    machine.stick(false);
    until(&store, |state| *state == State::Sound).await;
    // A failed write may be there or not; acknowledged ones are, and last.
    put(&store, "/k/new", vec![2; 9000]).await.unwrap();
    written.push(("/k/new".to_owned(), vec![2; 9000]));
    let without = |mut records: Vec<(String, Vec<u8>)>| {
        records.retain(|(key, _)| key != "/k/lost");
        records
    };
    assert_eq!(without(all(&store).await.unwrap()), written);
    let image = machine.durable();
    drop(store);
    let after = Machine::new(image);
    let store = open(&after, true).unwrap();
    assert_eq!(
        without(all(&store).await.unwrap()),
        written,
        "the power went, and nothing was lost"
    );
}

#[tokio::test]
async fn a_disk_that_dies_breaks_the_store_and_says_so() {
    let machine = Machine::new(Vec::new());
    let store = open(&machine, false).unwrap();
    put(&store, "/a", b"1".to_vec()).await.unwrap();
    machine.light(0);
    let broken = put(&store, "/a", b"2".to_vec()).await;
    let Err(StoreError::Broken(text)) = broken else { panic!("{broken:?}") };
    assert!(text.contains("/data/state.redb") && text.contains("the power is off"), "{text}");
    assert!(matches!(store.get("/a").await, Err(StoreError::Broken(_))));
    assert!(matches!(store.health().state, State::Broken(_)));
}
