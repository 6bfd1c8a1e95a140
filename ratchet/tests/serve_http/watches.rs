//! Tests of watches: their start, events, order, and end.

use crate::client::{Client, text, version};
use crate::server::Server;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const METADATA: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

#[tokio::test]
async fn without_a_version_the_state_comes_first() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let made = client.map(&maps, "a").await.version();
    for query in ["watch=1", "watch=true&resourceVersion=0", "watch=1&resourceVersion="] {
        let mut events = client.watch(&format!("{maps}?{query}")).await;
        assert_eq!(events.content_type(), "application/json");
        assert_eq!(events.short().await, ("ADDED".into(), "a".into(), made), "{query}");
    }
    let mut events = client.watch(&format!("{maps}?watch=1")).await;
    events.short().await;
    let later = client.map(&maps, "b").await.version();
    assert_eq!(events.short().await, ("ADDED".into(), "b".into(), later));
}

#[tokio::test]
async fn after_a_version_come_the_changes_with_their_revisions() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let start = client.map(&maps, "before").await.version();
    let made = client.map(&maps, "a").await.version();
    let path = format!("{maps}/a");
    let changed = client.patch(&path, json!({"data": {"a": "c"}})).await.version();
    client.patch(&path, json!({"data": {"a": "c"}})).await; // nothing changes, so there is no event
    client.delete(&path).await;
    let after = client.map(&maps, "end").await.version();
    let mut events = client.watch(&format!("{maps}?watch=1&resourceVersion={start}")).await;
    assert_eq!(events.short().await, ("ADDED".into(), "a".into(), made));
    assert_eq!(events.short().await, ("MODIFIED".into(), "a".into(), changed));
    let (kind, name, deleted) = events.short().await;
    assert_eq!((kind.as_str(), name.as_str()), ("DELETED", "a"));
    assert!(changed < deleted && deleted < after, "a deletion has a revision of its own");
    assert_eq!(events.short().await, ("ADDED".into(), "end".into(), after));
}

#[tokio::test]
async fn time_is_up_and_bookmarks_say_where_the_watch_stood() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let start = Instant::now();
    let query = "watch=1&timeoutSeconds=1&allowWatchBookmarks=true";
    let events = client.watch(&format!("{maps}?{query}")).await.all().await;
    let took = start.elapsed().as_secs_f64();
    assert!((0.9..20.0).contains(&took), "{took}");
    let kinds: Vec<String> = events.iter().map(|event| text(&event["type"])).collect();
    assert_eq!(kinds, ["ADDED", "BOOKMARK"]);
    let object = &events[1]["object"];
    assert_eq!(
        (text(&object["kind"]), text(&object["apiVersion"])),
        ("ConfigMap".into(), "v1".into())
    );
    assert!(version(object) >= version(&events[0]["object"]));
    let without = client.watch(&format!("{maps}?watch=1&timeoutSeconds=1")).await.all().await;
    assert_eq!(without.len(), 1, "nobody asked for bookmarks");
}

#[tokio::test]
async fn a_watch_can_stand_in_for_a_list() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for name in ["a", "b"] {
        client.map(&maps, name).await;
    }
    let query =
        "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut events = client.watch(&format!("{maps}?{query}")).await;
    assert_eq!(events.short().await.1, "a");
    let (_, name, last) = events.short().await;
    assert_eq!(name, "b");
    let mark = events.next().await.unwrap();
    assert_eq!(mark["type"], "BOOKMARK");
    assert_eq!(mark["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    assert!(version(&mark["object"]) >= last);
    client.map(&maps, "c").await;
    assert_eq!(events.short().await.1, "c");
}

#[tokio::test]
async fn a_watch_begins_with_all_objects_however_many_and_large() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let names: Vec<String> = (0..140).map(|number| format!("m{number:03}")).collect();
    for (number, name) in names.iter().enumerate() {
        let text = "x".repeat(if number % 20 == 7 { 100_000 } else { 10 });
        let map = json!({"metadata": {"name": name}, "data": {"text": text}});
        assert_eq!(client.post(&maps, map).await.code, 201);
    }
    let query =
        "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut events = client.watch(&format!("{maps}?{query}")).await;
    for name in &names {
        let (kind, found, _) = events.short().await;
        assert_eq!((kind.as_str(), &found), ("ADDED", name));
    }
    assert_eq!(events.next().await.unwrap()["type"], "BOOKMARK");
}

#[tokio::test]
async fn a_watch_that_makes_no_sense_is_refused() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let options = "ListOptions.meta.k8s.io \"\" is invalid: ";
    let rows = [
        ("sendInitialEvents=true", 422, format!("{options}resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")),
        ("resourceVersionMatch=NotOlderThan&resourceVersion=1", 422, format!("{options}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")),
        ("resourceVersion=abc", 500, "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax".into()),
        ("labelSelector=!", 400, "unable to parse requirement: found '', expected: identifier".into()),
        ("timeoutSeconds=x", 400, "strconv.ParseInt: parsing \"x\": invalid syntax".into()),
    ];
    for (query, code, message) in rows {
        let answer = client.get(&format!("{maps}?watch=1&{query}")).await;
        assert_eq!(answer.refusal(), (code, message), "{query}");
    }
    let yaml = client.get_as(&format!("{maps}?watch=1"), "application/yaml").await;
    assert_eq!(yaml.code, 406, "YAML has no stream");
}

#[tokio::test]
async fn a_watch_from_the_future_waits() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let query = "watch=1&resourceVersion=99999999&timeoutSeconds=1";
    client.map(&maps, "a").await;
    assert_eq!(client.watch(&format!("{maps}?{query}")).await.all().await, Vec::<Value>::new());
}

