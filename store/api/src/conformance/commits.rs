//! Checks of commits: guards, atomicity, and stored values.

use std::sync::Arc;

use bytes::Bytes;

use super::steps::{delete, done, list_text, put, refused};
use crate::{Guard, Query, Revision, Store, Write};

pub(super) async fn empty(store: Arc<dyn Store>) {
    assert_eq!(store.latest().await, Ok(Revision(0)));
    assert_eq!(store.get("/a").await, Ok(None));
    assert_eq!(store.list(Query::default()).await, Ok(crate::Page::default()));
    assert_eq!(put(&store, "/a", "1").await, Revision(1));
    assert_eq!(store.latest().await, Ok(Revision(1)));
    assert!(store.size().await.expect("size") > 0);
}

pub(super) async fn guards(store: Arc<dyn Store>) {
    let first = done(&store, vec![Write::put("/a", Guard::Absent, "1")]).await;
    let again = refused(&store, vec![Write::put("/a", Guard::Absent, "2")]).await;
    assert_eq!(again, ("/a".to_owned(), Some(("1".to_owned(), first))));
    let second = done(&store, vec![Write::put("/a", Guard::At(first), "2")]).await;
    assert!(second > first);
    let late = refused(&store, vec![Write::put("/a", Guard::At(first), "3")]).await;
    assert_eq!(late, ("/a".to_owned(), Some(("2".to_owned(), second))));
    let early = refused(&store, vec![Write::delete("/a", Guard::At(Revision(second.0 + 1)))]).await;
    assert_eq!(early.1, Some(("2".to_owned(), second)));
    let nobody = refused(&store, vec![Write::put("/b", Guard::At(second), "1")]).await;
    assert_eq!(nobody, ("/b".to_owned(), None));
    assert_eq!(store.latest().await, Ok(second), "a refusal makes no revision");
    let deleted = done(&store, vec![Write::delete("/a", Guard::At(second))]).await;
    assert!(deleted > second);
    assert_eq!(refused(&store, vec![Write::put("/a", Guard::At(second), "4")]).await.1, None);
    assert_eq!(refused(&store, vec![Write::delete("/a", Guard::At(deleted))]).await.1, None);
    done(&store, vec![Write::put("/a", Guard::Absent, "5")]).await;
    assert_eq!(list_text(&store, Query::default()).await, "/a=5");
}

pub(super) async fn nothing(store: Arc<dyn Store>) {
    assert_eq!(delete(&store, "/a").await, Revision(0));
    let first = put(&store, "/a", "1").await;
    assert_eq!(delete(&store, "/b").await, first);
    assert_eq!(done(&store, vec![]).await, first);
    assert_eq!(done(&store, vec![Write::keep("/a", Guard::At(first))]).await, first);
    assert_eq!(done(&store, vec![Write::keep("/b", Guard::Absent)]).await, first);
    assert_eq!(refused(&store, vec![Write::keep("/a", Guard::Absent)]).await.0, "/a");
    assert_eq!(store.latest().await, Ok(first));
    assert!(put(&store, "/a", "1").await > first, "the same value again is a change");
}

pub(super) async fn atomic(store: Arc<dyn Store>) {
    let first = put(&store, "/a", "1").await;
    let writes = |guard| {
        vec![
            Write::put("/b", Guard::Absent, "1"),
            Write::delete("/a", Guard::At(first)),
            Write::keep("/c", guard),
            Write::put("/d", Guard::At(first), "1"),
        ]
    };
    assert_eq!(refused(&store, writes(Guard::At(first))).await.0, "/c", "the first that fails");
    assert_eq!(refused(&store, writes(Guard::Absent)).await.0, "/d");
    assert_eq!(list_text(&store, Query::default()).await, "/a=1");
    assert_eq!(store.latest().await, Ok(first));
    let both = vec![
        Write::put("/b", Guard::Absent, "1"),
        Write::delete("/a", Guard::At(first)),
        Write::delete("/z", Guard::Anything),
        Write::put("/d", Guard::Anything, "1"),
    ];
    let second = done(&store, both).await;
    assert_eq!(second, Revision(first.0 + 1), "one revision for all");
    assert_eq!(list_text(&store, Query::default()).await, "/b=1 /d=1");
    for key in ["/b", "/d"] {
        let record = store.get(key).await.expect("get").expect("record");
        assert_eq!((record.created, record.modified), (second, second));
    }
}

pub(super) async fn twice(store: Arc<dyn Store>) {
    let first = put(&store, "/a", "1").await;
    let writes = vec![
        Write::put("/a", Guard::At(first), "2"),
        Write::put("/b", Guard::Absent, "1"),
        Write::put("/a", Guard::At(first), "3"),
        Write::delete("/b", Guard::Absent),
        Write::keep("/a", Guard::At(first)),
    ];
    let second = done(&store, writes).await;
    assert_eq!(second, Revision(first.0 + 1));
    assert_eq!(list_text(&store, Query::default()).await, "/a=3");
    let mut watch = store.watch("", first).await.expect("watch");
    assert_eq!(super::steps::next_events(&mut watch, 1).await, format!("{second}:/a=3"));
    let split =
        vec![Write::put("/a", Guard::At(second), "4"), Write::put("/a", Guard::Absent, "4")];
    refused(&store, split).await;
}

pub(super) async fn born(store: Arc<dyn Store>) {
    let first = put(&store, "/a", "1").await;
    put(&store, "/x", "1").await;
    let second = put(&store, "/a", "2").await;
    let record = store.get("/a").await.expect("get").expect("record");
    assert_eq!((record.created, record.modified), (first, second));
    assert_eq!(store.list(Query::under("/a")).await.expect("list").records, vec![record]);
    delete(&store, "/a").await;
    assert_eq!(store.get("/a").await, Ok(None));
    let third = put(&store, "/a", "3").await;
    let record = store.get("/a").await.expect("get").expect("record");
    assert_eq!((record.created, record.modified), (third, third));
}

pub(super) async fn bytes(store: Arc<dyn Store>) {
    let every_byte: Bytes = (0..=255).collect::<Vec<u8>>().into();
    let large: Bytes = every_byte.iter().copied().cycle().take(1 << 20).collect::<Vec<u8>>().into();
    for value in [Bytes::new(), every_byte, large] {
        done(&store, vec![Write::put("/a", Guard::Anything, value.clone())]).await;
        assert_eq!(store.get("/a").await.expect("get").expect("record").value, value);
    }
}
