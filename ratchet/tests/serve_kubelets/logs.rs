//! Tests of logs: every option, every error, followers that stay and followers that leave.

use crate::client::{Answer, piece, until, with_timeout};
use crate::flood::Flood;
use crate::world::{Mode, NAMESPACE, World, of_pod, saying};
use hyper::Method;
use kubelet_peer::{Answer as CannedAnswer, Container, Kubelet, Log, Source};
use serde_json::json;
use std::time::{Duration, SystemTime};

async fn log(world: &World, query: &str) -> Answer {
    world.admin.get(&of_pod("pod", &format!("log{query}"))).await
}

fn canned(status: u16, headers: &[(&str, &str)], body: &str) -> Option<CannedAnswer> {
    let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Some(CannedAnswer { status, headers, body: body.into() })
}

/// The pod `pod` with this container on node `a`.
async fn with(world: &World, container: Container) -> Kubelet {
    let kubelet = world.kubelet("a").await;
    world.node("a", kubelet.address()).await;
    world.pod("pod", "a").await;
    kubelet.add_container(NAMESPACE, "pod", "main", container).unwrap();
    kubelet
}

#[tokio::test]
async fn options_reach_the_kubelet_in_its_order_and_only_if_they_say_something() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    for (query, expected_query) in [
        ("", ""),
        ("?container=main&pretty=true&nonsense=1", ""),
        (
            "?timestamps=true&tailLines=5&sinceSeconds=10&previous=false&limitBytes=100&follow=true",
            "follow=true&limitBytes=100&sinceSeconds=10&tailLines=5&timestamps=true",
        ),
        ("?follow=maybe", "follow=true"),
        ("?follow=FALSE&timestamps=0", ""),
        ("?tailLines=0", "tailLines=0"),
        ("?sinceTime=2024-05-01T10:00:00.999Z", "sinceTime=2024-05-01T10%3A00%3A00Z"),
        ("?sinceTime=2024-05-01T10:00:00%2B02:00", "sinceTime=2024-05-01T10%3A00%3A00%2B02%3A00"),
        ("?insecureSkipTLSVerifyBackend=true", ""),
    ] {
        kubelet.clear_requests();
        let answer = log(&world, query).await;
        assert_eq!(answer.code, 200, "{query}: {}", answer.text());
        assert_eq!(answer.header("content-type"), "text/plain");
        let requests = kubelet.requests();
        let [request] = &requests[..] else { panic!("{query}: {requests:?}") };
        assert_eq!((&*request.method, &*request.query), ("GET", expected_query), "{query}");
        assert_eq!(request.path, format!("/containerLogs/{NAMESPACE}/pod/main"));
    }
}

#[tokio::test]
async fn options_choose_what_comes() {
    let world = World::new(Mode::Enforce).await;
    let container = Container { previous: Some(Log::from("before\n")), ..saying("") };
    container.previous.as_ref().unwrap().end();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    container.log.append_at(long_ago, Source::Stdout, "old\n");
    container.log.append_at(SystemTime::now(), Source::Stderr, "new 1\nnew 2\n");
    let _kubelet = with(&world, container).await;
    for (query, message) in [
        ("", "old\nnew 1\nnew 2\n"),
        ("?tailLines=1", "new 2\n"),
        ("?tailLines=0", ""),
        ("?limitBytes=5", "old\nn"),
        ("?sinceSeconds=3600", "new 1\nnew 2\n"),
        ("?sinceTime=2023-12-01T00:00:00Z", "new 1\nnew 2\n"),
        ("?previous=true", "before\n"),
        ("?timestamps=true&limitBytes=34", "2023-11-14T22:13:20.000000000Z old"),
    ] {
        assert_eq!(log(&world, query).await.text(), message, "{query}");
    }
}

