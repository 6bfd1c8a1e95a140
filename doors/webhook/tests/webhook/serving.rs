//! What the webhook answers.

use crate::client::uri;
use crate::running::Running;
use http_body_util::Full;
use hyper::Request;
use ratchet_webhook_server::MAX_REVIEW_BYTES;

/// A review of a new Service with this cluster IP; `padding` is put into an annotation.
fn review(cluster_ip: &str, padding: &str) -> String {
    format!(
        r#"{{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {{"uid": "u-7",
            "operation": "CREATE", "namespace": "shop", "userInfo": {{"username": "ann"}},
            "kind": {{"group": "", "version": "v1", "kind": "Service"}},
            "resource": {{"group": "", "version": "v1", "resource": "services"}},
            "object": {{"metadata": {{"name": "web", "annotations": {{"a": "{padding}"}}}},
                "spec": {{"ports": [{{"port": 80}}], "clusterIP": "{cluster_ip}"}}}}}}}}"#
    )
}

#[tokio::test]
async fn reviews_are_answered() {
    let running = Running::start().await;
    let mut client = running.connect().await.unwrap();
    // Large reviews are judged on another thread, with the same verdict.
    for padding in [0, 200_000] {
        let padding = "x".repeat(padding);
        let (code, content_type, text) =
            client.post("/validate?timeout=5s", review("10.0.0.1", &padding)).await;
        assert_eq!((code, content_type.as_str()), (200, "application/json"));
        assert!(text.ends_with(r#""response":{"uid":"u-7","allowed":true}}"#), "{text}");
        let (code, _, text) = client.post("/validate", review("010.0.0.1", &padding)).await;
        assert_eq!(code, 200);
        assert!(text.contains(r#""allowed":false"#) && text.contains(r#""code":422"#), "{text}");
    }
    let (_, content_type, metrics) = client.get("/metrics").await;
    assert!(content_type.starts_with("text/plain; version=0.0.4"));
    for line in [
        "ratchet_webhook_reviews_total{verdict=\"allowed\"} 2\n",
        "ratchet_webhook_reviews_total{verdict=\"denied\"} 2\n",
        "ratchet_webhook_review_duration_seconds_count{verdict=\"denied\"} 2\n",
        "ratchet_webhook_findings_total{mode=\"enforce\",rule=\"RTC-IP-001\",verdict=\"denied\"} ",
        "ratchet_webhook_config_last_reload_successful 1\n",
    ] {
        assert!(metrics.contains(line), "{line}{metrics}");
    }
}

#[tokio::test]
async fn what_is_no_review_gets_an_error() {
    let running = Running::start().await;
    let mut client = running.connect().await.unwrap();
    let (code, content_type, text) = client.post("/validate", "{}").await;
    assert_eq!((code, content_type.as_str()), (400, "text/plain; charset=utf-8"));
    assert_eq!(text, "expected kind AdmissionReview, found \"\"\n");
    let (code, _, text) = client.post("/validate", vec![b' '; MAX_REVIEW_BYTES + 1]).await;
    assert_eq!(code, 413, "{text}");
    let yaml = Request::post(uri("/validate")).header("content-type", "application/yaml");
    let (code, _, text) = client.send(yaml.body(Full::default()).unwrap()).await.unwrap();
    assert_eq!((code, text.contains("expected application/json")), (415, true), "{text}");
    assert_eq!(client.get("/validate").await.0, 405);
    assert_eq!(client.post("/metrics", "").await.0, 405);
    assert_eq!(client.get("/nowhere").await.0, 404);
    let metrics = client.get("/metrics").await.2;
    assert!(metrics.contains("ratchet_webhook_reviews_total{verdict=\"error\"} 3\n"), "{metrics}");
}

#[tokio::test]
async fn a_good_file_is_used_and_a_bad_one_is_told() {
    let running = Running::start().await;
    let mut client = running.connect().await.unwrap();
    let bad = review("010.0.0.1", "");
    running.configure("rules: {RTC-IP: warn}\n");
    let (_, _, text) = client.post("/validate", bad.clone()).await;
    assert!(text.contains(r#""allowed":true"#) && text.contains("would violate RTC-IP"), "{text}");
    for path in ["/healthz", "/livez", "/readyz"] {
        assert_eq!(client.get(path).await.2, "ok", "{path}");
    }

    running.configure("rules: {RTC-IP: mild}\n");
    let (_, _, again) = client.post("/validate", bad.clone()).await;
    assert_eq!(again, text, "the old configuration stays");
    assert_eq!(client.get("/readyz").await.0, 200, "a replica that judges is not taken away");
    let (_, _, detail) = client.get("/readyz?verbose").await;
    let fault = "3:17: rules[RTC-IP]: must be enforce, warn, audit or off, found \"mild\"";
    let wanted = format!(
        "warn: the new configuration is not in force: {}:{fault}\n",
        running.file().display()
    );
    assert!(detail.ends_with(&wanted), "{detail}");
    let metrics = client.get("/metrics").await.2;
    assert!(metrics.contains("ratchet_webhook_config_last_reload_successful 0\n"), "{metrics}");

    std::fs::remove_file(running.file()).unwrap();
    running.reload.now();
    assert!(client.get("/readyz?verbose").await.2.contains("No such file"));
    running.configure("");
    assert!(!client.get("/readyz?verbose").await.2.contains("warn"));
    let (_, _, text) = client.post("/validate", bad).await;
    assert!(text.contains(r#""allowed":false"#), "{text}");
}

#[tokio::test]
async fn the_end_is_announced_and_calls_under_way_are_answered() {
    let running = Running::start().await;
    let mut client = running.connect().await.unwrap();
    let large = review("10.0.0.1", &"x".repeat(500_000));
    let call = tokio::spawn(async move { client.post("/validate", large).await.0 });
    // Whether the call comes before or after the signal, it must not be lost once its connection stands.
    assert_eq!(call.await.unwrap(), 200);
    running.drain.begin();
    running.ended.await.unwrap();
    assert!(tokio::net::TcpStream::connect(running.address).await.is_err());
}
