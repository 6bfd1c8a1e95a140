//! Creation of a cluster: nodes, namespaces, Services and ready pods.

use super::measurement::client::{Connection, Target};
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const NAMESPACES: usize = 10;
const NODES: usize = 50;
const CONNECTIONS: usize = 32;

/// The size of the cluster.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) services: usize,
    pub(crate) pods: usize,
}

/// The namespace of a Service, and of its pods.
fn namespace(service: usize) -> String {
    format!("settle-{}", service % NAMESPACES)
}

/// The name of a Service with its namespace.
pub(crate) fn key(service: usize) -> String {
    format!("{}/web-{service}", namespace(service))
}

async fn make(connection: &mut Connection, path: &str, object: &Value) -> Value {
    let body = Bytes::from(object.to_string());
    let (code, answer) = connection.request(&Method::POST, path, body).await;
    assert!(code < 300, "POST {path}: {code} {}", String::from_utf8_lossy(&answer));
    serde_json::from_slice(&answer).unwrap()
}

/// Creates namespaces and nodes.
pub(crate) async fn prepare(target: &Target) {
    let mut one = target.connect().await;
    for number in 0..NAMESPACES {
        let name = namespace(number);
        make(&mut one, "/api/v1/namespaces", &json!({"metadata": {"name": name}})).await;
    }
    for number in 0..NODES {
        let labels = json!({"topology.kubernetes.io/zone": format!("zone-{}", number % 3)});
        let node = json!({"metadata": {"name": format!("node-{number}"), "labels": labels}});
        make(&mut one, "/api/v1/nodes", &node).await;
    }
    // Pods need the service account that a controller creates.
    for number in 0..NAMESPACES {
        let path = format!("/api/v1/namespaces/{}/serviceaccounts/default", namespace(number));
        for _ in 0..500 {
            if one.request(&Method::GET, &path, Bytes::new()).await.0 == 200 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Creates the Services.
pub(crate) async fn make_services(target: &Target, scale: Scale) {
    share(target, scale.services, async |connection, number| {
        let service = json!({
            "metadata": {"name": format!("web-{number}"), "labels": {"part-of": "shop"}},
            "spec": {
                "selector": {"app": format!("web-{number}"), "part-of": "shop"},
                "ports": [{"name": "http", "port": 80, "targetPort": "http"}, {"name": "metrics", "port": 9090}],
            },
        });
        let path = format!("/api/v1/namespaces/{}/services", namespace(number));
        make(connection, &path, &service).await;
    })
    .await;
}

/// Creates ready pods; consecutive ones belong to different Services, so that every Service changes all the time.
/// Returns the expected addresses of each Service.
pub(crate) async fn make_pods(target: &Target, scale: Scale) -> BTreeMap<String, Vec<String>> {
    share(target, scale.pods, async move |connection, number| {
        let service = number % scale.services;
        let path = format!("/api/v1/namespaces/{}/pods", namespace(service));
        let mut pod = make(connection, &path, &pod(number, service)).await;
        pod["status"] = status(number);
        let path = format!("{path}/pod-{number}/status");
        connection.request_ok(&Method::PUT, &path, Bytes::from(pod.to_string())).await;
    })
    .await;
    let mut addresses: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for number in 0..scale.pods {
        addresses.entry(key(number % scale.services)).or_default().push(address(number));
    }
    addresses.values_mut().for_each(|list| list.sort());
    addresses
}

fn address(number: usize) -> String {
    format!("10.{}.{}.{}", 128 + number / 50_000, number / 250 % 200, number % 250 + 1)
}

fn pod(number: usize, service: usize) -> Value {
    let labels =
        json!({"app": format!("web-{service}"), "part-of": "shop", "number": number.to_string()});
    let ports = json!([{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}]);
    json!({
        "metadata": {"name": format!("pod-{number}"), "labels": labels},
        "spec": {
            "nodeName": format!("node-{}", number % NODES),
            "containers": [{"name": "web", "image": "registry.example.com/shop/web:1.2.3", "ports": ports}],
        },
    })
}

fn status(number: usize) -> Value {
    let ready =
        json!({"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    let ip = address(number);
    json!({"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "conditions": [ready]})
}

/// Runs `work` for every number, over several connections at once.
async fn share<W>(target: &Target, count: usize, work: W)
where
    W: AsyncFn(&mut Connection, usize),
{
    let next = Arc::new(AtomicUsize::new(0));
    let worker = || async {
        let mut connection = target.connect().await;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            work(&mut connection, number).await;
        }
    };
    futures_util::future::join_all((0..CONNECTIONS).map(|_| worker())).await;
}
