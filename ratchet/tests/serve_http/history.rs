//! Tests of the past: watches that go on over a restart, pages and selections that come from memory.

use crate::client::{Client, Events, text, version};
use crate::server::Server;
use ratchet_store::Revision;
use serde_json::{Value, json};

const METADATA: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

/// Type, name and revision of all events up to the one of `end`.
async fn until(mut events: Events, end: &str) -> Vec<(String, String, u64)> {
    let mut all = vec![events.short().await];
    while all.last().is_none_or(|(_, name, _)| name != end) {
        all.push(events.short().await);
    }
    all
}

/// Writes of every kind, with the revision before them.
async fn writes(client: &Client, maps: &str) -> u64 {
    let start = client.map(maps, "before").await.version();
    for name in ["a", "b", "c"] {
        client.map(maps, name).await;
    }
    let label = |value: &str| json!({"metadata": {"labels": {"in": value}}});
    client.patch(&format!("{maps}/a"), label("yes")).await;
    client.patch(&format!("{maps}/b"), label("yes")).await;
    client.patch(&format!("{maps}/a"), label("no")).await;
    client.delete(&format!("{maps}/before")).await;
    client.delete(&format!("{maps}/b")).await;
    client.map(maps, "b").await;
    start
}

#[tokio::test]
async fn a_watch_goes_on_over_a_restart() {
    let first = Server::start();
    let client = first.admin().await;
    let (_, maps) = client.namespace().await;
    let start = writes(&client, &maps).await;
    let middle = client.map(&maps, "middle").await.version();
    client.patch(&format!("{maps}/c"), json!({"data": {"x": "y"}})).await;
    let queries = |from: u64| {
        ["", "&labelSelector=in%3Dyes", "&fieldSelector=metadata.name%3Db"]
            .map(|selector| format!("{maps}?watch=1&resourceVersion={from}{selector}"))
    };
    let second = first.start_again();
    let after = second.admin().await;
    let end = json!({"metadata": {"name": "end", "labels": {"in": "yes"}}});
    after.post(&maps, end).await;
    // The first server follows the same store, and has seen everything itself.
    for from in [start, start + 3, middle, middle - 1] {
        for (number, query) in queries(from).into_iter().enumerate() {
            let limited = format!("{query}&timeoutSeconds=2");
            let [expected, resumed] = match number {
                2 => [
                    client.watch(&limited).await.all().await,
                    after.watch(&limited).await.all().await,
                ],
                _ => {
                    let one = until(client.watch(&query).await, "end").await;
                    let two = until(after.watch(&query).await, "end").await;
                    assert!(one.is_sorted_by(|one, two| one.2 < two.2), "{one:?}");
                    [json!(one), json!(two)].map(|events| vec![events])
                }
            };
            assert_eq!(resumed, expected, "{query}");
        }
    }
}

#[tokio::test]
async fn what_went_is_shown_as_it_was_after_a_restart() {
    let first = Server::start();
    let client = first.admin().await;
    let (_, maps) = client.namespace().await;
    client.post(&maps, json!({"metadata": {"name": "a", "labels": {"in": "yes"}}})).await;
    let path = format!("{maps}/a");
    let start = client.get(&maps).await.version();
    let left =
        client.patch(&path, json!({"metadata": {"labels": {"in": "no"}}, "data": {"now": "x"}}));
    let left = left.await.version();
    client.delete(&path).await;
    let after = first.start_again().admin().await;
    let query = format!("watch=1&resourceVersion={start}&labelSelector=in%3Dyes");
    let gone = after.watch(&format!("{maps}?{query}")).await.next().await.unwrap();
    assert_eq!((text(&gone["type"]), version(&gone["object"])), ("DELETED".into(), left));
    assert_eq!(gone["object"]["metadata"]["labels"]["in"], "yes", "as it was in the selection");
    assert_eq!(gone["object"].get("data"), None);
    let mut all = after.watch(&format!("{maps}?watch=1&resourceVersion={left}")).await;
    let deleted = all.next().await.unwrap();
    assert_eq!(
        (text(&deleted["type"]), &deleted["object"]["data"]["now"]),
        ("DELETED".into(), &json!("x"))
    );
}

#[tokio::test]
async fn a_watch_that_is_behind_reads_from_the_store() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    let start = client.map(&maps, "a").await.version();
    let path = format!("{maps}/a");
    // More bytes than a watch cache stores: ten objects of nearly a megabyte.
    let mut written = Vec::new();
    for index in 0..10 {
        let body = json!({"data": {"a": "x".repeat(1_000_000), "b": index.to_string()}});
        written.push(client.patch(&path, body).await.version());
    }
    let path = format!("{maps}?watch=1&resourceVersion={start}");
    let mut events = client.watch_as(&path, METADATA).await;
    for revision in &written {
        assert_eq!(events.short().await, ("MODIFIED".into(), "a".into(), *revision));
    }
    written.push(client.map(&maps, "b").await.version());
    assert_eq!(events.short().await.2, written[10], "and then what happens");

    let latest = server.store.latest().await.unwrap();
    server.store.compact(Revision(latest.0)).await.unwrap();
    let mut behind = client.watch(&path).await;
    let error = behind.next().await.unwrap();
    let status = &error["object"];
    assert_eq!((text(&error["type"]), text(&status["reason"])), ("ERROR".into(), "Expired".into()));
    let message = format!("too old resource version: {start} ({})", latest.0);
    assert!(status["code"] == 410 && text(&status["message"]) == message, "{status}");
    assert_eq!(behind.next().await, None);
}

