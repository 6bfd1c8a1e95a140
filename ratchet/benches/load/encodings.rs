//! Long lists in every encoding, eight at once: latency of `/livez` meanwhile, and memory.

use super::Scale;
use super::measurement::client::Target;
use super::measurement::figures::Table;
use super::measurement::process;
use super::measurement::times::Times;
use bytes::Bytes;
use hyper::Method;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const MAPS: &str = "/api/v1/namespaces/encodings/configmaps";

/// Number of concurrent readers.
const AT_ONCE: usize = 8;

/// Name, query, media type, and whether the response is compressed.
const ENCODINGS: &[(&str, &str, &str, bool)] = &[
    ("compact JSON", "", "application/json", false),
    ("compact JSON, packed", "", "application/json", true),
    ("indented JSON", "?pretty=1", "application/json", false),
    ("indented JSON, packed", "?pretty=1", "application/json", true),
    ("YAML", "", "application/yaml", false),
    ("protobuf", "", "application/vnd.kubernetes.protobuf", false),
    ("tables", "", "application/json;as=Table;v=v1;g=meta.k8s.io", false),
];

/// Stores 31 MB of ConfigMaps and reads them in every encoding.
pub(crate) async fn measure(target: &Target, pid: Option<u32>, scale: &Scale, table: &mut Table) {
    let seconds = 4.0 * scale.seconds;
    let mut writer = target.connect().await;
    let namespace = r#"{"metadata":{"name":"encodings"}}"#;
    writer.request(&Method::POST, "/api/v1/namespaces", namespace.into()).await;
    let text = "a line of a file that somebody needs, <b>with</b> signs\\n".repeat(180);
    for number in 0..3100 {
        let body = format!(r#"{{"metadata":{{"name":"m{number}"}},"data":{{"file":"{text}"}}}}"#);
        writer.request_ok(&Method::POST, MAPS, body.into()).await;
    }
    table.row("/livez, nothing else", livez(target, seconds, None).await);
    for (name, query, accept, is_packed) in ENCODINGS {
        if let Some(pid) = pid {
            process::reset_peak(pid);
        }
        let done = Arc::new(AtomicBool::new(false));
        let mut readers = Vec::new();
        for _ in 0..AT_ONCE {
            let (mut connection, done) = (target.connect().await, done.clone());
            let path = format!("{MAPS}{query}");
            readers.push(tokio::spawn(async move {
                let mut times = Times::default();
                let mut length = 0;
                while !done.load(Ordering::Relaxed) {
                    let begun = Instant::now();
                    length = connection.read_as(&path, accept, *is_packed).await;
                    times.0.push(begun.elapsed());
                }
                (times, length)
            }));
        }
        let figures = livez(target, seconds, Some(&done)).await;
        let (mut times, mut length) = (Times::default(), 0);
        for reader in readers {
            let (own, read) = reader.await.unwrap();
            times.0.extend(own.0);
            length = read;
        }
        let peak = pid.map_or(0.0, process::peak);
        let lists = format!("a list of {:.1} MB p50 {:.0} ms", length as f64 / 1e6, times.at(0.5));
        table.row(
            &format!("{AT_ONCE} × {name}"),
            format!("/livez {figures}; {lists}; {peak:.0} MB"),
        );
    }
}

/// Latency of `/livez`, requested every ten milliseconds.
async fn livez(target: &Target, seconds: f64, done: Option<&AtomicBool>) -> String {
    let mut connection = target.connect().await;
    let mut times = Times::default();
    let begun = Instant::now();
    while begun.elapsed().as_secs_f64() < seconds {
        let sent = Instant::now();
        connection.request_ok(&Method::GET, "/livez", Bytes::new()).await;
        times.0.push(sent.elapsed());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    if let Some(done) = done {
        done.store(true, Ordering::Relaxed);
    }
    format!(
        "p50 {:.1} ms, p99 {:.1} ms, at most {:.1} ms",
        times.at(0.5),
        times.at(0.99),
        times.at(1.0)
    )
}