#[tokio::test]
async fn objects_enter_and_leave_a_selection() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let start = client.map(&maps, "zero").await.version();
    let path = format!("{maps}/a");
    client.map(&maps, "a").await;
    let label =
        |value: Value| json!({"metadata": {"labels": {"in": value}}, "data": {"at": value}});
    let entered = client.patch(&path, label(json!("yes"))).await.version();
    let left = client.patch(&path, label(json!("no"))).await.version();
    client.patch(&path, json!({"data": {"x": "y"}})).await;
    let again = client.patch(&path, label(json!("yes"))).await.version();
    client.delete(&path).await;
    let query = format!("watch=1&resourceVersion={start}&labelSelector=in%3Dyes");
    let mut events = client.watch(&format!("{maps}?{query}")).await;
    assert_eq!(events.short().await, ("ADDED".into(), "a".into(), entered));
    let gone = events.next().await.unwrap();
    assert_eq!((text(&gone["type"]), version(&gone["object"])), ("DELETED".into(), left));
    assert_eq!(gone["object"]["data"]["at"], "yes", "the last state that was in the selection");
    assert_eq!(events.short().await, ("ADDED".into(), "a".into(), again));
    let (kind, _, deleted) = events.short().await;
    assert!(kind == "DELETED" && deleted > again);
}

#[tokio::test]
async fn tables_and_metadata_are_watched_too() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for name in ["a", "b"] {
        client.map(&maps, name).await;
    }
    let mut tables = client.watch_as(&format!("{maps}?watch=1"), TABLE).await;
    let first = tables.next().await.unwrap()["object"].clone();
    assert_eq!(
        (text(&first["kind"]), &first["rows"][0]["cells"][0]),
        ("Table".into(), &json!("a"))
    );
    assert_eq!(first["columnDefinitions"][0]["name"], "Name");
    let second = tables.next().await.unwrap()["object"].clone();
    assert_eq!(
        (&second["columnDefinitions"], &second["rows"][0]["cells"][0]),
        (&Value::Null, &json!("b"))
    );
    let mut metadata = client.watch_as(&format!("{maps}?watch=1"), METADATA).await;
    let one = metadata.next().await.unwrap()["object"].clone();
    assert_eq!((text(&one["kind"]), one.get("data")), ("PartialObjectMetadata".into(), None));
}

#[tokio::test]
async fn the_old_paths_of_watches_still_work() {
    let client = Server::shared().admin().await;
    let (namespace, maps) = client.namespace().await;
    let made = client.map(&maps, "a").await.version();
    client.map(&maps, "b").await;
    let old = format!("/api/v1/watch/namespaces/{namespace}/configmaps");
    let mut all = client.watch(&old).await;
    assert_eq!(all.short().await, ("ADDED".into(), "a".into(), made));
    let mut one = client.watch(&format!("{old}/b")).await;
    assert_eq!(one.short().await.1, "b");
}

/// The writes: the revision of each change, by the name of the object.
type Written = BTreeMap<u64, String>;

async fn write(client: Client, maps: String, writer: usize) -> Written {
    let mut written = Written::new();
    for round in 0..12 {
        let name = format!("w{writer}-{}", round % 3);
        let path = format!("{maps}/{name}");
        let answer = match round / 3 {
            0 | 3 => client.post(&maps, json!({"metadata": {"name": name}})).await,
            1 => client.patch(&path, json!({"data": {"round": round.to_string()}})).await,
            _ => {
                assert_eq!(client.delete(&path).await.code, 200);
                continue;
            }
        };
        assert!(answer.code < 300, "{}", answer.text());
        written.insert(answer.version(), name);
    }
    written
}

#[tokio::test(flavor = "multi_thread")]
async fn every_watcher_sees_every_change_once_and_in_order() {
    const WRITERS: usize = 8;
    let client = Server::shared().admin().await;
    let (namespace, maps) = client.namespace().await;
    let start = client.get(&maps).await.version();
    let query = format!("watch=1&resourceVersion={start}");
    let narrow = format!("{maps}?{query}");
    let wide = format!("/api/v1/configmaps?{query}&fieldSelector=metadata.namespace%3D{namespace}");
    let mut watchers = Vec::new();
    // So many that they pause after an event, and get several together.
    for index in 0..40 {
        let path = if index % 2 == 0 { narrow.clone() } else { wide.clone() };
        let mut events = client.watch(&path).await;
        watchers.push(tokio::spawn(async move {
            let mut received = Vec::new();
            while received.last().is_none_or(|(_, name, _): &(String, String, u64)| name != "end") {
                received.push(events.short().await);
            }
            received
        }));
    }
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write(client.clone(), maps.clone(), writer)))
        .collect();
    let mut written = Written::new();
    for writer in writers {
        written.extend(writer.await.unwrap());
    }
    let end = client.map(&maps, "end").await.version();
    written.insert(end, "end".into());
    for watcher in watchers {
        let received = watcher.await.unwrap();
        assert!(
            received.is_sorted_by(|one, two| one.2 < two.2),
            "revisions only grow: {received:?}"
        );
        let deletions = received.iter().filter(|(kind, ..)| kind == "DELETED").count();
        assert_eq!(deletions, WRITERS * 3);
        let reported: Written = received
            .iter()
            .filter(|(kind, ..)| kind != "DELETED")
            .map(|(_, name, revision)| (*revision, name.clone()))
            .collect();
        assert_eq!(reported, written, "nothing is missing and nothing is told twice");
        assert_eq!(received.len(), written.len() + deletions);
    }
}
