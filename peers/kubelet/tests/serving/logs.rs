//! Tests of logs with every option, and of following them.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use kubelet_peer::{Container, Log, Source};

use crate::client::{Fixture, fixture, with_timeout};

const PATH: &str = "/containerLogs/ns/pod/main";

async fn with_logs() -> (Fixture, Log) {
    let fixture = fixture(|_| {}).await;
    let log = Log::new();
    for (second, line) in [(10, "one\n"), (20, "two\n"), (30, "three\n")] {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        let source = if second == 20 { Source::Stderr } else { Source::Stdout };
        log.append_at(at, source, line);
    }
    let container =
        Container { log: log.clone(), previous: Some("before\n".into()), ..Container::default() };
    fixture.kubelet.add_container("ns", "pod", "main", container).unwrap();
    fixture.kubelet.add_container("ns", "pod", "new", Container::saying("x")).unwrap();
    (fixture, log)
}

#[tokio::test]
async fn every_option_has_its_effect() {
    let (fixture, _) = with_logs().await;
    let rows = [
        ("", "one\ntwo\nthree\n"),
        ("?tailLines=2", "two\nthree\n"),
        ("?tailLines=0", ""),
        ("?limitBytes=5", "one\nt"),
        ("?previous=true", "before\n"),
        ("?sinceTime=1970-01-01T00:00:20Z", "two\nthree\n"),
        ("?sinceSeconds=60", ""),
        ("?stream=Stderr", "two\n"),
        ("?tailLines=1&timestamps=true", "1970-01-01T00:00:30.000000000Z three\n"),
        ("?limitBytes=34&tailLines=1&timestamps=1", "1970-01-01T00:00:30.000000000Z thr"),
    ];
    for (query, expected) in rows {
        let received = with_timeout(fixture.get(&format!("{PATH}{query}"))).await;
        assert_eq!(received, (200, expected.to_string()), "{query}");
    }
}

#[tokio::test]
async fn faults_have_the_kubelets_words() {
    let (fixture, _) = with_logs().await;
    let rows = [
        ("/containerLogs/ns/nope/main", 404, "pod \"nope\" does not exist"),
        ("/containerLogs/ns/pod/nope", 404, "container \"nope\" not found in pod \"pod\""),
        (
            "/containerLogs/ns/pod/main?tailLines=x",
            400,
            r#"{"message": "Unable to decode query."}"#,
        ),
        ("/containerLogs/ns/pod/main?tailLines=-1", 422, r#"{"message": "Invalid request."}"#),
        (
            "/containerLogs/ns/pod/new?previous=true",
            400,
            "previous terminated container \"new\" in pod \"pod_ns\" not found",
        ),
        ("/containerLogs/ns/pod", 404, "404: Page Not Found"),
    ];
    for (path, status, words) in rows {
        assert_eq!(with_timeout(fixture.get(path)).await, (status, words.to_string()), "{path}");
    }
}

#[tokio::test]
async fn a_follower_hears_what_is_written_until_the_end() {
    let (fixture, log) = with_logs().await;
    let path = format!("{PATH}?follow=true&tailLines=1");
    let request = Request::get(path).header("host", "k").body(Full::<Bytes>::default()).unwrap();
    let mut body = with_timeout(fixture.send(request)).await.into_body();
    let mut next =
        async || with_timeout(body.frame()).await.map(|frame| frame.unwrap().into_data().unwrap());
    assert_eq!(next().await.unwrap(), "three\n");
    for line in ["four\n", "five\n"] {
        log.append(line);
        assert_eq!(next().await.unwrap(), line);
    }
    log.end();
    assert_eq!(next().await, None);
}

#[tokio::test]
async fn a_follower_who_leaves_is_forgotten() {
    let (fixture, log) = with_logs().await;
    let path = format!("{PATH}?follow=true");
    let request = Request::get(path).header("host", "k").body(Full::<Bytes>::default()).unwrap();
    let mut body = with_timeout(fixture.send(request)).await.into_body();
    with_timeout(body.frame()).await;
    assert_eq!(log.readers(), 1);
    drop(body);
    with_timeout(async {
        while log.readers() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_flood_has_as_many_bytes_as_it_should() {
    let fixture = fixture(|_| {}).await;
    let flood = Container::saying(Log::flood(3_000_001));
    fixture.kubelet.add_container("ns", "pod", "main", flood).unwrap();
    assert_eq!(with_timeout(fixture.get(PATH)).await.1.len(), 3_000_001);
    assert_eq!(with_timeout(fixture.get_over_h2(PATH)).await.1.len(), 3_000_001);
    let path = format!("{PATH}?limitBytes=70000");
    assert_eq!(with_timeout(fixture.get(&path)).await.1.len(), 70_000);
}
