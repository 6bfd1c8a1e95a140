//! Logs with every option, and logs that are followed.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use kubelet_peer::{Container, Log, Source};

use crate::client::{Place, place, soon};

const PATH: &str = "/containerLogs/ns/pod/main";

async fn with_logs() -> (Place, Log) {
    let place = place(|_| {}).await;
    let log = Log::new();
    for (second, line) in [(10, "one\n"), (20, "two\n"), (30, "three\n")] {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        let source = if second == 20 { Source::Stderr } else { Source::Stdout };
        log.append_at(at, source, line);
    }
    let container =
        Container { log: log.clone(), previous: Some("before\n".into()), ..Container::default() };
    place.kubelet.add_container("ns", "pod", "main", container).unwrap();
    place.kubelet.add_container("ns", "pod", "new", Container::saying("x")).unwrap();
    (place, log)
}

#[tokio::test]
async fn every_option_has_its_effect() {
    let (place, _) = with_logs().await;
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
        let told = soon(place.get(&format!("{PATH}{query}"))).await;
        assert_eq!(told, (200, expected.to_string()), "{query}");
    }
}

#[tokio::test]
async fn faults_have_the_kubelets_words() {
    let (place, _) = with_logs().await;
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
        assert_eq!(soon(place.get(path)).await, (status, words.to_string()), "{path}");
    }
}

#[tokio::test]
async fn a_follower_hears_what_is_written_until_the_end() {
    let (place, log) = with_logs().await;
    let path = format!("{PATH}?follow=true&tailLines=1");
    let request = Request::get(path).header("host", "k").body(Full::<Bytes>::default()).unwrap();
    let mut body = soon(place.send(request)).await.into_body();
    let mut next =
        async || soon(body.frame()).await.map(|frame| frame.unwrap().into_data().unwrap());
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
    let (place, log) = with_logs().await;
    let path = format!("{PATH}?follow=true");
    let request = Request::get(path).header("host", "k").body(Full::<Bytes>::default()).unwrap();
    let mut body = soon(place.send(request)).await.into_body();
    soon(body.frame()).await;
    assert_eq!(log.readers(), 1);
    drop(body);
    soon(async {
        while log.readers() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_flood_has_as_many_bytes_as_it_should() {
    let place = place(|_| {}).await;
    let flood = Container::saying(Log::flood(3_000_001));
    place.kubelet.add_container("ns", "pod", "main", flood).unwrap();
    assert_eq!(soon(place.get(PATH)).await.1.len(), 3_000_001);
    assert_eq!(soon(place.get_over_h2(PATH)).await.1.len(), 3_000_001);
    let path = format!("{PATH}?limitBytes=70000");
    assert_eq!(soon(place.get(&path)).await.1.len(), 70_000);
}
