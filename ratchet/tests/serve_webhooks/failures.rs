//! Tests of webhooks that answer badly, late or not at all.

use crate::hook::Reply;
use crate::stage::Stage;
use serde_json::json;
use std::time::{Duration, Instant};

const START: &str = "Internal error occurred: failed calling webhook \"v.example.com\": ";

#[tokio::test]
async fn bad_answers_are_told_or_ignored_as_the_policy_says() {
    let wrong_kind =
        r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v2"}"#.as_bytes().to_vec();
    let rows: Vec<(u16, Vec<u8>, &str)> = vec![
        (
            200,
            b"{not json".to_vec(),
            "failed to call webhook: couldn't get version/kind; json parse error: invalid character 'n' looking for beginning of object key string",
        ),
        (
            200,
            Vec::new(),
            "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
        ),
        (
            200,
            wrong_kind,
            "failed to call webhook: no kind \"AdmissionReview\" is registered for version \"admission.k8s.io/v2\" in scheme \"k8s.io/apiserver/pkg/util/webhook/client.go:71\"",
        ),
        (
            500,
            b"oh".to_vec(),
            "failed to call webhook: an error on the server (\"oh\") has prevented the request from succeeding",
        ),
        (
            404,
            b"".to_vec(),
            "failed to call webhook: the server could not find the requested resource",
        ),
        (
            200,
            vec![b' '; 9 << 20],
            "failed to call webhook: unexpected error when reading response body. Please retry. Original error: http: response body is larger than 8388608 bytes",
        ),
    ];
    for (code, body, why) in rows {
        let stage = Stage::new().await;
        let answer = body.clone();
        stage.validating(json!({}), move |_| Reply::Raw(code, answer.clone())).await;
        assert_eq!(stage.make("a", json!({})).await.refusal(), (500, format!("{START}{why}")));
        let stage = Stage::new().await;
        let ignore = json!({"failurePolicy": "Ignore"});
        stage.validating(ignore, move |_| Reply::Raw(code, body.clone())).await;
        assert_eq!(stage.make("a", json!({})).await.code, 201);
    }
}

#[tokio::test]
async fn who_is_not_there_or_not_trusted_is_named() {
    let stage = Stage::new().await;
    let nobody = json!({"clientConfig": {"url": "https://127.0.0.1:1/x"}});
    let service =
        json!({"clientConfig": {"service": {"namespace": stage.namespace, "name": "gone"}}});
    let address = format!("https://127.0.0.1:{}/x", stage.hook.port);
    let stranger = json!({"clientConfig": {"url": address}});
    let namespace = &stage.namespace;
    let port = stage.hook.port;
    for (config, why) in [
        (nobody, "Post \"https://127.0.0.1:1/x?timeout=10s\": dial tcp 127.0.0.1:1: connect: connection refused".to_owned()),
        (service, format!("Post \"https://gone.{namespace}.svc:443/?timeout=10s\": service \"gone\" not found")),
        (stranger, format!("Post \"https://127.0.0.1:{port}/x?timeout=10s\": tls: failed to verify certificate: x509: certificate signed by unknown authority")),
    ] {
        let path = stage.validating(config, |_| Reply::allow()).await;
        let refused = stage.make("a", json!({})).await;
        assert_eq!(refused.refusal(), (500, format!("{START}failed to call webhook: {why}")));
        assert_eq!(stage.client.delete(&path).await.code, 200);
    }
}

#[tokio::test]
async fn a_service_is_reached_at_its_cluster_ip_or_by_its_external_name() {
    let stage = Stage::new().await;
    let services = "/api/v1/namespaces/home/services";
    stage.client.post("/api/v1/namespaces", json!({"metadata": {"name": "home"}})).await;
    let service = json!({"metadata": {"name": "hook"},
        "spec": {"type": "ExternalName", "externalName": "localhost"}});
    assert_eq!(stage.client.post(services, service).await.code, 201);
    let path = stage.path("v");
    let config = json!({"clientConfig": {"caBundle": stage.hook.bundle, "service":
        {"namespace": "home", "name": "hook", "port": stage.hook.port, "path": path}}});
    stage.validating(config, |_| Reply::deny("reached")).await;
    assert_eq!(stage.make("a", json!({})).await.code, 400);
}

#[tokio::test]
async fn a_slow_webhook_holds_up_nobody_else() {
    let stage = Stage::new().await;
    let fields = json!({"timeoutSeconds": 2});
    stage.validating(fields, |_| Reply::Late(Duration::from_secs(20))).await;
    let started = Instant::now();
    // Far more requests than the server has threads wait for the webhook.
    let mut waiting = tokio::task::JoinSet::new();
    for number in 0..200 {
        let (client, maps) = (stage.client.clone(), stage.maps.clone());
        waiting.spawn(async move {
            let body = json!({"metadata": {"name": format!("a-{number}")}});
            client.post(&maps, body).await.refusal()
        });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let other = Stage::new().await;
    assert_eq!(other.make("free", json!({})).await.code, 201);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    let port = stage.hook.port;
    let why = format!(
        "{START}failed to call webhook: Post \"https://127.0.0.1:{port}{}?timeout=2s\": context deadline exceeded",
        stage.path("v")
    );
    while let Some(refusal) = waiting.join_next().await {
        assert_eq!(refusal.unwrap(), (500, why.clone()));
    }
}

#[tokio::test]
async fn the_time_of_the_client_limits_that_of_the_webhook() {
    let stage = Stage::new().await;
    stage.validating(json!({}), |_| Reply::Late(Duration::from_secs(20))).await;
    let started = Instant::now();
    let path = format!("{}?timeout=1s", stage.maps);
    let refused = stage.client.post(&path, json!({"metadata": {"name": "a"}})).await;
    assert!(matches!(refused.code, 500 | 504), "{}", refused.text());
    assert!(started.elapsed() < Duration::from_secs(8));
    let odd = stage.client.get(&format!("{}?timeout=soon", stage.maps)).await;
    let why = "invalid timeout specified in the request URL - time: invalid duration \"soon\"";
    assert_eq!(odd.refusal(), (400, why.to_owned()));
}

#[tokio::test]
async fn what_happened_is_counted() {
    let stage = Stage::new().await;
    let name = format!("v-{}.example.com", stage.namespace);
    stage.validating(json!({"name": name}), |_| Reply::deny("no")).await;
    assert_eq!(stage.make("a", json!({})).await.code, 400);
    let metrics = stage.client.get("/metrics").await;
    let expected = format!(
        "apiserver_admission_webhook_rejection_count{{error_type=\"no_error\",name=\"{name}\",operation=\"CREATE\",rejection_code=\"400\",type=\"validating\"}} 1"
    );
    assert!(metrics.text().contains(&expected), "{expected}");
}
