//! Tests of server-side apply and `managedFields`: who owns what, over HTTP.

use crate::client::{Answer, Client, text};
use crate::server::Server;
use hyper::Method;
use serde_json::{Value, json};

const APPLY: (&str, &str) = ("content-type", "application/apply-patch+yaml");

async fn apply(client: &Client, path: &str, manager: &str, body: &Value) -> Answer {
    let separator = if path.contains('?') { '&' } else { '?' };
    let path = format!("{path}{separator}fieldManager={manager}");
    client.send(Method::PATCH, &path, &[APPLY], body.to_string()).await
}

fn config_map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// The entries of an object: manager, operation, subresource and fields.
fn owners(object: &Value) -> Vec<(String, String, String, Value)> {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let owner = |entry: &Value| {
        let word = |name: &str| text(&entry[name]);
        (word("manager"), word("operation"), word("subresource"), entry["fieldsV1"].clone())
    };
    entries.iter().map(owner).collect()
}

fn managers(object: &Value) -> Vec<String> {
    owners(object).into_iter().map(|(manager, ..)| manager).collect()
}

#[tokio::test]
async fn a_configuration_creates_changes_and_gives_up() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let path = format!("{maps}/a");
    let made = apply(&client, &path, "m1", &config_map("a", json!({"a": "1", "b": "1"}))).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let owner = ("m1".into(), "Apply".into(), String::new());
    let fields = json!({"f:data": {"f:a": {}, "f:b": {}}});
    assert_eq!(owners(&made.json()), [(owner.0, owner.1, owner.2, fields)]);

    let again = apply(&client, &path, "m1", &config_map("a", json!({"a": "1", "b": "1"}))).await;
    assert_eq!((again.code, again.version()), (200, made.version()), "nothing is written");

    let other = apply(&client, &path, "m2", &config_map("a", json!({"a": "2"}))).await;
    let message = r#"Apply failed with 1 conflict: conflict with "m1": .data.a"#;
    assert_eq!(other.refusal(), (409, message.into()));
    let cause = json!({"reason": "FieldManagerConflict", "message": "conflict with \"m1\"", "field": ".data.a"});
    assert_eq!(other.json()["details"], json!({"causes": [cause]}));

    let (force, two) = (format!("{path}?force=true"), config_map("a", json!({"a": "2"})));
    let forced = apply(&client, &force, "m2", &two).await;
    assert_eq!(managers(&forced.json()), ["m1", "m2"]);
    let less = apply(&client, &path, "m1", &config_map("a", json!({}))).await.json();
    assert_eq!(less["data"], json!({"a": "2"}), "b was m1's alone");
}

#[tokio::test]
async fn other_writes_own_what_they_change() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let made = client
        .send(
            Method::POST,
            &format!("{maps}?fieldManager=creator"),
            &[("content-type", "application/json")],
            config_map("a", json!({"a": "1"})).to_string(),
        )
        .await;
    let fields = json!({"f:data": {".": {}, "f:a": {}}});
    assert_eq!(owners(&made.json()), [("creator".into(), "Update".into(), String::new(), fields)]);

    let agent = [("content-type", "application/merge-patch+json"), ("user-agent", "tool/1.0 (x)")];
    let path = format!("{maps}/a");
    let patch = json!({"data": {"b": "1"}}).to_string();
    let patched = client.send(Method::PATCH, &path, &agent, patch.clone()).await;
    // By time, and within a second by name.
    assert_eq!(managers(&patched.json()), ["creator", "tool"]);
    let again = client.send(Method::PATCH, &path, &agent, patch).await;
    assert_eq!(again.version(), patched.version());

    let reset = client.patch(&path, json!({"metadata": {"managedFields": [{}]}})).await.json();
    assert!(owners(&reset).is_empty());
    let still = client.patch(&path, json!({"data": {"c": "1"}})).await.json();
    assert!(owners(&still).is_empty(), "until somebody applies");
    let applied = apply(&client, &path, "m1", &config_map("a", json!({"c": "1"}))).await.json();
    assert_eq!(managers(&applied), ["m1", "before-first-apply"]);
}

