//! Tests of what a conversion webhook that fails or takes its time does to deletions and quotas.

use super::hook::{Hook, SLOW};
use super::{a_box, define, definition};
use crate::server::Server;
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_converts_what_is_admitted_and_not_what_is_gone() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let (hook, group) = (Hook::start().await, "first.hooks.example.com");
    let url = format!("https://127.0.0.1:{}/first", hook.port);
    define(&client, definition(group, &url, &hook.bundle, &["v1"])).await;
    let path = |version: &str| format!("/apis/{group}/{version}/namespaces/{namespace}/boxes");
    let made = client.post(&path("v1"), a_box(group, "v1", "a", "size", 1)).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let deleted = client.delete(&format!("{}/a", path("v2"))).await;
    assert_eq!(deleted.code, 200, "{}", deleted.text());
    assert_eq!(deleted.json()["status"], "Success");
    assert_eq!(hook.take_requests().len(), 1, "no call for an answer without the object");
    assert_eq!(client.get(&format!("{}/a", path("v1"))).await.code, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_webhook_does_not_hold_the_quota_of_a_namespace() {
    let server = Server::start_with(|config| config.plugins.push("ResourceQuota"));
    let client = server.admin().await;
    let (namespace, maps) = client.namespace().await;
    let (hook, group) = (Hook::start().await, "slow.hooks.example.com");
    let url = format!("https://127.0.0.1:{}/slow", hook.port);
    define(&client, definition(group, &url, &hook.bundle, &["v1"])).await;
    let hard = json!({"count/configmaps": "9", format!("count/boxes.{group}"): "9"});
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": hard}});
    let quotas = format!("/api/v1/namespaces/{namespace}/resourcequotas");
    assert_eq!(client.post(&quotas, quota).await.code, 201);
    let boxes = format!("/apis/{group}/v2/namespaces/{namespace}/boxes");
    let other = server.admin().await;
    let slow = tokio::spawn(async move {
        let made = other.post(&boxes, a_box(group, "v2", "a", "width", 1)).await;
        assert_eq!(made.code, 201, "{}", made.text());
    });
    for _ in 0..100 {
        if !hook.take_requests().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let started = Instant::now();
    client.map(&maps, "fast").await;
    assert!(started.elapsed() < SLOW / 2, "{:?}", started.elapsed());
    slow.await.unwrap();
    let used = client.get(&format!("{quotas}/q")).await.json()["status"]["used"].clone();
    assert_eq!(used["count/configmaps"], "1", "{used}");
    assert_eq!(used[format!("count/boxes.{group}")], "1", "{used}");
}
