//! Expiry of the embedded store, which is exact where other stores may let keys live a little longer.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use std::time::Duration;

use ratchet_embedded::{Embedded, Options};
use ratchet_store::{Commit, EventKind, Guard, Operation, Revision, Store, Write};

#[tokio::test]
async fn keys_go_in_the_order_of_their_times_each_at_a_revision_of_its_own() {
    let store = Embedded::in_memory(Options::default()).unwrap();
    let short = Duration::from_millis(200);
    let put = |key: &str, lives: Duration| {
        let act = Operation::Put { value: "1".into(), lives: Some(lives) };
        Write { key: key.into(), guard: Guard::Absent, act }
    };
    let Commit::Done(written) =
        store.commit(vec![put("/b", short * 2), put("/a", short)]).await.unwrap()
    else {
        panic!("nothing is there");
    };
    let mut watch = store.watch("", written).await.unwrap();
    let mut gone = Vec::new();
    while gone.len() < 2 {
        let events = watch.next().await.unwrap().events;
        assert!(events.iter().all(|event| event.act == EventKind::Deleted));
        gone.extend(events.into_iter().map(|event| (event.key.to_string(), event.revision)));
    }
    let wanted = [("/a", 1), ("/b", 2)];
    assert_eq!(gone, wanted.map(|(key, after)| (key.to_owned(), Revision(written.0 + after))));
}
