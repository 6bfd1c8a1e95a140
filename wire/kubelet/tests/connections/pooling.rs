//! Connections are reused for their own peer, and closed when unused.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Version};
use http_body_util::{BodyExt, Full};
use ratchet_kubelet::{NameCheck, Settings, Timing, Verification};

use super::authority::{Authority, Wanted};
use super::peer::{H1, H2, Peer};
use super::us::Us;

fn impatient() -> Settings {
    let timing = Timing { idle: Duration::from_millis(300), ..Timing::default() };
    Settings { timing, ..Settings::default() }
}

#[tokio::test]
async fn many_requests_one_connection_one_success() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2, &[]] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&authority);
        for _ in 0..10 {
            assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 1);
        }
        let response = us.begin(&peer.of("node-a"), "/path").await.unwrap();
        let expected = if protocols == H2 { Version::HTTP_2 } else { Version::HTTP_11 };
        assert_eq!(response.version(), expected);
        assert_eq!((peer.connections(), peer.requests()), (1, 11));
        assert_eq!(us.witnessed(), (1, 0));
        let host = peer.address.to_string();
        assert!(peer.hosts.lock().unwrap().iter().all(|recorded| *recorded == host));
    }
}

#[tokio::test]
async fn requests_at_once_wait_for_one_handshake() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    let us = std::sync::Arc::new(Us::enforcing(&authority));
    let to = peer.of("node-a");
    let all: Vec<_> = (0..15)
        .map(|_| {
            let (us, to) = (std::sync::Arc::clone(&us), to.clone());
            tokio::spawn(async move { us.get(&to).await })
        })
        .collect();
    for one in all {
        assert_eq!(one.await.unwrap().unwrap(), 1);
    }
    assert_eq!(us.witnessed(), (1, 0));
}

#[tokio::test]
async fn requests_at_once_are_refused_together() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-b")), H2).await;
    let us = std::sync::Arc::new(Us::enforcing(&authority));
    let to = peer.of("node-a");
    let all: Vec<_> = (0..15)
        .map(|_| {
            let (us, to) = (std::sync::Arc::clone(&us), to.clone());
            tokio::spawn(async move { us.get(&to).await })
        })
        .collect();
    for one in all {
        let error = one.await.unwrap().unwrap_err().to_string();
        assert!(error.contains("does not match"), "{error}");
    }
    assert_eq!(peer.requests(), 0);
    assert_eq!(us.witnessed(), (0, 1));
}

#[tokio::test]
async fn streams_beyond_what_a_connection_carries_get_another() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    let us = Us::enforcing(&authority);
    us.get(&peer.of("node-a")).await.unwrap();
    // The peer allows twenty.
    let (mut bodies, to) = (Vec::new(), peer.of("node-a"));
    for _ in 0..50 {
        let begun = us.begin(&to, "/stream");
        let mut body = tokio::time::timeout(Duration::from_secs(5), begun).await.unwrap().unwrap();
        body.frame().await.unwrap().unwrap();
        bodies.push(body);
    }
    assert_eq!(peer.connections(), 3);
    drop(bodies);
    tokio::time::sleep(Duration::from_millis(50)).await;
    us.get(&peer.of("node-a")).await.unwrap();
    assert_eq!(peer.connections(), 3);
}

#[tokio::test]
async fn a_reader_that_stands_still_holds_up_nobody() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    let us = Us::enforcing(&authority);
    let mut still = Vec::new();
    for _ in 0..19 {
        still.push(us.begin(&peer.of("node-a"), "/big").await.unwrap());
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let to = peer.of("node-a");
    let response = us.get(&to);
    let number = tokio::time::timeout(Duration::from_secs(5), response).await.unwrap().unwrap();
    assert_eq!(number, 1);
    for body in still {
        let read = body.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(read.len(), 4 << 20, "and in the end everything is read");
    }
}

#[tokio::test]
async fn what_nobody_uses_is_let_go() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::with(&authority.pem(), NameCheck::Enforce, impatient());
        us.get(&peer.of("node-a")).await.unwrap();
        assert_eq!(peer.open(), 1);
        peer.until_open(0).await;
        assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 2, "and made again");
    }
}

