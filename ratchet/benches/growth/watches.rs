//! What watches of single nodes cost: requests beside them, memory, and changes of pods of one node.

use super::cluster::{Cluster, path};
use super::grid::Grid;
use super::measurement::times::Times;
use super::verbs;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Method;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long pods change, and how many a second.
const SECONDS: u64 = 5;
const RATE: u64 = 100;
const MERGE_PATCH: &str = "application/merge-patch+json";

/// Opens watches, each of the pods of a node of its own, and measures requests beside them; then it changes a pod of one
/// watched node.
pub(crate) async fn measure(cluster: &mut Cluster, count: usize, grid: &mut Grid) {
    cluster.rest().await;
    let (received, memory) = (Arc::new(AtomicUsize::new(0)), cluster.memory());
    let version = cluster.get("/api/v1/pods?limit=1").await;
    let version = version["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let mut tasks = Vec::with_capacity(count);
    for number in 0..count {
        let mut connection = cluster.target.connect().await;
        let path = format!(
            "/api/v1/pods?watch=1&resourceVersion={version}&fieldSelector=spec.nodeName%3Dnode-{number}"
        );
        let mut body = connection.send(&Method::GET, &path, Bytes::new()).await.into_body();
        let received = received.clone();
        tasks.push(tokio::spawn(async move {
            let _connection = connection;
            while let Some(Ok(frame)) = body.frame().await {
                let data = frame.into_data().unwrap_or_default();
                let lines = data.iter().filter(|byte| **byte == b'\n').count();
                received.fetch_add(lines, Ordering::Relaxed);
            }
        }));
    }
    cluster.rest().await;
    grid.add("memory, MB (before the watches)", format!("{:.0} ({memory:.0})", cluster.memory()));
    verbs::measure_few(cluster, grid).await;
    cluster.rest().await;
    received.store(0, Ordering::Relaxed);
    let idle = idle(cluster, Duration::from_secs(2)).await;
    let (mut times, mut writes, changed) = (Times::default(), 0_u64, path(0));
    let (before, begun) = (cluster.processor(), Instant::now());
    while begun.elapsed() < Duration::from_secs(SECONDS) {
        let label = json!({"metadata": {"labels": {"round": writes.to_string()}}});
        let sent = Instant::now();
        let body = Bytes::from(label.to_string());
        let answer = cluster.one.send_as(&Method::PATCH, &changed, body, MERGE_PATCH).await;
        assert_eq!(answer.status(), 200);
        answer.into_body().collect().await.unwrap();
        times.0.push(sent.elapsed());
        writes += 1;
        let next = begun + Duration::from_millis(writes * 1000 / RATE);
        tokio::time::sleep_until(next.into()).await;
    }
    let used = (cluster.processor() - before).as_secs_f64() / begun.elapsed().as_secs_f64();
    tokio::time::sleep(Duration::from_millis(500)).await;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    grid.add(
        "100 writes a second: processor, % of a core",
        format!("{:.1} (idle {:.1})", used * 100.0, idle * 100.0),
    );
    grid.add(
        "100 writes a second: write, p50 / p99 ms",
        format!("{:.2} / {:.2}", times.at(0.5), times.at(0.99)),
    );
    let seen = received.load(Ordering::Relaxed);
    grid.add("100 writes a second: events received / written", format!("{seen} / {writes}"));
}

/// The share of a core that the server uses while nothing changes.
async fn idle(cluster: &Cluster, time: Duration) -> f64 {
    let before = cluster.processor();
    tokio::time::sleep(time).await;
    (cluster.processor() - before).as_secs_f64() / time.as_secs_f64()
}
