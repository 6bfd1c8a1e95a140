//! Tests of custom objects: requests that the reference answers otherwise than for built-in kinds, versions, subresources.

use crate::client::text;
use crate::definitions::{DEFINITIONS, created, group, open, spec, widget, widgets, widgets_path};
use crate::server::Server;
use hyper::Method;
use serde_json::json;

#[tokio::test]
async fn bodies_are_what_they_say() {
    let client = Server::shared().admin().await;
    let group = group();
    let path = widgets_path(&group);
    created(&client, DEFINITIONS, widgets(&group, spec(json!({"a": {"type": "integer"}})))).await;
    let refusal = async |body: serde_json::Value| client.post(&path, body).await.refusal();
    let nameless = json!({"metadata": {"name": "a"}});
    let missing = r#"the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{"metadata":{"name":"a"}}' ({"metadata":{"name":"a"}})"#;
    assert_eq!(refusal(nameless).await, (400, missing.into()));
    let mut other = widget(&group, "a", json!({}));
    other["kind"] = json!("Gadget");
    let message =
        format!("Gadget.{group} \"a\" is invalid: kind: Invalid value: \"Gadget\": must be Widget");
    assert_eq!(refusal(other).await, (422, message));
    let mut newer = widget(&group, "a", json!({}));
    newer["apiVersion"] = json!(format!("{group}/v9"));
    let message = format!(
        "the API version in the data ({group}/v9) does not match the expected API version ({group}/v1)"
    );
    assert_eq!(refusal(newer).await, (400, message));
    let mut labels = widget(&group, "a", json!({}));
    labels["metadata"]["labels"] = json!({"a": 1});
    let message = r#"Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"#;
    assert_eq!(refusal(labels).await, (400, message.into()));
    let strict = client
        .post(&format!("{path}?fieldValidation=Strict"), widget(&group, "a", json!({"zz": 1})))
        .await;
    let message = r#"Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.zz""#;
    assert_eq!(strict.refusal(), (400, message.into()));
    created(&client, &path, widget(&group, "a", json!({}))).await;
    let strategic = [("content-type", "application/strategic-merge-patch+json")];
    let patched = client.send(Method::PATCH, &format!("{path}/a"), &strategic, "{}").await;
    let types =
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {types}"
    );
    assert_eq!(patched.refusal(), (415, message));
    let strict =
        client.patch(&format!("{path}/a?fieldValidation=Strict"), json!({"spec": {"zz": 1}})).await;
    let (code, message) = strict.refusal();
    assert_eq!(code, 422, "{message}");
    assert!(
        message.starts_with(" \"\" is invalid: patch: Invalid value: \"{\\\"apiVersion\\\":"),
        "{message}"
    );
    assert!(message.ends_with("strict decoding error: unknown field \"spec.zz\""), "{message}");
}

#[tokio::test]
async fn paths_are_routed_as_in_the_reference() {
    let client = Server::shared().admin().await;
    let group = group();
    let path = widgets_path(&group);
    let all = format!("/apis/{group}/v1/widgets");
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    assert_eq!(client.get(&all).await.code, 200);
    let object = || widget(&group, "a", json!({}));
    assert_eq!(client.post(&all, object()).await.text(), "404 page not found\n");
    assert_eq!(client.delete(&all).await.text(), "404 page not found\n");
    assert_eq!(client.get(&format!("{all}/a")).await.text(), "404 page not found\n");
    created(&client, &format!("{path}/a"), object()).await;
    assert_eq!(client.put(&path, object()).await.refusal(), (400, "name must be provided".into()));
    let missing = format!("widgets.{group} \"a\" not found");
    assert_eq!(client.get(&format!("{path}/a/status")).await.refusal(), (404, missing));
    let html = client.get_as(&path, "text/html").await;
    let types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    assert_eq!(
        html.refusal(),
        (406, format!("only the following media types are accepted: {types}"))
    );
    let protobuf = client.get_as(&format!("{path}/a"), "application/vnd.kubernetes.protobuf").await;
    assert_eq!(protobuf.code, 406);
    let yaml = client.get_as(&format!("{path}/a"), "application/yaml").await;
    assert!(yaml.code == 200 && yaml.text().contains("kind: Widget"), "{}", yaml.text());
    let unknown = client.get(&format!("{path}?fieldSelector=spec.x%3D1")).await;
    assert_eq!(unknown.refusal(), (400, "field label not supported: spec.x".into()));
}

