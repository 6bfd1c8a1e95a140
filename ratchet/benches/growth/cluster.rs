//! A server with many pods, and what one request costs it.

use super::measurement::client::{Connection, Target};
use super::measurement::process::memory;
use super::measurement::times::Times;
use bytes::Bytes;
use futures_util::future::join_all;
use http_body_util::BodyExt;
use hyper::Method;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsString;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The pods stand in so many namespaces.
const NAMESPACES: usize = 10;
/// So many pods run on a node.
const PODS_OF_NODE: usize = 30;
const CONNECTIONS: usize = 32;
const MERGE_PATCH: &str = "application/merge-patch+json";

/// A server and what is in it.
pub(crate) struct Cluster {
    pub(crate) target: Target,
    pub(crate) one: Connection,
    pid: u32,
    pods: usize,
    /// Nanoseconds by thread. Those of a thread that has ended are in no file any more, and stay here.
    threads: Mutex<HashMap<OsString, u64>>,
}

pub(crate) fn node(number: usize) -> String {
    format!("node-{}", number / PODS_OF_NODE)
}

pub(crate) fn namespace(number: usize) -> String {
    format!("grow-{}", number % NAMESPACES)
}

/// The path of a pod.
pub(crate) fn path(number: usize) -> String {
    format!("/api/v1/namespaces/{}/pods/pod-{number:06}", namespace(number))
}

pub(crate) fn pod(number: usize) -> Value {
    let labels = json!({"app": format!("web-{}", number / 10), "tier": "front"});
    let env: Vec<Value> =
        (0..4).map(|n| json!({"name": format!("SETTING_{n}"), "value": "a value"})).collect();
    json!({
        "metadata": {"name": format!("pod-{number:06}"), "labels": labels},
        "spec": {
            "nodeName": node(number),
            "automountServiceAccountToken": false,
            "containers": [{"name": "web", "image": "registry.example.com/web:1.2.3", "env": env}],
        },
    })
}

impl Cluster {
    pub(crate) async fn new(target: Target, pid: u32) -> Self {
        let one = target.connect().await;
        let mut cluster = Self { target, one, pid, pods: 0, threads: Mutex::default() };
        for number in 0..NAMESPACES {
            cluster.make_namespace(&namespace(number)).await;
        }
        cluster
    }

    /// Creates a namespace, and waits for the account that pods need.
    pub(crate) async fn make_namespace(&mut self, name: &str) {
        self.make("/api/v1/namespaces", &json!({"metadata": {"name": name}})).await;
        let account = format!("/api/v1/namespaces/{name}/serviceaccounts/default");
        while self.one.request(&Method::GET, &account, Bytes::new()).await.0 != 200 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) async fn make(&mut self, path: &str, object: &Value) -> Value {
        let (code, answer) = self.one.request(&Method::POST, path, object.to_string().into()).await;
        assert!(code < 300, "POST {path}: {code} {}", String::from_utf8_lossy(&answer));
        serde_json::from_slice(&answer).unwrap()
    }

    pub(crate) async fn get(&mut self, path: &str) -> Value {
        let (code, answer) = self.one.request(&Method::GET, path, Bytes::new()).await;
        assert!(code < 300, "GET {path}: {code} {}", String::from_utf8_lossy(&answer));
        serde_json::from_slice(&answer).unwrap()
    }

    /// Creates pods until there are so many.
    pub(crate) async fn fill(&mut self, count: usize) {
        let create = |number| {
            let path = format!("/api/v1/namespaces/{}/pods", namespace(number));
            (Method::POST, path, Bytes::from(pod(number).to_string()))
        };
        self.at_once(self.pods..count, "application/json", create).await;
        self.pods = self.pods.max(count);
    }

    /// Changes the first thousand pods, one after the other and again, so many times in all.
    pub(crate) async fn touch(&mut self, writes: usize) {
        let some = self.pods.min(1000);
        let patch = |number: usize| {
            let change = json!({"metadata": {"annotations": {"touched": number.to_string()}}});
            (Method::PATCH, path(number % some), Bytes::from(change.to_string()))
        };
        self.at_once(0..writes, MERGE_PATCH, patch).await;
    }

    /// Sends requests with all connections, and rests.
    async fn at_once(
        &mut self,
        numbers: Range<usize>,
        media_type: &str,
        request: impl Fn(usize) -> (Method, String, Bytes),
    ) {
        let next = AtomicUsize::new(numbers.start);
        let worker = || async {
            let mut connection = self.target.connect().await;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= numbers.end {
                    return;
                }
                let (method, path, body) = request(number);
                let answer = connection.send_as(&method, &path, body, media_type).await;
                assert!(answer.status().is_success(), "{method} {path}: {}", answer.status());
                answer.into_body().collect().await.unwrap();
            }
        };
        join_all((0..CONNECTIONS).map(|_| worker())).await;
        self.rest().await;
        // The server may have closed the other one, which nobody used.
        self.one = self.target.connect().await;
    }

    /// Waits until the server has nothing to do any more.
    pub(crate) async fn rest(&self) {
        for _ in 0..600 {
            let before = self.processor();
            tokio::time::sleep(Duration::from_millis(200)).await;
            if self.processor() - before < Duration::from_millis(4) {
                return;
            }
        }
    }

    /// The processor time that the server has used, as far as it was seen; it never becomes less.
    pub(crate) fn processor(&self) -> Duration {
        let mut threads = self.threads.lock().unwrap();
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.pid)).unwrap().flatten() {
            let text = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            let used = text.split_whitespace().next().and_then(|first| first.parse().ok());
            let known = threads.entry(thread.file_name()).or_default();
            *known = (*known).max(used.unwrap_or(0));
        }
        Duration::from_nanos(threads.values().sum())
    }

    /// Resident memory of the server in megabytes.
    pub(crate) fn memory(&self) -> f64 {
        memory(self.pid)
    }

    /// The number of pods.
    pub(crate) fn pods(&self) -> usize {
        self.pods
    }

    /// Runs requests one after another; returns processor time and median of one of them, in milliseconds.
    pub(crate) async fn cost(
        &mut self,
        rounds: usize,
        request: impl Fn(usize) -> (Method, String, Bytes),
    ) -> String {
        self.rest().await;
        let (before, mut times) = (self.processor(), Times::default());
        for round in 0..rounds {
            let (method, path, body) = request(round);
            let begun = Instant::now();
            self.one.request_ok(&method, &path, body).await;
            times.0.push(begun.elapsed());
        }
        figure(self.processor() - before, rounds, times.at(0.5))
    }
}

/// Processor time of one of so many requests, and a median, in milliseconds.
pub(crate) fn figure(used: Duration, rounds: usize, median: f64) -> String {
    let used = used.as_secs_f64() * 1000.0 / rounds as f64;
    format!("{used:.4} / {median:.2}")
}
