//! Memory of the server with many log followers, fast and slow.

use super::Scale;
use super::served::Fixture;
use http_body_util::BodyExt;
use hyper::Method;
use hyper::body::Incoming;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const POD: &str = "/api/v1/namespaces/default/pods/pod/log?follow=true&container=";

/// Measures fast followers, then followers that do not read, and prints the cost.
pub(crate) async fn measure(fixture: &Fixture, scale: Scale) {
    let (followers, watch) = (scale.followers, scale.watch);
    println!(
        "\n{followers} followers; before them the server holds {:.1} MB",
        fixture.server.memory()
    );
    let bodies = follow(fixture, "quiet", followers).await;
    let connected = fixture.server.memory();
    let (lines, mut readers) = (Arc::new(AtomicU64::new(0)), JoinSet::new());
    for body in bodies {
        readers.spawn(read(body, lines.clone()));
    }
    let (begun, cpu_time) = (Instant::now(), fixture.server.cpu_time());
    let mut peak = connected;
    let mut written = 0;
    while begun.elapsed() < watch {
        fixture
            .quiet
            .append(format!("line {written} of a log that somebody follows, once a second\n"));
        written += 1;
        peak = peak.max(peak_for(fixture, Duration::from_secs(1)).await);
    }
    let cpu_time =
        (fixture.server.cpu_time() - cpu_time).as_secs_f64() / begun.elapsed().as_secs_f64();
    println!(
        "a line a second each: {connected:.1} MB when all are connected, {peak:.1} MB at the peak, \
         {:.1} % of one processor, {} of {} lines came",
        cpu_time * 100.0,
        lines.load(Ordering::Relaxed),
        written * followers,
    );
    readers.shutdown().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    println!("a second after they left: {:.1} MB", fixture.server.memory());

    let bodies = follow(fixture, "flood", followers).await;
    let peak = peak_for(fixture, watch).await;
    println!("as many who read nothing of a flood: {peak:.1} MB at the peak");
    drop(bodies);
    tokio::time::sleep(Duration::from_secs(1)).await;
    println!("a second after they left: {:.1} MB", fixture.server.memory());
}

/// Starts followers, each with its own connection.
async fn follow(fixture: &Fixture, container: &str, followers: usize) -> Vec<Incoming> {
    let path = format!("{POD}{container}");
    let mut bodies = Vec::with_capacity(followers);
    for _ in 0..followers {
        let answer = fixture.api.request(Method::GET, &path, &[], "").await;
        assert_eq!(answer.status().as_u16(), 200);
        bodies.push(answer.into_body());
    }
    bodies
}

async fn read(mut body: Incoming, lines: Arc<AtomicU64>) {
    while let Some(Ok(frame)) = body.frame().await {
        let data = frame.into_data().unwrap_or_default();
        let more = data.iter().filter(|byte| **byte == b'\n').count();
        lines.fetch_add(more as u64, Ordering::Relaxed);
    }
}

/// The peak memory of the server during this time.
async fn peak_for(fixture: &Fixture, time: Duration) -> f64 {
    let begun = Instant::now();
    let mut peak = 0.0_f64;
    while begun.elapsed() < time {
        peak = peak.max(fixture.server.memory());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    peak
}
