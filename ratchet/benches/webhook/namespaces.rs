//! The memory of a webhook that follows the labels of many namespaces.

use crate::api_server::ApiServer;
use crate::measurement::process::{ServerProcess, memory, peak};
use crate::process::WebhookProcess;
use bytes::Bytes;
use futures_util::future::join_all;
use hyper::Method;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// So many namespaces are made.
const MANY: u32 = 10_000;
const CONNECTIONS: u32 = 16;
/// How long a webhook may take to read them all.
const PATIENCE: Duration = Duration::from_secs(120);

/// The number of namespaces and what a webhook that has read them holds: in a new cluster, and with many more.
pub(crate) async fn measure() -> Vec<(u32, String)> {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start_with(folder.path(), &["--controllers="]);
    let flag = format!("--kubeconfig={}", folder.path().join("kubeconfig").display());
    let few = follow(&flag, 1).await;
    let next = AtomicU32::new(0);
    let target = server.target();
    let worker = || async {
        let mut connection = target.connect().await;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= MANY {
                return;
            }
            let body = Bytes::from(namespace(number).to_string());
            connection.request_ok(&Method::POST, "/api/v1/namespaces", body).await;
        }
    };
    join_all((0..CONNECTIONS).map(|_| worker())).await;
    vec![few, follow(&flag, MANY).await]
}

/// A namespace with labels of ours, of Pod Security and of others.
fn namespace(number: u32) -> Value {
    let level = "restricted";
    json!({"metadata": {"name": format!("team-{number:05}-production"),
        "annotations": {"example.com/owner": "team@example.com", "example.com/note": "x".repeat(500)},
        "labels": {
            "ratchet/mode": "enforce", "ratchet/RTC-IP-001": "warn",
            "pod-security.kubernetes.io/enforce": level, "pod-security.kubernetes.io/enforce-version": "v1.36",
            "pod-security.kubernetes.io/audit": level, "pod-security.kubernetes.io/audit-version": "v1.36",
            "pod-security.kubernetes.io/warn": level, "pod-security.kubernetes.io/warn-version": "v1.36",
            "app.kubernetes.io/part-of": "shop", "example.com/team": "blue", "example.com/stage": "production"}}})
}

/// Starts a webhook and waits until it has read at least so many namespaces.
async fn follow(flag: &str, least: u32) -> (u32, String) {
    let webhook = WebhookProcess::start_with(&[flag.to_owned()]);
    let mut client = ApiServer::connect(webhook.address(), webhook.authority()).await;
    let begun = Instant::now();
    let count = loop {
        let count = client.metric("ratchet_webhook_namespaces_cached ").await.unwrap_or_default();
        if count >= f64::from(least) {
            break count as u32;
        }
        assert!(begun.elapsed() < PATIENCE, "{count} of {least} namespaces");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    // The last page of the list is dropped by then.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (now, most) = (memory(webhook.pid()), peak(webhook.pid()));
    (count, format!("{now:.1} MB, at most {most:.1} MB while they were listed"))
}
