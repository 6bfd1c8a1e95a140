//! Tests of content negotiation: media types, weights, metadata and tables of answers and of watches; limits of time.

use crate::client::{text, unfinished};
use crate::definitions::{DEFINITIONS, created, group, open, widget, widgets, widgets_path};
use crate::forms::{PROTOBUF, fields, first};
use crate::server::{ADMIN, Server};
use hyper::Method;
use serde_json::{Value, json};

/// An Accept clause of a form in a media type.
fn form(media_type: &str, kind: &str) -> String {
    format!("{media_type};as={kind};g=meta.k8s.io;v=v1")
}

/// Kind and raw message of an envelope.
fn envelope(bytes: &[u8]) -> (String, &[u8]) {
    assert_eq!(&bytes[..4], b"k8s\0");
    let kind = first(first(&bytes[4..], 1), 2);
    (String::from_utf8_lossy(kind).into_owned(), first(&bytes[4..], 2))
}

/// The frames of a stream.
fn frames(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let length = u32::from_be_bytes(bytes[..4].try_into().unwrap());
        let (frame, rest) = bytes[4..].split_at(usize::try_from(length).unwrap());
        found.push(frame);
        bytes = rest;
    }
    found
}

#[tokio::test]
async fn metadata_comes_in_protobuf() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let group = group();
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    let custom = widgets_path(&group);
    created(&client, &custom, widget(&group, "a", json!({}))).await;
    // What client-go asks for: protobuf if it can be had.
    let clauses = |kind| {
        format!("{},{},application/json", form(PROTOBUF, kind), form("application/json", kind))
    };
    for path in [&maps, &custom] {
        let list = client.get_as(path, &clauses("PartialObjectMetadataList")).await;
        assert_eq!(list.header("content-type"), PROTOBUF, "{path}");
        let (kind, message) = envelope(&list.body);
        assert_eq!(kind, "PartialObjectMetadataList");
        let items: Vec<&[u8]> =
            fields(message).iter().filter(|(at, _)| *at == 2).map(|(_, item)| *item).collect();
        let names: Vec<&[u8]> = items.iter().map(|item| first(first(item, 1), 1)).collect();
        assert_eq!(names, [b"a"]);
        // An item is a message without kind and version.
        assert!(items.iter().all(|item| fields(item).iter().all(|(at, _)| *at == 1)));
        let one = client.get_as(&format!("{path}/a"), &clauses("PartialObjectMetadata")).await;
        let (kind, message) = envelope(&one.body);
        assert_eq!(
            (kind.as_str(), first(first(message, 1), 1)),
            ("PartialObjectMetadata", b"a".as_slice())
        );
        assert_eq!(message, items[0], "alone and in a list it is the same");
    }
}

#[tokio::test]
async fn metadata_is_watched_in_protobuf() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
    let accept = form(PROTOBUF, "PartialObjectMetadata");
    let mut events = client.watch_as(&format!("{maps}?{query}"), &accept).await;
    assert_eq!(events.content_type(), format!("{PROTOBUF};stream=watch"));
    let mut bytes = Vec::new();
    while let Some(more) = events.bytes().await {
        bytes.extend_from_slice(&more);
    }
    let frames = frames(&bytes);
    let object = |frame| envelope(first(first(frame, 2), 1));
    let (kind, message) = object(frames[0]);
    assert_eq!(
        (first(frames[0], 1), kind.as_str()),
        (b"ADDED".as_slice(), "PartialObjectMetadata")
    );
    assert_eq!(first(first(message, 1), 1), b"a");
    let (kind, message) = object(frames[1]);
    assert_eq!(
        (first(frames[1], 1), kind.as_str()),
        (b"BOOKMARK".as_slice(), "PartialObjectMetadata")
    );
    let annotation = first(first(message, 1), 12);
    assert_eq!(first(annotation, 1), b"k8s.io/initial-events-end");
    // No event is a list.
    let accept = form("application/json", "PartialObjectMetadataList");
    let events = client.watch_as(&format!("{maps}?watch=1"), &accept).await.all().await;
    assert_eq!(events, Vec::<Value>::new());
}