#[tokio::test]
async fn versions_share_their_objects() {
    let client = Server::shared().admin().await;
    let group = group();
    let schema = |properties| json!({"openAPIV3Schema": spec(properties)});
    let mut definition = widgets(&group, open());
    let both = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    definition["spec"]["versions"] = json!([
        {"name": "v1", "served": true, "storage": true, "schema": schema(json!({"a": {"type": "string"}}))},
        {"name": "v2", "served": true, "storage": false, "schema": schema(both), "deprecated": true,
         "selectableFields": [{"jsonPath": ".spec.a"}]},
    ]);
    created(&client, DEFINITIONS, definition).await;
    let (v1, v2) = (widgets_path(&group), widgets_path(&group).replace("/v1/", "/v2/"));
    created(&client, &v1, widget(&group, "a", json!({"a": "x"}))).await;
    let answer = client.get(&format!("{v2}/a")).await;
    assert_eq!(answer.json()["apiVersion"], json!(format!("{group}/v2")));
    assert_eq!(answer.header("warning"), format!("299 - \"{group}/v2 Widget is deprecated\""));
    let patched = client.patch(&format!("{v2}/a"), json!({"spec": {"b": "y"}})).await.json();
    assert_eq!(patched["spec"], json!({"a": "x"}), "the storage version does not know it");
    let switch = json!([
        {"op": "replace", "path": "/spec/versions/0/storage", "value": false},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": true},
    ]);
    let json_patch = [("content-type", "application/json-patch+json")];
    let definition = format!("{DEFINITIONS}/widgets.{group}");
    let switched =
        client.send(Method::PATCH, &definition, &json_patch, switch.to_string()).await.json();
    assert_eq!(switched["status"]["storedVersions"], json!(["v1", "v2"]));
    let patched = client.patch(&format!("{v2}/a"), json!({"spec": {"b": "y"}})).await.json();
    assert_eq!(patched["spec"], json!({"a": "x", "b": "y"}));
    assert_eq!(client.get(&format!("{v1}/a")).await.json()["spec"], json!({"a": "x"}));
    let list = client.get(&v1).await.json();
    assert_eq!(list["items"][0]["apiVersion"], json!(format!("{group}/v1")));
    assert_eq!(client.get(&format!("{v2}?fieldSelector=spec.a%3Dx")).await.names(), ["a"]);
    assert!(client.get(&format!("{v2}?fieldSelector=spec.a%3Dz")).await.names().is_empty());
    let mut events = client.watch(&format!("{v1}?watch=1")).await;
    let event = events.next().await.unwrap();
    assert_eq!(event["object"]["apiVersion"], json!(format!("{group}/v1")));
    assert_eq!(event["object"]["spec"], json!({"a": "x"}));
}

#[tokio::test]
async fn status_and_scale_are_apart() {
    let client = Server::shared().admin().await;
    let group = group();
    let mut definition = widgets(&group, open());
    definition["spec"]["versions"][0]["subresources"] = json!({
        "status": {},
        "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
    });
    created(&client, DEFINITIONS, definition).await;
    let path = widgets_path(&group);
    let mut object = widget(&group, "a", json!({"x": 1}));
    object["status"] = json!({"replicas": 5});
    let made = created(&client, &path, object).await.json();
    assert_eq!(made["status"], json!(null));
    let one = format!("{path}/a");
    let body = json!({"spec": {"x": 2}, "status": {"replicas": 3}});
    let status = client.patch(&format!("{one}/status"), body).await.json();
    assert_eq!((&status["spec"], &status["status"]), (&json!({"x": 1}), &json!({"replicas": 3})));
    assert_eq!(status["metadata"]["generation"], json!(1));
    let missing = client.get(&format!("{one}/scale")).await;
    let why = "Internal error occurred: the spec replicas field \".spec.replicas\" does not exist";
    assert_eq!(missing.refusal(), (500, why.into()));
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 4}});
    let scaled = client.put(&format!("{one}/scale"), scale).await.json();
    assert_eq!(
        (&scaled["spec"], &scaled["status"]),
        (&json!({"replicas": 4}), &json!({"replicas": 3}))
    );
    let object = client.get(&one).await.json();
    assert_eq!(object["spec"], json!({"x": 1, "replicas": 4}));
    assert_eq!(object["metadata"]["generation"], json!(2));
    let deleted = client.delete(&format!("{one}/status")).await;
    let message = format!("delete is not supported on resources of kind \"widgets.{group}\"");
    assert_eq!(deleted.refusal(), (405, message));
    let success = client.delete(&one).await.json();
    assert_eq!(
        (text(&success["kind"]), text(&success["details"]["kind"])),
        ("Status".into(), "widgets".into())
    );
}

#[tokio::test]
async fn an_update_that_changes_nothing_writes_nothing() {
    let client = Server::shared().admin().await;
    let group = group();
    let path = widgets_path(&group);
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    let spec = json!({"b": {"y": 1, "x": [1, 2.5]}, "a": null});
    let made = created(&client, &path, widget(&group, "a", spec)).await;
    let mut same = made.json();
    same["spec"] = json!({"a": null, "b": {"x": [1, 2.5], "y": 1}});
    let put = client.put(&format!("{path}/a"), same).await;
    assert_eq!((put.code, put.version()), (200, made.version()), "{}", put.text());
}
