//! The disk is full: writes are refused in plain words, reads go on, and all is well when there is room.

use ratchet_store::{Guard, Query, Revision, Store, StoreError, Write};

use super::{all, machine::Machine, open, put};

/// Writes until there is no room; what was written.
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
    let mut told = 0;
    while told < written.len() - 1 {
        told += watch.next().await.unwrap().events.len();
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
                let mut kept = Vec::new();
                for round in 0..20 {
                    let key = format!("/k/{task}/{round}");
                    let write = Write::put(&key, Guard::Absent, vec![7; 3000]);
                    match store.commit(vec![write]).await {
                        Ok(_) => kept.push(key),
                        Err(StoreError::Full(_)) => assert_eq!(store.get(&key).await, Ok(None)),
                        Err(why) => panic!("{why}"),
                    }
                }
                kept
            })
        })
        .collect();
    let mut kept = Vec::new();
    for task in tasks {
        kept.extend(task.await.unwrap());
    }
    kept.sort_unstable();
    let there: Vec<_> = all(&store).await.unwrap().into_iter().map(|(key, _)| key).collect();
    assert_eq!(there, kept);
    assert!(kept.len() < 800, "never full");
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
}