#[tokio::test]
async fn what_is_read_is_not_let_go() {
    let authority = Authority::new("kubelet-ca");
    let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), H2).await;
    let us = Us::with(&authority.pem(), NameCheck::Enforce, impatient());
    let mut body = us.begin(&peer.of("node-a"), "/stream").await.unwrap();
    body.frame().await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    peer.pieces.add_permits(1);
    let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(piece, "piece");
    assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), 1, "the same connection");
    drop(body);
    peer.until_open(0).await;
}

#[tokio::test]
async fn a_connection_that_died_unseen_costs_nothing() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&authority);
        peer.hangs_up.store(true, Ordering::SeqCst);
        for number in 1..5 {
            assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), number);
            peer.until_open(0).await;
        }
    }
}

#[tokio::test]
async fn a_request_that_its_connection_died_of_is_sent_again_if_it_is_harmless() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&authority);
        peer.dies_of_the_second.store(true, Ordering::SeqCst);
        for number in 1..5 {
            assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), number);
        }
        // A retried request goes to the right peer.
        peer.show(&authority.sign(&Wanted::node("node-b")));
        let error = us.get(&peer.of("node-a")).await.unwrap_err().to_string();
        assert!(error.contains("\"system:node:node-b\" does not match"), "{error}");
        assert_eq!(us.witnessed(), (4, 1));

        peer.show(&authority.sign(&Wanted::node("node-a")));
        us.get(&peer.of("node-a")).await.unwrap();
        let (to, served) = (peer.of("node-a"), peer.requests());
        let post = Request::post("/run").body(Full::new(Bytes::from("once"))).unwrap();
        let failed = us.send(&to, Verification::Full, post).await.unwrap_err().to_string();
        assert_eq!(failed, "EOF", "what may have had an effect is not");
        assert_eq!(peer.requests(), served);
    }
}

#[tokio::test]
async fn what_is_not_read_to_its_end_spoils_nothing() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&authority);
        for _ in 0..5 {
            drop(us.begin(&peer.of("node-a"), "/big").await.unwrap());
            us.get(&peer.of("node-a")).await.unwrap();
        }
    }
}

#[tokio::test]
async fn bodies_go_both_ways() {
    let authority = Authority::new("kubelet-ca");
    for protocols in [H1, H2] {
        let peer = Peer::start(&authority.sign(&Wanted::node("node-a")), protocols).await;
        let us = Us::enforcing(&authority);
        let request = Request::builder()
            .method(Method::POST)
            .uri("/run?command=x%20y")
            .header("host", "somebody.else")
            .body(Full::new(Bytes::from(vec![b'y'; 100_000])))
            .unwrap();
        let to = peer.of("node-a");
        let response = us.send(&to, Verification::Full, request).await.unwrap();
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "/run");
        us.get(&to).await.unwrap();
        let hosts = [String::from("somebody.else"), to.authority()];
        assert_eq!(
            *peer.hosts.lock().unwrap(),
            hosts,
            "the one it names, or the one that is dialled"
        );
    }
}

#[tokio::test]
async fn without_verification_nothing_is_counted_and_nothing_is_shared() {
    let authority = Authority::new("kubelet-ca");
    let foreign = Authority::new("foreign-ca");
    for protocols in [H1, H2] {
        let peer = Peer::start(&foreign.sign(&Wanted::cn("anybody")), protocols).await;
        let us = Us::enforcing(&authority);
        assert_eq!(us.get_insecurely(&peer.of("node-a")).await.unwrap(), 1);
        us.refused(&peer.of("node-a")).await;
        assert_eq!(us.witnessed(), (0, 0));

        peer.show(&authority.sign(&Wanted::node("node-a")));
        let secure = us.get(&peer.of("node-a")).await.unwrap();
        assert_eq!(us.get_insecurely(&peer.of("node-a")).await.unwrap(), 1, "its own again");
        assert_ne!(secure, 1);
        assert_eq!(us.get(&peer.of("node-a")).await.unwrap(), secure);
        assert_eq!(us.witnessed(), (1, 0));
    }
}