#[tokio::test]
async fn bookmarks_of_a_watch_over_a_restart_are_not_behind_it() {
    let first = Server::start();
    let client = first.admin().await;
    let (_, maps) = client.namespace().await;
    let start = writes(&client, &maps).await;
    let after = first.start_again().admin().await;
    let latest = after.get(&maps).await.version();
    let query =
        format!("watch=1&resourceVersion={start}&timeoutSeconds=1&allowWatchBookmarks=true");
    for selector in ["", "&fieldSelector=metadata.name%3Dnone"] {
        let events = after.watch(&format!("{maps}?{query}{selector}")).await.all().await;
        let last = events.last().unwrap();
        assert_eq!(text(&last["type"]), "BOOKMARK");
        assert!(version(&last["object"]) >= latest, "{last}");
        assert_eq!(events.len() > 1, selector.is_empty());
    }
}

fn pod(name: &str, node: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {"nodeName": node, "containers": [{"name": "c", "image": "i"}]},
    })
}

async fn create_pods(client: &Client, pods: &str) {
    for (name, node) in [("a", "n1"), ("b", "n2"), ("c", "n1"), ("d", ""), ("e", "n1")] {
        let made = client.post(pods, pod(name, node)).await;
        assert_eq!(made.code, 201, "{}", made.text());
    }
}

#[tokio::test]
async fn pods_are_selected_by_name_node_and_phase() {
    let server = Server::start();
    let client = server.admin().await;
    let (namespace, _) = client.namespace().await;
    let (other, _) = client.namespace().await;
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    create_pods(&client, &pods).await;
    create_pods(&client, &format!("/api/v1/namespaces/{other}/pods")).await;
    let all = "/api/v1/pods";
    let names = async |path: &str, selector: &str| {
        let selector = selector.replace('=', "%3D").replace(',', "%2C");
        client.get(&format!("{path}?fieldSelector={selector}")).await.names()
    };
    let node = "spec.nodeName=n1";
    for (path, selector, expected) in [
        (pods.as_str(), node.to_owned(), vec!["a", "c", "e"]),
        (all, node.to_owned(), vec!["a", "c", "e", "a", "c", "e"]),
        (all, format!("{node},metadata.namespace={other}"), vec!["a", "c", "e"]),
        (all, format!("{node},metadata.name=c"), vec!["c", "c"]),
        (&pods, format!("{node},metadata.name=b"), vec![]),
        (&pods, "spec.nodeName=".to_owned(), vec!["d"]),
        (&pods, "spec.nodeName!=n1".to_owned(), vec!["b", "d"]),
        (&pods, format!("{node},status.phase=Pending"), vec!["a", "c", "e"]),
        (&pods, format!("{node},status.phase=Running"), vec![]),
        (all, "metadata.name=d".to_owned(), vec!["d", "d"]),
        (all, format!("metadata.name=d,metadata.namespace={namespace}"), vec!["d"]),
        (&pods, "metadata.name=none".to_owned(), vec![]),
        (all, "metadata.namespace=none".to_owned(), vec![]),
        (all, format!("metadata.namespace={namespace}/a"), vec![]),
    ] {
        assert_eq!(names(path, &selector).await, expected, "{path} {selector}");
    }
}

#[tokio::test]
async fn pages_of_a_selection_come_from_one_state() {
    let server = Server::start();
    let client = server.admin().await;
    let (namespace, _) = client.namespace().await;
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    create_pods(&client, &pods).await;
    let query = format!("{pods}?fieldSelector=spec.nodeName%3Dn1&limit=1");
    let (mut listed, mut page) = (Vec::new(), client.get(&query).await);
    let first = page.version();
    for change in ["c", "e", ""] {
        listed.extend(page.names());
        assert_eq!(page.version(), first);
        let metadata = page.json()["metadata"].clone();
        assert_eq!(metadata.get("remainingItemCount"), None);
        let Some(token) = metadata["continue"].as_str() else { break };
        client.delete(&format!("{pods}/{change}?gracePeriodSeconds=0")).await;
        page = client.get(&format!("{query}&continue={token}")).await;
    }
    assert_eq!(listed, ["a", "c", "e"], "they are gone, but not from this state");
    let by_name = client.get(&format!("{pods}?fieldSelector=metadata.name%3Da&limit=1")).await;
    assert_eq!(by_name.names(), ["a"]);
    assert_eq!(by_name.json()["metadata"].get("continue"), None, "a name has no second page");
}

#[tokio::test]
async fn a_watch_of_a_node_sees_pods_come_and_go() {
    let server = Server::start();
    let client = server.admin().await;
    let (namespace, _) = client.namespace().await;
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    create_pods(&client, &pods).await;
    let mut events = client.watch("/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1").await;
    for name in ["a", "c", "e"] {
        assert_eq!(events.short().await.1, name);
    }
    client.post(&pods, pod("f", "n2")).await;
    let binding = json!({"metadata": {"name": "d"}, "target": {"kind": "Node", "name": "n1"}});
    let bound = client.post(&format!("{pods}/d/binding"), binding).await;
    assert_eq!(bound.code, 201, "{}", bound.text());
    let (kind, name, _) = events.short().await;
    assert_eq!((kind.as_str(), name.as_str()), ("ADDED", "d"), "it came to the node");
    client.delete(&format!("{pods}/c?gracePeriodSeconds=0")).await;
    client.post(&pods, pod("g", "n1")).await;
    let mut rest = Vec::new();
    while rest.last().is_none_or(|(_, name): &(String, String)| name != "g") {
        let (kind, name, _) = events.short().await;
        rest.push((kind, name));
    }
    assert_eq!(rest.first().map(|(_, name)| name.as_str()), Some("c"));
    assert!(rest.contains(&("DELETED".into(), "c".into())), "{rest:?}");
    assert!(rest.iter().all(|(_, name)| name != "f"), "{rest:?}");
}
