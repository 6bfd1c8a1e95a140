//! Many who follow a log at once, quick and slow, and what the server holds for them.

use super::Scale;
use super::served::Place;
use http_body_util::BodyExt;
use hyper::Method;
use hyper::body::Incoming;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const POD: &str = "/api/v1/namespaces/default/pods/pod/log?follow=true&container=";

/// Measures both sorts, and prints what they cost.
pub(crate) async fn measure(place: &Place, scale: Scale) {
    let (followers, watch) = (scale.followers, scale.watch);
    println!(
        "\n{followers} followers; before them the server holds {:.1} MB",
        place.server.memory()
    );
    let bodies = follow(place, "quiet", followers).await;
    let connected = place.server.memory();
    let (lines, mut readers) = (Arc::new(AtomicU64::new(0)), JoinSet::new());
    for body in bodies {
        readers.spawn(read(body, lines.clone()));
    }
    let (begun, worked) = (Instant::now(), place.server.worked());
    let mut peak = connected;
    let mut written = 0;
    while begun.elapsed() < watch {
        place
            .quiet
            .append(format!("line {written} of a log that somebody follows, once a second\n"));
        written += 1;
        peak = peak.max(peak_for(place, Duration::from_secs(1)).await);
    }
    let worked = (place.server.worked() - worked).as_secs_f64() / begun.elapsed().as_secs_f64();
    println!(
        "a line a second each: {connected:.1} MB when all are connected, {peak:.1} MB at the peak, \
         {:.1} % of one processor, {} of {} lines came",
        worked * 100.0,
        lines.load(Ordering::Relaxed),
        written * followers,
    );
    readers.shutdown().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    println!("a second after they left: {:.1} MB", place.server.memory());

    let bodies = follow(place, "flood", followers).await;
    let peak = peak_for(place, watch).await;
    println!("as many who read nothing of a flood: {peak:.1} MB at the peak");
    drop(bodies);
    tokio::time::sleep(Duration::from_secs(1)).await;
    println!("a second after they left: {:.1} MB", place.server.memory());
}

/// So many who follow, each with a connection of its own.
async fn follow(place: &Place, container: &str, followers: usize) -> Vec<Incoming> {
    let path = format!("{POD}{container}");
    let mut bodies = Vec::with_capacity(followers);
    for _ in 0..followers {
        let answer = place.api.ask(Method::GET, &path, &[], "").await;
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

/// The most that the server holds in this time.
async fn peak_for(place: &Place, time: Duration) -> f64 {
    let begun = Instant::now();
    let mut peak = 0.0_f64;
    while begun.elapsed() < time {
        peak = peak.max(place.server.memory());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    peak
}
