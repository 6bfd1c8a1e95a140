//! Watch fan-out: rate and latency of events with one writer and many watchers.

use super::measurement::client::Target;
use super::measurement::times::Times;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Method;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SECRETS: &str = "/api/v1/namespaces/load/secrets";

fn secret(number: usize) -> Bytes {
    let text = format!("value {number:06} of a setting");
    format!(r#"{{"apiVersion":"v1","kind":"Secret","metadata":{{"name":"beat"}},"stringData":{{"a":"{text}","b":"b"}}}}"#)
        .into()
}

/// Writes `events` changes, one after another, and waits until all watchers have received all.
pub(crate) async fn measure(target: &Target, watchers: usize, events: usize) -> String {
    let mut writer = target.connect().await;
    writer.request(&Method::POST, SECRETS, secret(0)).await;
    let (_, list) = writer.request(&Method::GET, SECRETS, Bytes::new()).await;
    let text = String::from_utf8_lossy(&list).into_owned();
    let version = text.split("\"resourceVersion\":\"").nth(1).unwrap().split('"').next().unwrap();
    let path: Arc<str> =
        format!("{SECRETS}?watch=1&resourceVersion={version}&timeoutSeconds=600").into();
    let start = Instant::now();
    let mut tasks = Vec::with_capacity(watchers);
    for _ in 0..watchers {
        let mut connection = target.connect().await;
        let body = connection.send(&Method::GET, &path, Bytes::new()).await.into_body();
        tasks.push(tokio::spawn(async move {
            let _connection = connection;
            event_times(body, start, events).await
        }));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let begun = Instant::now();
    let mut written = Vec::with_capacity(events);
    for number in 1..=events {
        written.push(start.elapsed());
        writer.request_ok(&Method::PUT, &format!("{SECRETS}/beat"), secret(number)).await;
    }
    let mut times = Times::default();
    for task in tasks {
        let times_seen = task.await.unwrap();
        times.0.extend(
            times_seen
                .into_iter()
                .zip(&written)
                .map(|(seen, written)| seen.saturating_sub(*written)),
        );
    }
    let whole = begun.elapsed();
    let rate = times.0.len() as f64 / whole.as_secs_f64();
    format!(
        "{rate:.0} events delivered a second, p50 {:.1} ms, p99 {:.1} ms after the write began",
        times.at(0.5),
        times.at(0.99)
    )
}

/// Arrival times of the events.
async fn event_times(
    mut body: hyper::body::Incoming,
    start: Instant,
    events: usize,
) -> Vec<Duration> {
    let mut times_seen = Vec::with_capacity(events);
    while times_seen.len() < events {
        let frame = body.frame().await.expect("the watch goes on").unwrap();
        let data = frame.into_data().unwrap_or_default();
        let lines = data.iter().filter(|byte| **byte == b'\n').count();
        times_seen.extend(std::iter::repeat_n(start.elapsed(), lines));
    }
    times_seen
}
