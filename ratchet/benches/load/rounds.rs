//! Repeated requests over one connection or many.

use super::measurement::client::{Connection, Target};
use super::measurement::times::Times;
use bytes::Bytes;
use hyper::Method;
use std::time::{Duration, Instant};

const PODS: &str = "/api/v1/namespaces/load/pods";
const MAPS: &str = "/api/v1/namespaces/load/configmaps";

/// A pod of an ordinary size: about 2.5 kB once it has its defaults.
fn pod(name: &str) -> Bytes {
    let env: Vec<String> = (0..12)
        .map(|n| format!(r#"{{"name":"SETTING_{n}","value":"the value of setting {n} is {n}"}}"#))
        .collect();
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","labels":{{"app":"web","tier":"front"}},"annotations":{{"example.com/checksum":"{}"}}}},"spec":{{"containers":[{{"name":"web","image":"registry.example.com/shop/web:1.2.3","ports":[{{"containerPort":8080,"name":"http"}}],"env":[{}],"resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},"readinessProbe":{{"httpGet":{{"path":"/ready","port":"http"}}}},"volumeMounts":[{{"name":"data","mountPath":"/data"}}]}}],"volumes":[{{"name":"data","emptyDir":{{}}}}]}}}}"#,
        "0123456789abcdef".repeat(4),
        env.join(",")
    )
    .into()
}

fn map(name: &str, number: usize) -> Bytes {
    let text = "some text of a setting ".repeat(20);
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}},"data":{{"n":"{number}","text":"{text}"}}}}"#)
        .into()
}

/// Creates the namespace and the objects that are read and changed.
pub(crate) async fn prepare(target: &Target) {
    let mut one = target.connect().await;
    let namespace = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"load"}}"#;
    one.request(&Method::POST, "/api/v1/namespaces", namespace.into()).await;
    one.request(&Method::POST, PODS, pod("one")).await;
    for number in 0..64 {
        one.request(&Method::POST, MAPS, map(&format!("own{number}"), 0)).await;
    }
}

/// Sends requests on every connection for a time; `request` gets the number of the connection and of the request.
async fn run<F>(
    target: &Target,
    connections: usize,
    seconds: f64,
    request: F,
) -> (Times, Duration, usize)
where
    F: Fn(usize, usize) -> (Method, String, Bytes) + Clone + Send + 'static,
{
    let mut open: Vec<Connection> = Vec::with_capacity(connections);
    for _ in 0..connections {
        open.push(target.connect().await);
    }
    let begun = Instant::now();
    let end = begun + Duration::from_secs_f64(seconds);
    let tasks: Vec<_> = open
        .into_iter()
        .enumerate()
        .map(|(which, mut connection)| {
            let request = request.clone();
            tokio::spawn(async move {
                let (mut times, mut bytes) = (Vec::new(), 0);
                for number in 0.. {
                    let (method, path, body) = request(which, number);
                    let begun = Instant::now();
                    if begun >= end {
                        break;
                    }
                    bytes += connection.request_ok(&method, &path, body).await;
                    times.push(begun.elapsed());
                }
                (times, bytes)
            })
        })
        .collect();
    let (mut all, mut bytes) = (Times::default(), 0);
    for task in tasks {
        let (times, read) = task.await.unwrap();
        all.0.extend(times);
        bytes += read;
    }
    (all, begun.elapsed(), bytes)
}

/// Reads the same pod.
pub(crate) async fn gets(target: &Target, connections: usize, seconds: f64) -> String {
    let request = |_, _| (Method::GET, format!("{PODS}/one"), Bytes::new());
    let (mut times, whole, _) = run(target, connections, seconds, request).await;
    times.summary(whole)
}

/// Creates objects, each on disk before the response.
pub(crate) async fn creates(target: &Target, connections: usize, seconds: f64) -> String {
    let request = move |which, number| {
        let name = format!("c{connections}-{which}-{number}");
        (Method::POST, MAPS.to_owned(), map(&name, number))
    };
    let (mut times, whole, _) = run(target, connections, seconds, request).await;
    times.summary(whole)
}

/// Updates one object per connection.
pub(crate) async fn updates(target: &Target, connections: usize, seconds: f64) -> String {
    let request = move |which, number| {
        let name = format!("own{which}");
        (Method::PUT, format!("{MAPS}/{name}"), map(&name, number + connections))
    };
    let (mut times, whole, _) = run(target, connections, seconds, request).await;
    times.summary(whole)
}

/// Creates pods until there are `wanted`.
pub(crate) async fn fill(target: &Target, wanted: usize) {
    let mut one = target.connect().await;
    let (_, list) = one.request(&Method::GET, &format!("{PODS}?limit=1"), Bytes::new()).await;
    let text = String::from_utf8_lossy(&list).into_owned();
    let remaining = text.split("\"remainingItemCount\":").nth(1).unwrap_or("0");
    let digits: String = remaining.chars().take_while(char::is_ascii_digit).collect();
    let there = 1 + digits.parse::<usize>().unwrap_or(0);
    let tasks: Vec<_> = (0..32)
        .map(|which| {
            let target = target.clone();
            tokio::spawn(async move {
                let mut connection = target.connect().await;
                for number in (there..wanted).filter(|number| number % 32 == which) {
                    // Names are not in the order of creation, as in practice.
                    let name = format!("p{:05}-{number}", (number * 7919) % 100_000);
                    connection.request_ok(&Method::POST, PODS, pod(&name)).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

/// Lists all pods.
pub(crate) async fn lists(target: &Target, seconds: f64) -> String {
    let request = |_, _| (Method::GET, PODS.to_owned(), Bytes::new());
    let (mut times, whole, bytes) = run(target, 1, seconds, request).await;
    let size = bytes as f64 / times.0.len() as f64 / 1e6;
    let rate = bytes as f64 / 1e6 / whole.as_secs_f64();
    format!(
        "p50 {:.1} ms, p99 {:.1} ms, {size:.1} MB, {rate:.0} MB/s",
        times.at(0.5),
        times.at(0.99)
    )
}