#[tokio::test]
async fn lists_and_objects_have_forms_of_their_own() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let one = form("application/json", "PartialObjectMetadata");
    let many = form("application/json", "PartialObjectMetadataList");
    assert_eq!(client.get_as(&maps, &one).await.refusal(), (406, "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)".into()));
    let path = format!("{maps}/a");
    assert_eq!(client.get_as(&path, &many).await.refusal(), (406, "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)".into()));
    assert_eq!(
        client.get_as(&format!("{maps}/no"), &many).await.code,
        404,
        "first of all it is missing"
    );
    let none = client.get_as(&format!("{maps}?labelSelector=no=no"), &many).await.json();
    assert_eq!(none["items"], Value::Null);
    let list = client.get_as(&maps, &many).await.json();
    assert_eq!(list["items"][0]["kind"], "PartialObjectMetadata");
    assert_eq!(list["items"][0]["apiVersion"], "meta.k8s.io/v1");
    let group = group();
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    let custom = client.get_as(&widgets_path(&group), &one).await;
    assert_eq!(
        custom.refusal().1,
        "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)"
    );
    created(&client, &widgets_path(&group), widget(&group, "a", json!({}))).await;
    let custom = client.get_as(&format!("{}/a", widgets_path(&group)), &many).await;
    assert_eq!(custom.refusal(), (500, "content is not a list".into()));
    let table = form("application/json", "Table");
    let odd = client.get_as(&format!("{maps}?includeObject=all"), &table).await;
    assert_eq!(odd.refusal(), (400, "Unable to convert to Table as requested: includeObject: Invalid value: \"all\": must be 'Metadata', 'Object', 'None', or empty".into()));
    // A review is no row of any table.
    let review =
        json!({"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}}).to_string();
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let json = ("content-type", "application/json");
    let refused =
        client.send(Method::POST, reviews, &[json, ("accept", &table)], review.clone()).await;
    assert_eq!(refused.refusal(), (406, "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf".into()));
    let either = format!("{table},application/json");
    let whole = client.send(Method::POST, reviews, &[json, ("accept", &either)], review).await;
    assert_eq!((whole.code, text(&whole.json()["kind"])), (201, "SelfSubjectAccessReview".into()));
}

#[tokio::test]
async fn clauses_are_weighed() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let path = format!("{maps}/a");
    let types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    for (accept, content_type) in [
        ("application/json;q=0.5, application/yaml", "application/yaml"),
        ("application/yaml;q=0.4, application/json;q=0.5", "application/json"),
        ("application/json;;;", "application/json"),
        ("*/*;q=0.1", "application/json"),
    ] {
        let answer = client.get_as(&path, accept).await;
        assert_eq!(answer.header("content-type"), content_type, "{accept}: {}", answer.text());
    }
    let message = format!("406: Not Acceptable\n\nAvailable representations: {types}");
    for accept in ["application/*", "text/html"] {
        let refused = client.get_as(&path, accept).await;
        assert_eq!(refused.refusal(), (406, message.clone()), "{accept}");
        let streams =
            "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
        let list = client.get_as(&maps, accept).await;
        assert_eq!(list.refusal(), (406, format!("{message}, {streams}")));
    }
    let group = group();
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    assert_eq!(client.get_as(&widgets_path(&group), "application/*").await.code, 200);
    let protobuf = client.get_as(&widgets_path(&group), PROTOBUF).await;
    assert_eq!((protobuf.code, protobuf.header("content-type")), (406, PROTOBUF));
}

#[tokio::test]
async fn bookmarks_are_rows_of_tables() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
    let accept = form("application/json", "Table");
    for (include, has_object) in [("Metadata", true), ("None", false)] {
        let path = format!("{maps}?{query}&includeObject={include}");
        let events = client.watch_as(&path, &accept).await.all().await;
        assert!(events.len() >= 2, "{events:?}");
        assert_eq!(events[0]["object"]["columnDefinitions"][0]["name"], "Name");
        let [mark, .., last] = &events[1..] else { panic!("{events:?}") };
        let table = &mark["object"];
        assert_eq!((&mark["type"], &table["kind"]), (&json!("BOOKMARK"), &json!("Table")));
        assert!(table["columnDefinitions"].is_null(), "they came with the first event");
        let row = &table["rows"][0];
        assert_eq!(row["cells"].as_array().map(Vec::len), Some(3));
        // The end of the initial events is told to everybody.
        assert_eq!(row["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
        assert_eq!(
            row["object"]["metadata"]["resourceVersion"],
            table["metadata"]["resourceVersion"]
        );
        assert_eq!(last["object"]["rows"][0]["object"].is_object(), has_object, "{last}");
    }
}

#[tokio::test]
async fn bodies_are_what_their_type_says() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let send = async |content_type: &str, body: &'static str| {
        let headers = [("content-type", content_type)];
        client.send(Method::POST, &maps, &headers, body).await.refusal()
    };
    let unknown = "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf";
    for content_type in ["application/json;;;", "application/json; charset", ";"] {
        assert_eq!(send(content_type, "{}").await, (415, unknown.into()), "{content_type}");
    }
    let nameless = "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required";
    for (content_type, body) in [
        ("application/json;", "{}"),
        ("application/json; charset=utf-8", "null"),
        ("application/yaml", "null"),
        ("application/yaml", "~\n"),
    ] {
        assert_eq!(send(content_type, body).await, (422, nameless.into()), "{content_type} {body}");
    }
    client.map(&maps, "a").await;
    let merge = [("content-type", "application/merge-patch+json")];
    let marked = client.send(Method::PATCH, &format!("{maps}/a"), &merge, "\u{feff}{}").await;
    assert_eq!(
        marked.refusal(),
        (400, "error decoding patch: invalid character 'ï' looking for beginning of value".into())
    );
    let (code, message) = send("application/json", "\u{feff}{}").await;
    assert_eq!(
        (code, message.as_str()),
        (
            400,
            "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'ï' looking for beginning of value (efbbbf7b7d)"
        )
    );
}

