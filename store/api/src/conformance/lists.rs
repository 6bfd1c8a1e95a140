//! Checks of lists: order, pages, and old revisions.

use std::sync::Arc;

use super::steps::{delete, done, list_at, list_text, put};
use crate::{Guard, Page, Query, Revision, Store, StoreError, Write};

pub(super) async fn prefixes(store: Arc<dyn Store>) {
    let keys =
        ["/ab", "/a/b", "/a", "/a/", "/a/é", "/a/\u{10ffff}", "/a0", "/", "\u{10ffff}z", "b"];
    for key in keys {
        put(&store, key, "1").await;
    }
    let mut sorted = keys;
    sorted.sort_unstable();
    let under = |prefix: &str| {
        let matching = sorted.iter().filter(|key| key.starts_with(prefix));
        matching.map(|key| format!("{key}=1")).collect::<Vec<_>>().join(" ")
    };
    for prefix in ["", "/", "/a", "/a/", "/a/b", "/ab", "/b", "\u{10ffff}", "/a/\u{10ffff}", "c"] {
        assert_eq!(
            list_text(&store, Query::under(prefix)).await,
            under(prefix),
            "under {prefix:?}"
        );
    }
    assert_eq!(list_text(&store, Query::under("/a/")).await, "/a/=1 /a/b=1 /a/é=1 /a/\u{10ffff}=1");
}

pub(super) async fn pages(store: Arc<dyn Store>) {
    for key in ["/a/1", "/a/2", "/a/3", "/a/4", "/a/5", "/b/1", "/"] {
        put(&store, key, "1").await;
    }
    let list_page = |after: Option<&str>, limit| {
        let query = Query { after: after.map(str::to_owned), limit, ..Query::under("/a/") };
        let store = Arc::clone(&store);
        async move {
            let Page { records, has_more, revision } = store.list(query).await.expect("list");
            assert_eq!(revision, Revision(7));
            let keys: Vec<_> = records.iter().map(|record| record.key.to_string()).collect();
            (keys.join(" "), has_more)
        }
    };
    let rows = [
        (None, 2, "/a/1 /a/2", true),
        (Some("/a/2"), 2, "/a/3 /a/4", true),
        (Some("/a/4"), 2, "/a/5", false),
        (Some("/a/4"), 1, "/a/5", false),
        (Some("/a/5"), 2, "", false),
        (Some("/a/25"), 1, "/a/3", true), // a key that is not there
        (Some("/a/3"), 0, "/a/4 /a/5", false),
        (None, 0, "/a/1 /a/2 /a/3 /a/4 /a/5", false),
        (None, 5, "/a/1 /a/2 /a/3 /a/4 /a/5", false),
        (None, 99, "/a/1 /a/2 /a/3 /a/4 /a/5", false),
        (Some("/"), 1, "/a/1", true), // before the prefix
        (Some("/b"), 1, "", false),   // behind it
    ];
    for (after, limit, keys, has_more) in rows {
        assert_eq!(
            list_page(after, limit).await,
            (keys.to_owned(), has_more),
            "{limit} after {after:?}"
        );
    }
}

pub(super) async fn past(store: Arc<dyn Store>) {
    put(&store, "/a", "1").await;
    put(&store, "/b", "1").await;
    put(&store, "/a", "2").await;
    delete(&store, "/b").await;
    let writes = vec![
        Write::put("/b", Guard::Absent, "2"),
        Write::put("/c", Guard::Absent, "1"),
        Write::delete("/a", Guard::Anything),
    ];
    done(&store, writes).await;
    put(&store, "/a", "3").await;
    let was = ["", "/a=1", "/a=1 /b=1", "/a=2 /b=1", "/a=2", "/b=2 /c=1", "/a=3 /b=2 /c=1"];
    for (at, was) in was.iter().enumerate() {
        let at = Revision(at as u64);
        assert_eq!(list_at(&store, "", at).await, *was, "at {at}");
        let page = store.list(Query { at: Some(at), ..Query::default() }).await.expect("list");
        assert_eq!(page.revision, at);
    }
    assert_eq!(list_at(&store, "/b", Revision(3)).await, "/b=1");
    let page = Query { at: Some(Revision(3)), limit: 1, ..Query::default() };
    assert!(store.list(page.clone()).await.expect("list").has_more);
    let next = Query { after: Some("/a".to_owned()), ..page };
    assert_eq!(list_text(&store, next).await, "/b=1");
    let again =
        store.list(Query { at: Some(Revision(6)), ..Query::under("/a") }).await.expect("list");
    assert_eq!((again.records[0].created, again.records[0].modified), (Revision(6), Revision(6)));
    let once =
        store.list(Query { at: Some(Revision(3)), ..Query::under("/a") }).await.expect("list");
    assert_eq!((once.records[0].created, once.records[0].modified), (Revision(1), Revision(3)));
}

pub(super) async fn steady(store: Arc<dyn Store>) {
    for number in 0..25 {
        put(&store, &format!("/k/{number:02}"), "old").await;
    }
    let mut query = Query { limit: 4, ..Query::under("/k/") };
    let (mut keys, mut round) = (Vec::new(), 0);
    loop {
        let page = store.list(query.clone()).await.expect("list");
        assert_eq!(page.has_more, keys.len() + page.records.len() < 25);
        keys.extend(page.records.iter().map(|record| record.key.to_string()));
        assert!(page.records.iter().all(|record| &record.value[..] == b"old"));
        if !page.has_more {
            break;
        }
        query.at = Some(page.revision);
        query.after = keys.last().cloned();
        put(&store, &format!("/k/{round:02}"), "new").await;
        put(&store, &format!("/k/{:02}", 24 - round), "new").await;
        put(&store, &format!("/k/{round:02}x"), "new").await;
        delete(&store, &format!("/k/{:02}", 12 + round)).await;
        round += 1;
    }
    assert_eq!(keys, (0..25).map(|number| format!("/k/{number:02}")).collect::<Vec<_>>());
}

pub(super) async fn long(store: Arc<dyn Store>) {
    let many = |value: &'static str| {
        let writes = (0..1500).map(|number| {
            Write::put(&format!("/k/{number:04}"), Guard::Anything, value.as_bytes())
        });
        writes.collect::<Vec<_>>()
    };
    let first = done(&store, many("1")).await;
    for _ in 0..200 {
        put(&store, "/k/0700", "again").await;
    }
    let last = done(&store, many("2")).await;
    for (at, value) in [(first, "1"), (last, "2")] {
        let query = Query { at: Some(at), ..Query::under("/k/") };
        let page = store.list(query.clone()).await.expect("list");
        assert_eq!((page.records.len(), page.has_more), (1500, false));
        assert!(page.records.iter().all(|record| record.value == value));
        assert!(page.records.is_sorted_by(|one, two| one.key < two.key));
        let page = store.list(Query { limit: 10, ..query }).await.expect("list");
        assert_eq!((page.records.len(), page.has_more), (10, true));
    }
}

pub(super) async fn future(store: Arc<dyn Store>) {
    let future = |latest| Err(StoreError::Future { latest: Revision(latest) });
    let at = |at| Query { at: Some(Revision(at)), ..Query::default() };
    assert_eq!(store.list(at(1)).await, future(0));
    put(&store, "/a", "1").await;
    assert!(store.list(at(1)).await.is_ok());
    assert_eq!(store.list(at(2)).await, future(1));
    assert_eq!(store.watch("", Revision(2)).await.map(drop), future(1).map(drop));
    assert_eq!(store.compact(Revision(2)).await, future(1).map(drop));
    assert!(store.watch("", Revision(1)).await.is_ok());
}
