//! Tests of validating webhooks: what they are sent, and what their answers do.

use crate::hook::Reply;
use crate::stage::Stage;
use hyper::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn a_webhook_is_in_force_when_its_configuration_is_written_and_as_long() {
    let stage = Stage::new().await;
    let path = stage.validating(json!({}), |_| Reply::deny("not here")).await;
    let denied = stage.make("a", json!({})).await;
    let message = "admission webhook \"v.example.com\" denied the request: not here";
    assert_eq!(denied.refusal(), (400, message.to_owned()));
    assert_eq!(denied.json()["reason"], Value::Null, "it gave none");
    assert_eq!(stage.client.delete(&path).await.code, 200);
    assert_eq!(stage.make("a", json!({})).await.code, 201);
}

#[tokio::test]
async fn a_webhook_sees_the_whole_request() {
    let stage = Stage::new().await;
    stage.validating(json!({}), |_| Reply::allow()).await;
    let path = format!("{}?fieldManager=me", stage.maps);
    let body = json!({"metadata": {"name": "a"}, "data": {"k": "1"}});
    assert_eq!(stage.client.post(&path, body).await.code, 201);
    let one = format!("{}/a", stage.maps);
    assert_eq!(stage.client.patch(&one, json!({"data": {"k": "2"}})).await.code, 200);
    let grace = json!({"gracePeriodSeconds": 0}).to_string();
    let json_type = [("content-type", "application/json")];
    let gone = stage.client.send(Method::DELETE, &one, &json_type, grace).await;
    assert_eq!(gone.code, 200, "{}", gone.text());
    let requests = stage.hook.requests(&stage.path("v"));
    let seen = |index: usize, path: &str| requests[index].pointer(path).cloned();
    assert_eq!(requests.len(), 3);
    assert_eq!(seen(0, "/operation"), Some(json!("CREATE")));
    assert_eq!(seen(0, "/options/fieldManager"), Some(json!("me")));
    assert_eq!(seen(0, "/userInfo/username"), Some(json!("root")));
    assert_eq!(seen(0, "/namespace"), Some(json!(stage.namespace)));
    assert!(seen(0, "/object/metadata/uid").is_some(), "it is about to be stored");
    assert_eq!(seen(0, "/oldObject"), Some(Value::Null));
    assert_eq!(seen(1, "/operation"), Some(json!("UPDATE")));
    assert_eq!(seen(1, "/oldObject/data/k"), Some(json!("1")));
    assert_eq!(seen(1, "/object/data/k"), Some(json!("2")));
    assert_eq!(seen(1, "/options/kind"), Some(json!("UpdateOptions")));
    assert_eq!(seen(2, "/operation"), Some(json!("DELETE")));
    assert_eq!(seen(2, "/object"), Some(Value::Null));
    assert_eq!(seen(2, "/options/gracePeriodSeconds"), Some(json!(0)));
    let uids: Vec<_> = (0..3).map(|index| seen(index, "/uid")).collect();
    assert!(uids[0] != uids[1] && uids[1] != uids[2], "every call has an id of its own");
}

#[tokio::test]
async fn a_status_of_a_webhook_is_passed_on() {
    let stage = Stage::new().await;
    stage
        .validating(json!({}), |_| {
            Reply::Response(json!({"allowed": false, "warnings": ["first", "second"], "status": {
                "message": "slow down", "code": 429, "reason": "Made-Up",
                "details": {"retryAfterSeconds": 7}}}))
        })
        .await;
    let denied = stage.make("a", json!({})).await;
    assert_eq!((denied.code, denied.header("retry-after")), (429, "7"));
    assert_eq!(denied.json()["reason"], "Made-Up");
    let warnings: Vec<_> =
        denied.headers.get_all("warning").iter().map(|value| value.to_str().unwrap()).collect();
    assert_eq!(warnings, ["299 - \"first\"", "299 - \"second\""]);
}

#[tokio::test]
async fn all_webhooks_are_called_at_the_same_time() {
    let stage = Stage::new().await;
    for name in ["a", "b", "c"] {
        stage
            .hook
            .script(&stage.path(name), |_| Reply::Late(std::time::Duration::from_millis(700)));
    }
    let webhooks = ["a", "b", "c"].map(|name| stage.webhook(name, json!({}))).to_vec();
    stage.configure("validating", webhooks).await;
    let started = std::time::Instant::now();
    assert_eq!(stage.make("x", json!({})).await.code, 201);
    assert!(started.elapsed() < std::time::Duration::from_millis(1900), "{:?}", started.elapsed());
}

#[tokio::test]
async fn match_conditions_decide_who_is_asked() {
    let stage = Stage::new().await;
    let conditions = json!({"matchConditions": [
        {"name": "big", "expression": "size(object.data.k) > 3"}]});
    stage.validating(conditions, |_| Reply::deny("too big")).await;
    assert_eq!(stage.make("small", json!({"k": "abc"})).await.code, 201);
    assert_eq!(stage.make("big", json!({"k": "abcd"})).await.code, 400);
    let broken = stage.make("none", json!({})).await;
    let why = "expression 'size(object.data.k) > 3' resulted in error: no such key: data";
    assert_eq!(broken.refusal(), (403, format!("configmaps \"none\" is forbidden: {why}")));
    assert_eq!(stage.hook.requests(&stage.path("v")).len(), 1);
}

#[tokio::test]
async fn an_object_that_is_invalid_never_reaches_a_validating_webhook() {
    let stage = Stage::new().await;
    stage.validating(json!({}), |_| Reply::deny("never")).await;
    assert_eq!(stage.make("NOT A NAME", json!({})).await.code, 422);
    assert!(stage.hook.requests(&stage.path("v")).is_empty());
}

#[tokio::test]
async fn a_pod_that_is_evicted_is_admitted_as_an_eviction() {
    let stage = Stage::new().await;
    let rules = json!({"rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["pods/*"],
        "operations": ["CREATE", "DELETE", "CONNECT"], "scope": "*"}]});
    let pods = format!("/api/v1/namespaces/{}/pods", stage.namespace);
    let pod =
        json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(stage.client.post(&pods, pod).await.code, 201);
    stage.validating(rules, |_| Reply::allow()).await;
    let exec = format!("{pods}/p/exec?command=ls&stdout=true");
    assert_eq!(stage.client.post(&exec, json!({})).await.code, 400, "it has no host");
    let eviction = json!({"metadata": {"name": "p"}});
    let evicted = stage.client.post(&format!("{pods}/p/eviction"), eviction).await;
    assert_eq!(evicted.code, 201, "{}", evicted.text());
    let requests = stage.hook.requests(&stage.path("v"));
    let kinds: Vec<_> = requests
        .iter()
        .map(|request| (request["operation"].clone(), request["kind"]["kind"].clone()))
        .collect();
    assert_eq!(
        kinds,
        [(json!("CONNECT"), json!("PodExecOptions")), (json!("CREATE"), json!("Eviction"))],
        "the deletion behind the eviction is not admitted again"
    );
    assert_eq!(requests[0]["object"]["command"], json!(["ls"]));
}