#[tokio::test]
async fn subresources_have_entries_of_their_own() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments/a");
    let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {
        "replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    assert_eq!(apply(&client, &path, "m1", &deployment).await.code, 201);

    let status = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"},
        "spec": {"replicas": 7}, "status": {"replicas": 3}});
    let written = apply(&client, &format!("{path}/status"), "s1", &status).await;
    assert_eq!(written.code, 200, "{}", written.text());
    let written = written.json();
    assert_eq!(
        (&written["spec"]["replicas"], &written["status"]["replicas"]),
        (&json!(1), &json!(3))
    );
    let fields = json!({"f:status": {"f:replicas": {}}});
    let owner = ("s1".into(), "Apply".into(), "status".into(), fields);
    assert!(owners(&written).contains(&owner), "{written}");

    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 5}});
    let scaled = apply(&client, &format!("{path}/scale"), "x1", &scale).await;
    assert_eq!(scaled.refusal().0, 409, "{}", scaled.text());
    let scaled = apply(&client, &format!("{path}/scale?force=true"), "x1", &scale).await;
    assert_eq!(scaled.json()["metadata"]["managedFields"], Value::Null, "{}", scaled.text());
    let object = client.get(&path).await.json();
    let fields = json!({"f:spec": {"f:replicas": {}}});
    assert!(owners(&object).contains(&("x1".into(), "Apply".into(), "scale".into(), fields)));
    assert_eq!(object["spec"]["replicas"], 5);
    let absent = apply(&client, &format!("{path}-none/status"), "s1", &json!({})).await;
    assert_eq!(absent.code, 404);
}

#[tokio::test]
async fn what_is_no_configuration_is_refused() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let path = format!("{maps}/a");
    let valid = config_map("a", json!({"a": "1"})).to_string();
    let required = "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch";
    let rows: [(&str, &str, u16, &str); 6] = [
        ("", &valid, 422, required),
        (
            "?fieldManager=a%09b",
            &valid,
            422,
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: \"a\\tb\": invalid character U+0009 (at position 1)",
        ),
        (
            "?fieldManager=m",
            "[]",
            400,
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (
            "?fieldManager=m",
            "apiVersion: v1\nkind: Secret\n",
            400,
            "invalid object type: /v1, Kind=Secret",
        ),
        (
            "?fieldManager=m",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, managedFields: []}\n",
            400,
            "metadata.managedFields must be nil",
        ),
        (
            "?fieldManager=m",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndatum: {}\n",
            500,
            "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .datum: field not declared in schema",
        ),
    ];
    for (query, body, code, message) in rows {
        let answer =
            client.send(Method::PATCH, &format!("{path}{query}"), &[APPLY], body.to_owned()).await;
        assert_eq!(answer.refusal(), (code, message.to_owned()));
    }
    for kind in ["application/apply-patch+cbor", "application/apply-patch+json", "text/plain"] {
        let answer =
            client.send(Method::PATCH, &path, &[("content-type", kind)], valid.clone()).await;
        assert_eq!(answer.refusal(), (415, "415: Unsupported Media Type".into()), "{kind}");
    }
    assert!(client.get(&maps).await.names().is_empty());
}

#[tokio::test]
async fn lists_watches_and_other_forms_show_the_entries() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let from = client.get(&maps).await.version();
    let mut watch = client.watch(&format!("{maps}?watch=true&resourceVersion={from}")).await;
    for name in ["a", "b"] {
        let path = format!("{maps}/{name}");
        assert_eq!(
            apply(&client, &path, "m1", &config_map(name, json!({"a": "1"}))).await.code,
            201
        );
    }
    let list = client.get(&maps).await.json();
    let fields = json!({"f:data": {"f:a": {}}});
    for item in list["items"].as_array().unwrap() {
        assert_eq!(owners(item)[0].3, fields);
        assert_eq!(item["data"], json!({"a": "1"}));
    }
    let event = watch.next().await.unwrap();
    assert_eq!(owners(&event["object"])[0].3, fields);
    let partial = client
        .get_as(&maps, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
        .await
        .json();
    assert_eq!(owners(&partial["items"][0])[0].3, fields);
    let path = format!("{maps}/a");
    let yaml = client.get_as(&path, "application/yaml").await;
    assert!(yaml.text().contains("managedFields:"), "{}", yaml.text());
    let gone = client.send(Method::DELETE, &path, &[], "").await;
    assert_eq!(gone.code, 200);
}
