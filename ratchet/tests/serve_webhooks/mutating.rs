//! Tests of mutating webhooks: patches, their order, reinvocation.

use crate::hook::Reply;
use crate::stage::Stage;
use serde_json::{Value, json};

fn add(path: &str, value: Value) -> Value {
    json!({"op": "add", "path": path, "value": value})
}

#[tokio::test]
async fn a_patch_is_applied_before_the_object_is_validated() {
    let stage = Stage::new().await;
    stage
        .mutating(json!({}), |review| match &review["request"]["object"]["data"]["heal"] {
            Value::Null => Reply::patch(json!([add("/data/by", json!("hook"))])),
            _ => Reply::patch(json!([add("/metadata/labels", json!({"bad key!": "x"}))])),
        })
        .await;
    let made = stage.make("a", json!({"k": "1"})).await;
    assert_eq!((made.code, &made.json()["data"]), (201, &json!({"k": "1", "by": "hook"})));
    let invalid = stage.make("b", json!({"heal": "no"})).await;
    assert_eq!(invalid.code, 422, "{}", invalid.text());
    let seen = &stage.hook.requests(&stage.path("m"))[0]["object"]["metadata"];
    assert_eq!((&seen["uid"], &seen["creationTimestamp"]), (&Value::Null, &Value::Null));
    assert_eq!(seen["namespace"], stage.namespace);
}

#[tokio::test]
async fn what_a_patch_adds_gets_its_defaults() {
    let stage = Stage::new().await;
    let rules = json!({"rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"],
        "operations": ["CREATE"]}]});
    stage
        .mutating(rules, |_| {
            let side = json!({"name": "side", "image": "side"});
            Reply::patch(json!([add("/spec/containers/-", side)]))
        })
        .await;
    let pods = format!("/api/v1/namespaces/{}/pods", stage.namespace);
    let pod =
        json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let made = stage.client.post(&pods, pod).await;
    assert_eq!(made.code, 201, "{}", made.text());
    assert_eq!(made.json()["spec"]["containers"][1]["imagePullPolicy"], "Always");
}

#[tokio::test]
async fn webhooks_see_what_those_before_made_and_are_called_again_if_they_want() {
    let stage = Stage::new().await;
    let count = |review: &Value| {
        let data = &review["request"]["object"]["data"];
        data.as_object().map_or(0, serde_json::Map::len)
    };
    stage.hook.script(&stage.path("m1"), move |review| {
        let size = count(review).to_string();
        Reply::patch(json!([add("/data/first", json!(size))]))
    });
    stage.hook.script(&stage.path("m2"), move |review| {
        let size = count(review).to_string();
        Reply::patch(json!([add("/data/second", json!(size))]))
    });
    let webhooks = vec![
        stage.webhook("m1", json!({"reinvocationPolicy": "IfNeeded"})),
        stage.webhook("m2", json!({})),
    ];
    stage.configure("mutating", webhooks).await;
    let made = stage.make("a", json!({"k": "1"})).await;
    assert_eq!(made.json()["data"], json!({"k": "1", "first": "3", "second": "2"}));
    assert_eq!(stage.hook.requests(&stage.path("m1")).len(), 2);
    assert_eq!(stage.hook.requests(&stage.path("m2")).len(), 1, "it did not ask for more");
}

#[tokio::test]
async fn an_update_to_another_version_is_a_conflict() {
    let stage = Stage::new().await;
    assert_eq!(stage.make("a", json!({"k": "1"})).await.code, 201);
    stage
        .mutating(json!({}), |_| {
            Reply::patch(json!([add("/metadata/resourceVersion", json!("1"))]))
        })
        .await;
    let one = format!("{}/a", stage.maps);
    assert_eq!(stage.client.patch(&one, json!({"data": {"k": "2"}})).await.code, 409);
}

#[tokio::test]
async fn a_patch_that_does_not_apply_is_an_error_whatever_the_policy_is() {
    let stage = Stage::new().await;
    let ignore = json!({"failurePolicy": "Ignore"});
    stage.mutating(ignore, |_| Reply::patch(json!([{"op": "remove", "path": "/data/nope"}]))).await;
    let why = "error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value";
    let refused = stage.make("a", json!({"k": "1"})).await;
    assert_eq!(refused.refusal(), (500, format!("Internal error occurred: {why}")));
}

#[tokio::test]
async fn the_scale_of_a_workload_can_be_changed() {
    let stage = Stage::new().await;
    let deployments = format!("/apis/apps/v1/namespaces/{}/deployments", stage.namespace);
    let deployment = json!({"metadata": {"name": "d"}, "spec": {"replicas": 1,
        "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    let made = stage.client.post(&deployments, deployment).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let rules = json!({"rules": [{"apiGroups": ["apps"], "apiVersions": ["v1"],
        "resources": ["deployments/scale"], "operations": ["UPDATE"]}]});
    stage
        .mutating(rules, |_| {
            Reply::patch(json!([{"op": "replace", "path": "/spec/replicas", "value": 3}]))
        })
        .await;
    let scale = format!("{deployments}/d/scale");
    let scaled = stage.client.patch(&scale, json!({"spec": {"replicas": 7}})).await;
    assert_eq!(scaled.json()["spec"]["replicas"], 3, "{}", scaled.text());
    let request = &stage.hook.requests(&stage.path("m"))[0];
    assert_eq!(request["kind"]["kind"], "Scale");
    assert_eq!(request["oldObject"]["spec"]["replicas"], 1);
}