#[tokio::test]
async fn options_that_make_no_sense_are_refused_before_anybody_is_asked() {
    let world = World::new(Mode::Enforce).await;
    let invalid = |message: &str| (422, format!("PodLogOptions \"absent\" is invalid: {message}"));
    let not_a_number = (400, "strconv.ParseInt: parsing \"abc\": invalid syntax".to_owned());
    let since = "at most one of `sinceTime` or `sinceSeconds` may be specified";
    for (query, refusal) in [
        ("tailLines=abc", not_a_number.clone()),
        ("limitBytes=abc", not_a_number.clone()),
        ("sinceSeconds=abc", not_a_number),
        (
            "sinceTime=abc",
            (400, "parsing time \"abc\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"abc\" as \"2006\"".into()),
        ),
        ("tailLines=-1", invalid("tailLines: Invalid value: -1: must be greater than or equal to 0")),
        ("limitBytes=0", invalid("limitBytes: Invalid value: 0: must be greater than 0")),
        ("sinceSeconds=0", invalid("sinceSeconds: Invalid value: 0: must be greater than 0")),
        ("sinceSeconds=1&sinceTime=2024-05-01T10:00:00Z", invalid(&format!("[]: Forbidden: {since}"))),
        ("stream=Stdout", invalid("stream: Forbidden: may not be specified")),
        (
            "tailLines=-1&limitBytes=0",
            invalid("[tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]"),
        ),
        ("", (404, "pods \"absent\" not found".into())),
    ] {
        let answer = world.admin.get(&of_pod("absent", &format!("log?{query}"))).await;
        assert_eq!(answer.refusal(), refusal, "{query}");
    }
    let answer = world.admin.post(&of_pod("absent", "log"), json!({})).await;
    assert_eq!(answer.code, 405, "{}", answer.text());
}

#[tokio::test]
async fn a_container_is_named_or_the_only_one() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.kubelet("a").await;
    world.node("a", kubelet.address()).await;
    world.pod_of("several", "a", &["c1", "c2"]).await;
    kubelet.add_container(NAMESPACE, "several", "c2", saying("two\n")).unwrap();
    let get = |query: &str| {
        let path = of_pod("several", &format!("log{query}"));
        let admin = world.admin.clone();
        async move { admin.get(&path).await }
    };
    let choose = "a container name must be specified for pod several, choose one of: [c1 c2]";
    assert_eq!(get("").await.refusal(), (400, choose.into()));
    let unknown = "container nope is not valid for pod several";
    assert_eq!(get("?container=nope").await.refusal(), (400, unknown.into()));
    assert_eq!(get("?container=c2").await.text(), "two\n");
}

#[tokio::test]
async fn a_pod_without_a_node_has_said_nothing() {
    let world = World::new(Mode::Enforce).await;
    world.pod("pod", "").await;
    let answer = log(&world, "").await;
    assert_eq!((answer.code, answer.text()), (204, String::new()));
    let upgrade = [("connection", "Upgrade"), ("upgrade", "SPDY/3.1")];
    for what in ["exec?command=id&stdout=true", "attach?stdout=true", "portforward"] {
        let refused = world.admin.upgrade(Method::POST, &of_pod("pod", what), &upgrade).await;
        let text = "pod pod does not have a host assigned";
        assert_eq!(refused.unwrap_err().refusal(), (400, text.into()), "{what}");
    }
}

#[tokio::test]
async fn a_node_that_is_missing_or_nowhere_is_told() {
    let world = World::with(Mode::Enforce, |_, config| {
        config.backends.address_types = vec!["InternalDNS".into()];
    })
    .await;
    world.pod("pod", "zz").await;
    assert_eq!(log(&world, "").await.refusal(), (404, "pods \"zz\" not found".into()));
    world.make("/api/v1/nodes", json!({"metadata": {"name": "zz"}})).await;
    let none = "no preferred addresses found; known addresses: []";
    assert_eq!(log(&world, "").await.refusal(), (500, none.into()));
    let addresses = json!({"status": {"addresses": [{"type": "Hostname", "address": "zz"}, {"type": "InternalIP", "address": "10.0.0.1"}]}});
    assert_eq!(world.admin.patch("/api/v1/nodes/zz/status", addresses).await.code, 200);
    let known =
        "no preferred addresses found; known addresses: [{Hostname zz} {InternalIP 10.0.0.1}]";
    let answer = log(&world, "").await;
    assert_eq!(answer.refusal(), (500, known.into()));
    assert_eq!(answer.json()["reason"], json!(null));
}

