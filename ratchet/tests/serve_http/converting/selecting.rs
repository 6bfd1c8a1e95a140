//! Tests of selectors: objects are selected by the labels and fields that a conversion webhook gives them.

use super::hook::Hook;
use super::{a_box, define, definition};
use crate::server::Server;
use serde_json::{Value, json};

fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_selected_in_the_version_of_the_request() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let (hook, group) = (Hook::start().await, "selected.hooks.example.com");
    let url = format!("https://127.0.0.1:{}/convert", hook.port);
    let mut defined = definition(group, &url, &hook.bundle, &["v1"]);
    for (at, field) in [(0, ".spec.size"), (1, ".spec.width")] {
        defined["spec"]["versions"][at]["selectableFields"] = json!([{"jsonPath": field}]);
    }
    define(&client, defined).await;
    let path = |version: &str| format!("/apis/{group}/{version}/namespaces/{namespace}/boxes");
    for (name, size) in [("a", 1), ("b", 2), ("c", 1), ("d", 3)] {
        let made = client.post(&path("v1"), a_box(group, "v1", name, "size", size)).await;
        assert_eq!(made.code, 201, "{}", made.text());
    }
    let selected = format!("{}?fieldSelector=spec.width%3D1", path("v2"));
    hook.take_requests();
    let list = client.get(&selected).await.json();
    assert_eq!(names(&list), ["a", "c"]);
    assert_eq!(list["items"][0]["spec"], json!({"width": 1}));
    assert_eq!(hook.take_requests().len(), 1, "one call, though objects are selected before");

    // Pages, from the cache and from the store, which end behind the last object that matches.
    let first = client.get(&format!("{selected}&limit=1")).await.json();
    assert_eq!(names(&first), ["a"]);
    let token = first["metadata"]["continue"].as_str().unwrap();
    let second = client.get(&format!("{selected}&limit=1&continue={token}")).await.json();
    assert_eq!(names(&second), ["c"]);
    let token = second["metadata"]["continue"].as_str().unwrap();
    let third = client.get(&format!("{selected}&limit=1&continue={token}")).await.json();
    assert!(names(&third).is_empty() && third["metadata"]["continue"] == "", "{third}");

    let mut events = client.watch(&format!("{selected}&watch=1&timeoutSeconds=20")).await;
    for name in ["a", "c"] {
        let event = events.next().await.unwrap();
        assert_eq!(
            (&event["type"], &event["object"]["metadata"]["name"]),
            (&json!("ADDED"), &json!(name))
        );
    }
    hook.take_requests();
    for (name, size, expected) in [
        ("b", 1, Some("ADDED")),
        ("a", 5, Some("DELETED")),
        ("d", 4, None),
        ("c", 1, Some("MODIFIED")),
    ] {
        let patch = json!({"metadata": {"labels": {"is": "patched"}}, "spec": {"size": size}});
        let patched = client.patch(&format!("{}/{name}", path("v1")), patch).await.json();
        let Some(expected) = expected else { continue };
        let event = events.next().await.unwrap();
        let object = &event["object"];
        assert_eq!((&event["type"], &object["metadata"]["name"]), (&json!(expected), &json!(name)));
        assert_eq!(object["spec"], json!({"width": 1}), "the last state that matched");
        let version = &patched["metadata"]["resourceVersion"];
        assert_eq!(&object["metadata"]["resourceVersion"], version);
    }
    // Each change has two states.
    assert_eq!(hook.take_requests().len(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_that_a_webhook_sets_select() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let (hook, group) = (Hook::start().await, "labelled.hooks.example.com");
    let url = format!("https://127.0.0.1:{}/labels", hook.port);
    define(&client, definition(group, &url, &hook.bundle, &["v1"])).await;
    let path = |version: &str| format!("/apis/{group}/{version}/namespaces/{namespace}/boxes");
    client.post(&path("v1"), a_box(group, "v1", "a", "size", 1)).await;
    let selected = |version: &str| format!("{}?labelSelector=from%3Dhook", path(version));
    assert_eq!(names(&client.get(&selected("v2")).await.json()), ["a"]);
    assert!(names(&client.get(&selected("v1")).await.json()).is_empty());
}