#[tokio::test]
async fn a_body_that_does_not_come_is_out_of_time() {
    let server = Server::shared();
    let (_, maps) = server.admin().await.namespace().await;
    let answer = unfinished(server, ADMIN, &format!("{maps}?timeout=300ms")).await;
    assert!(answer.starts_with("HTTP/1.1 504 "), "{answer}");
    assert!(
        answer.contains("Timeout: request did not complete within the allotted timeout"),
        "{answer}"
    );
    let late = server.admin().await.get(&format!("{maps}?timeout=1ns")).await;
    assert_eq!(late.code, 504, "it has no time at all");
    let answer = unfinished(server, ADMIN, &format!("{maps}?timeout=soon")).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    let words = r#"invalid timeout specified in the request URL - time: invalid duration \"soon\""#;
    assert!(answer.contains(words), "{answer}");
}

#[tokio::test]
async fn components_are_asked() {
    let client = Server::shared().admin().await;
    let path = "/api/v1/componentstatuses";
    let list = client.get(path).await.json();
    let names: Vec<String> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| text(&item["metadata"]["name"]))
        .collect();
    assert_eq!(names, ["controller-manager", "scheduler", "etcd-0"]);
    let store = client.get(&format!("{path}/etcd-0")).await.json();
    assert_eq!(
        store["conditions"],
        json!([{"type": "Healthy", "status": "True", "message": "ok"}])
    );
    assert_eq!(store["kind"], "ComponentStatus");
    assert_eq!(
        client.get(&format!("{path}/x")).await.refusal(),
        (404, "componentstatus \"x\" not found".into())
    );
    let watched = client.get(&format!("{path}?watch=1")).await;
    let words = "watch is not supported on resources of kind \"componentstatuses\"";
    assert_eq!(watched.refusal(), (405, words.into()));
    let selected = client.get(&format!("{path}?fieldSelector=metadata.name=etcd-0")).await.json();
    assert_eq!(selected["items"].as_array().map(Vec::len), Some(1));
    let none = client.get(&format!("{path}?labelSelector=a=b")).await.json();
    assert_eq!(none["items"], json!([]));
    let table = client.get_as(path, &form("application/json", "Table")).await.json();
    assert_eq!(table["rows"][2]["cells"], json!(["etcd-0", "Healthy", "ok", ""]));
    let protobuf = client.get_as(path, PROTOBUF).await;
    assert_eq!(envelope(&protobuf.body).0, "ComponentStatusList");
}

#[tokio::test]
async fn health_checks_have_metrics() {
    let client = Server::shared().admin().await;
    assert_eq!(client.get("/readyz").await.code, 200);
    let metrics = client.get("/metrics/slis").await;
    assert_eq!(metrics.header("content-type"), client.get("/metrics").await.header("content-type"));
    for line in [
        "# TYPE kubernetes_healthcheck gauge\n",
        "kubernetes_healthcheck{name=\"etcd\",type=\"readyz\"} 1\n",
        "# TYPE kubernetes_healthchecks_total counter\n",
        "kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"readyz\"} ",
        "process_start_time_seconds ",
    ] {
        assert!(metrics.text().contains(line), "{line}{}", metrics.text());
    }
    assert!(!metrics.text().contains("apiserver_"), "they are the checks' own");
}