#[tokio::test]
async fn complaints_of_kubelets_are_passed_on() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    let address = kubelet.address();
    let redirect = format!(
        "Get \"https://{address}/containerLogs/{NAMESPACE}/pod/main\": redirects forbidden"
    );
    for (status, reason, message) in [
        (400, "BadRequest", "words"),
        (500, "InternalError", "Internal error occurred: words"),
        (404, "NotFound", "the server could not find the requested resource ( pods/log pod)"),
        (403, "Forbidden", "words ( pods/log pod)"),
        (
            503,
            "ServiceUnavailable",
            "the server is currently unable to handle the request ( pods/log pod)",
        ),
        (
            502,
            "InternalError",
            "an error on the server (\"words\") has prevented the request from succeeding ( pods/log pod)",
        ),
        (302, "", redirect.as_str()),
    ] {
        kubelet.clear_requests();
        kubelet.answer("/containerLogs", canned(status, &[("location", "/echo")], "words"));
        let answer = log(&world, "").await;
        let code = if status == 302 { 500 } else { status };
        assert_eq!(answer.refusal(), (code, message.into()), "{status}");
        assert_eq!(answer.json()["reason"].as_str().unwrap_or_default(), reason);
        assert_eq!(kubelet.requests().len(), 1, "nothing is followed or asked again");
    }
    kubelet.answer("/containerLogs", canned(500, &[], &"x".repeat(200_000)));
    let long = log(&world, "").await.refusal().1;
    let message = long.strip_prefix("Internal error occurred: ").unwrap();
    assert!(message.bytes().all(|byte| byte == b'x'));
    assert_eq!(message.len(), 50_000, "but not for ever");
    kubelet.answer("/containerLogs", None);
    let previous = "previous terminated container \"main\" in pod \"pod_work\" not found";
    assert_eq!(log(&world, "?previous=true").await.refusal(), (400, previous.into()));
}

#[tokio::test]
async fn a_follower_hears_every_line_and_the_end() {
    let world = World::new(Mode::Enforce).await;
    let container = Container::saying("one\n");
    let open = container.log.clone();
    let _kubelet = with(&world, container).await;
    let mut follower =
        world.admin.request(Method::GET, &of_pod("pod", "log?follow=true"), &[], "").await;
    assert_eq!(piece(&mut follower).await.unwrap(), "one\n");
    for line in ["two\n", "three\n"] {
        open.append(line);
        assert_eq!(piece(&mut follower).await.unwrap(), line);
    }
    open.end();
    assert_eq!(piece(&mut follower).await, None);
}

#[tokio::test]
async fn a_follower_that_leaves_is_not_followed_for() {
    let world = World::new(Mode::Enforce).await;
    let container = Container::saying("one\n");
    let open = container.log.clone();
    let kubelet = with(&world, container).await;
    let mut followers = Vec::new();
    for _ in 0..5 {
        let path = of_pod("pod", "log?follow=true");
        let mut follower = world.admin.request(Method::GET, &path, &[], "").await;
        assert_eq!(piece(&mut follower).await.unwrap(), "one\n");
        followers.push(follower);
    }
    assert_eq!(open.readers(), 5);
    assert_eq!(kubelet.connections(), 1, "they share one connection");
    drop(followers);
    until("nobody reads", || open.readers() == 0).await;
    assert_eq!(log(&world, "?tailLines=1").await.text(), "one\n");
    assert_eq!(kubelet.connections(), 1, "which is none the worse for it");
}

#[tokio::test]
async fn a_kubelet_that_leaves_ends_the_log() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = with(&world, Container::saying("one\n")).await;
    let mut follower =
        world.admin.request(Method::GET, &of_pod("pod", "log?follow=true"), &[], "").await;
    assert_eq!(piece(&mut follower).await.unwrap(), "one\n");
    kubelet.close_connections();
    let body = http_body_util::BodyExt::collect(follower.into_body());
    assert!(with_timeout(body).await.is_err(), "it is not taken for the end of the log");
}

#[tokio::test]
async fn a_slow_reader_slows_the_kubelet_down() {
    const MEGABYTE: u64 = 1 << 20;
    for http2 in [true, false] {
        let world = World::new(Mode::Enforce).await;
        let flood = Flood::start(world.right("a"), http2).await;
        world.node("a", flood.address).await;
        world.pod("pod", "a").await;
        let mut reader = world.admin.request(Method::GET, &of_pod("pod", "log"), &[], "").await;
        for _ in 0..10 {
            piece(&mut reader).await.unwrap();
        }
        let mut sent = flood.sent();
        loop {
            // Only silence shows that no more data comes.
            tokio::time::sleep(Duration::from_millis(200)).await;
            let now = flood.sent();
            if std::mem::replace(&mut sent, now) == now {
                break;
            }
        }
        assert!(sent < 24 * MEGABYTE, "{sent} bytes were taken for one who read little");
        let mut more = 0;
        while more < 32 * MEGABYTE {
            more += piece(&mut reader).await.unwrap().len() as u64;
        }
        assert!(flood.sent() >= more, "and go on when it does");
        drop(reader);
        until("the kubelet is let go", || flood.readers() == 0).await;
    }
}
