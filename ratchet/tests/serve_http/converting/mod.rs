//! Tests of conversion webhooks: on read, on write, in lists and in watches, and when they fail.

mod hook;
mod selecting;
mod writing;

use self::hook::Hook;
use crate::client::Client;
use crate::own_address::own_address;
use crate::server::Server;
use serde_json::{Value, json};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn definition(group: &str, url: &str, bundle: &str, reviews: &[&str]) -> Value {
    let version = |name: &str, field: &str, storage: bool| {
        let spec = json!({"type": "object", "properties": {field: {"type": "integer"}}});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": schema}})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("boxes.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "boxes", "singular": "box", "kind": "Box"},
            "versions": [version("v1", "size", true), version("v2", "width", false)],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": reviews,
                "clientConfig": {"url": url, "caBundle": bundle},
            }},
        },
    })
}

fn a_box(group: &str, version: &str, name: &str, field: &str, value: i64) -> Value {
    json!({
        "apiVersion": format!("{group}/{version}"),
        "kind": "Box",
        "metadata": {"name": name},
        "spec": {field: value},
    })
}

async fn define(client: &Client, definition: Value) {
    let made = client.post(DEFINITIONS, definition).await;
    assert_eq!(made.code, 201, "{}", made.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_converted_on_their_way() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    for (group, reviews) in [("old.hooks.example.com", "v1beta1"), ("hooks.example.com", "v1")] {
        let hook = Hook::start().await;
        let url = format!("https://127.0.0.1:{}/convert", hook.port);
        define(&client, definition(group, &url, &hook.bundle, &[reviews])).await;
        let path = |version: &str| format!("/apis/{group}/{version}/namespaces/{namespace}/boxes");
        let made = client.post(&path("v1"), a_box(group, "v1", "a", "size", 1)).await;
        assert_eq!(made.code, 201, "{}", made.text());
        assert!(hook.take_requests().is_empty(), "the stored version needs no webhook");

        let read = client.get(&format!("{}/a", path("v2"))).await.json();
        assert_eq!(
            (&read["apiVersion"], &read["spec"]),
            (&json!(format!("{group}/v2")), &json!({"width": 1}))
        );
        assert_eq!(read["metadata"], made.json()["metadata"]);
        let requests = hook.take_requests();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0]["desiredAPIVersion"], format!("{group}/v2"));
        assert_eq!(requests[0]["objects"][0]["spec"], json!({"size": 1}));

        let made = client.post(&path("v2"), a_box(group, "v2", "b", "width", 2)).await;
        assert_eq!(
            (made.code, &made.json()["spec"]),
            (201, &json!({"width": 2})),
            "{}",
            made.text()
        );
        let stored = client.get(&format!("{}/b", path("v1"))).await.json();
        assert_eq!(stored["spec"], json!({"size": 2}));
        let patch = json!({"spec": {"width": 3}});
        let patched = client.patch(&format!("{}/b", path("v2")), patch).await;
        assert_eq!((patched.code, &patched.json()["spec"]), (200, &json!({"width": 3})));
        let stored = client.get(&format!("{}/b", path("v1"))).await.json();
        assert_eq!(
            (&stored["spec"], &stored["metadata"]["generation"]),
            (&json!({"size": 3}), &json!(2))
        );

        hook.take_requests();
        let list = client.get(&path("v2")).await.json();
        let widths: Vec<_> = list["items"].as_array().unwrap().iter().collect();
        let widths: Vec<_> = widths.iter().map(|item| &item["spec"]["width"]).collect();
        assert_eq!(widths, [1, 3]);
        let requests = hook.take_requests();
        assert_eq!(requests.len(), 1, "one call for all objects");
        assert_eq!(requests[0]["objects"].as_array().unwrap().len(), 2);

        let version = &list["metadata"]["resourceVersion"].as_str().unwrap();
        let watch = format!("{}?watch=1&timeoutSeconds=5&resourceVersion={version}", path("v2"));
        let mut events = client.watch(&watch).await;
        hook.take_requests();
        client.patch(&format!("{}/a", path("v1")), json!({"spec": {"size": 9}})).await;
        let event = events.next().await.unwrap();
        assert_eq!(
            (&event["type"], &event["object"]["spec"]),
            (&json!("MODIFIED"), &json!({"width": 9}))
        );
        assert_eq!(event["object"]["apiVersion"], format!("{group}/v2"));
        assert_eq!(hook.take_requests().len(), 1, "one call for an event");
        let table =
            client.get_as(&path("v2"), "application/json;as=Table;v=v1;g=meta.k8s.io").await.json();
        assert_eq!(table["rows"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_one_version_shares_its_conversions() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let (hook, group) = (Hook::start().await, "shared.hooks.example.com");
    let url = format!("https://127.0.0.1:{}/convert", hook.port);
    define(&client, definition(group, &url, &hook.bundle, &["v1"])).await;
    let path = |version: &str| format!("/apis/{group}/{version}/namespaces/{namespace}/boxes");
    for name in ["a", "b", "c"] {
        let made = client.post(&path("v1"), a_box(group, "v1", name, "size", 1)).await;
        assert_eq!(made.code, 201, "{}", made.text());
    }
    let mut watches = Vec::new();
    for _ in 0..5 {
        let mut events = client.watch(&format!("{}?watch=1&timeoutSeconds=20", path("v2"))).await;
        for _ in 0..3 {
            assert_eq!(events.next().await.unwrap()["object"]["spec"], json!({"width": 1}));
        }
        let requests = hook.take_requests();
        assert_eq!(requests.len(), 1, "one call for all objects that are there");
        watches.push(events);
    }
    client.patch(&format!("{}/a", path("v1")), json!({"spec": {"size": 2}})).await;
    for events in &mut watches {
        let event = events.next().await.unwrap();
        assert_eq!(
            (&event["type"], &event["object"]["spec"]),
            (&json!("MODIFIED"), &json!({"width": 2}))
        );
    }
    assert_eq!(hook.take_requests().len(), 1, "one call for all who watch");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_fails_is_an_error_in_the_words_of_the_reference() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let hook = Hook::start().await;
    let start = |group: &str| format!("conversion webhook for {group}/v1, Kind=Box ");
    for (name, url, text) in [
        ("fails", format!("https://127.0.0.1:{}/fails", hook.port), "failed: not today"),
        (
            "loses",
            format!("https://127.0.0.1:{}/loses", hook.port),
            "returned 0 objects, expected 1",
        ),
        (
            "renames",
            format!("https://127.0.0.1:{}/renames", hook.port),
            "returned invalid object: must have the same name: a != other",
        ),
        (
            "nobody",
            "https://127.0.0.1:1/convert".to_owned(),
            "failed: Post \"https://127.0.0.1:1/convert?timeout=30s\": dial tcp 127.0.0.1:1: connect: connection refused",
        ),
    ] {
        let group = format!("{name}.hooks.example.com");
        define(&client, definition(&group, &url, &hook.bundle, &["v1"])).await;
        let path = |version: &str| format!("/apis/{group}/{version}/namespaces/{namespace}/boxes");
        client.post(&path("v1"), a_box(&group, "v1", "a", "size", 1)).await;
        let expected = (500, format!("{}{text}", start(&group)));
        assert_eq!(client.get(&format!("{}/a", path("v2"))).await.refusal(), expected);
        assert_eq!(client.get(&path("v2")).await.refusal(), expected);
        // What needs no conversion is served.
        assert_eq!(client.get(&format!("{}/a", path("v1"))).await.code, 200);
    }
    let group = "labels.hooks.example.com";
    let url = format!("https://127.0.0.1:{}/labels", hook.port);
    define(&client, definition(group, &url, &hook.bundle, &["v1"])).await;
    let path = |version: &str| format!("/apis/{group}/{version}/namespaces/{namespace}/boxes");
    client.post(&path("v1"), a_box(group, "v1", "a", "size", 1)).await;
    let read = client.get(&format!("{}/a", path("v2"))).await.json();
    assert_eq!(read["metadata"]["labels"], json!({"from": "hook"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_behind_a_service_is_asked_at_an_endpoint() {
    let address = own_address().to_string();
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let hook = Hook::start().await;
    let group = "routed.hooks.example.com";
    let mut definition = definition(group, "https://unused", &hook.bundle, &["v1"]);
    definition["spec"]["conversion"]["webhook"]["clientConfig"] = json!({"caBundle": hook.bundle,
        "service": {"namespace": "converters", "name": "convert", "path": "/convert"}});
    define(&client, definition).await;
    let path = |version: &str| format!("/apis/{group}/{version}/namespaces/{namespace}/boxes");
    let made = client.post(&path("v1"), a_box(group, "v1", "a", "size", 1)).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let start = format!(
        "conversion webhook for {group}/v1, Kind=Box failed: Post \"https://convert.converters.svc:443/convert?timeout=30s\": "
    );
    let item = format!("{}/a", path("v2"));
    let read = || client.get(&item);
    assert_eq!(read().await.refusal(), (500, format!("{start}service \"convert\" not found")));

    client.post("/api/v1/namespaces", json!({"metadata": {"name": "converters"}})).await;
    let services = "/api/v1/namespaces/converters/services";
    let service = json!({"metadata": {"name": "convert"}, "spec": {"ports": [{"port": 444}]}});
    assert_eq!(client.post(services, service).await.code, 201);
    let why = "no service port 443 found for service \"convert\"";
    assert_eq!(read().await.refusal(), (500, format!("{start}{why}")));
    let ports = json!({"spec": {"ports": [{"port": 443, "protocol": "TCP"}]}});
    let patched = client.patch(&format!("{services}/convert"), ports).await;
    assert_eq!(patched.code, 200, "{}", patched.text());
    let metadata = json!({"name": "c", "labels": {"kubernetes.io/service-name": "convert"}});
    let slice = json!({"metadata": metadata, "addressType": "IPv4",
        "endpoints": [{"addresses": [address]}], "ports": [{"name": "", "port": hook.port}]});
    let slices = "/apis/discovery.k8s.io/v1/namespaces/converters/endpointslices";
    let made = client.post(slices, slice).await;
    assert_eq!(made.code, 201, "{}", made.text());
    assert_eq!(read().await.json()["spec"], json!({"width": 1}));
}
