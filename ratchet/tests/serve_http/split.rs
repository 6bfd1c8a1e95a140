//! Tests of a server whose ConfigMaps are in a store of their own: each store counts its revisions.

use crate::client::{Client, text, version};
use crate::server::Server;
use ratchet_embedded::{Embedded, Options};
use ratchet_store::{Query, Revision, Split, Store};
use serde_json::json;
use std::sync::Arc;

fn memory() -> Arc<dyn Store> {
    Arc::new(Embedded::in_memory(Options { cache: 1 << 20, ..Options::default() }).unwrap())
}

/// A server, its main store and that of the ConfigMaps.
fn start() -> (Server, Arc<dyn Store>, Arc<dyn Store>) {
    let (main, maps) = (memory(), memory());
    let prefix = "/registry/configmaps/".to_owned();
    let server = Server::start_split(Split::from(main.clone()).with([prefix], maps.clone()));
    (server, main, maps)
}

async fn secret(client: &Client, namespace: &str, name: &str) -> u64 {
    let path = format!("/api/v1/namespaces/{namespace}/secrets");
    client.post(&path, json!({"metadata": {"name": name}})).await.version()
}

#[tokio::test]
async fn revisions_are_those_of_the_store_of_a_resource() {
    let (server, main, others) = start();
    let client = server.admin().await;
    let (namespace, maps) = client.namespace().await;
    let first = client.map(&maps, "a").await.version();
    let there = others.list(Query::under("")).await.unwrap();
    assert!(there.records.iter().all(|record| record.key.starts_with("/registry/configmaps/")));
    assert_eq!(there.revision, Revision(first));
    assert!(main.list(Query::under("/registry/configmaps/")).await.unwrap().records.is_empty());

    let mut far = 0;
    for number in 0..20 {
        far = secret(&client, &namespace, &format!("s{number}")).await;
    }
    assert!(far > first + 10, "the main store has counted on by itself");
    let list = client.get(&maps).await;
    assert!(list.version() < far);
    let (code, message) = client.get(&format!("{maps}?resourceVersion={far}")).await.refusal();
    assert_eq!((code, message.contains("Too large resource version")), (504, true), "{message}");

    // A watch follows its own store: writes of the other are nothing to it, and bookmarks do not run ahead.
    let query = "allowWatchBookmarks=true&timeoutSeconds=2";
    let path = format!("{maps}?watch=1&resourceVersion={first}&{query}");
    let events = client.watch(&path).await;
    secret(&client, &namespace, "t").await;
    let second = client.map(&maps, "b").await.version();
    assert_eq!(second, first + 1);
    let seen: Vec<(String, u64)> = events
        .all()
        .await
        .iter()
        .map(|event| (text(&event["type"]), version(&event["object"])))
        .collect();
    assert_eq!(seen, [("ADDED".to_owned(), second), ("BOOKMARK".to_owned(), second)]);
}

#[tokio::test]
async fn each_store_is_compacted_by_its_own_revisions() {
    let (server, main, others) = start();
    let client = server.admin().await;
    let (namespace, maps) = client.namespace().await;
    let old = client.map(&maps, "a").await.version();
    let old_secret = secret(&client, &namespace, "s").await;
    client.map(&maps, "b").await;
    let page = client.get(&format!("{maps}?limit=1")).await.json();
    let next = text(&page["metadata"]["continue"]);
    client.map(&maps, "c").await;
    let rest = client.get(&format!("{maps}?continue={next}")).await;
    assert_eq!(rest.names(), ["b"], "a page of the state of before");

    others.compact(others.latest().await.unwrap()).await.unwrap();
    let exact = |path: &str, revision: u64| {
        format!("{path}?resourceVersion={revision}&resourceVersionMatch=Exact")
    };
    assert_eq!(client.get(&exact(&maps, old)).await.refusal().0, 410);
    let secrets = format!("/api/v1/namespaces/{namespace}/secrets");
    assert_eq!(client.get(&exact(&secrets, old_secret)).await.names(), ["s"]);
    main.compact(main.latest().await.unwrap()).await.unwrap();
    secret(&client, &namespace, "t").await;
    main.compact(main.latest().await.unwrap()).await.unwrap();
    assert_eq!(client.get(&exact(&secrets, old_secret)).await.refusal().0, 410);
}
