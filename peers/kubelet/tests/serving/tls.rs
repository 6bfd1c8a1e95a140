//! Tests of certificate changes, client authentication and session resumption.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use kubelet_peer::authority::{Authority, Leaf, Text, self_signed};
use kubelet_peer::{Kubelet, Options};
use rustls::HandshakeKind;
use tokio::io::AsyncReadExt;

use crate::client::{Fixture, Tls, fixture, read_response, send_over, with_timeout};

fn health() -> Request<Full<Bytes>> {
    Request::get("/healthz").header("host", "k").body(Full::default()).unwrap()
}

fn leaf(tls: &Tls) -> Vec<u8> {
    tls.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

#[tokio::test]
async fn what_is_shown_changes_for_those_who_come_next() {
    let fixture = fixture(|_| {}).await;
    let config = Arc::new(fixture.config("http/1.1", None));
    let before = with_timeout(fixture.connect(&config)).await.unwrap();
    let other = fixture
        .authority
        .issue(&Leaf { common_names: vec![Text::bmp("a"), "b\0c".into()], ..Leaf::default() });
    fixture.kubelet.set_certificate(&other).unwrap();
    let after =
        with_timeout(fixture.connect(&Arc::new(fixture.config("http/1.1", None)))).await.unwrap();
    assert_ne!(leaf(&before), leaf(&after));
    assert_eq!(leaf(&after), other.chain[0].to_vec());
    assert_eq!(with_timeout(read_response(send_over(before, health()).await)).await.0, 200);
    fixture.kubelet.set_certificate(&self_signed("host", 1)).unwrap();
    let config = Arc::new(fixture.config("http/1.1", None));
    assert!(with_timeout(fixture.connect(&config)).await.is_err());
    fixture
        .kubelet
        .set_certificate(&fixture.authority.issue(&Leaf::kubelet("node-a").expired()))
        .unwrap();
    assert!(with_timeout(fixture.connect(&config)).await.is_err());
    assert_eq!(fixture.kubelet.connections(), 2);
}

#[tokio::test]
async fn only_those_may_ask_whom_the_authority_knows() {
    let clients = Authority::new("clients");
    let fixture = fixture(|options| options.client_authority = Some(clients.ca_pem())).await;
    let known = clients.issue(&Leaf::client("server", &["system:masters"]));
    let stranger = Authority::new("strangers").issue(&Leaf::client("stranger", &[]));
    for (identity, status) in [(None, 401), (Some(&stranger), 401), (Some(&known), 200)] {
        let config = Arc::new(fixture.config("http/1.1", identity));
        let tls = with_timeout(fixture.connect(&config)).await.unwrap();
        assert_eq!(with_timeout(read_response(send_over(tls, health()).await)).await.0, status);
    }
    let names =
        fixture.kubelet.requests().into_iter().map(|request| request.client).collect::<Vec<_>>();
    assert_eq!(names, [None, Some("stranger".into()), Some("server".into())]);
}

async fn kinds(fixture: &Fixture) -> Vec<HandshakeKind> {
    let config = Arc::new(fixture.config("http/1.1", None));
    let mut kinds = Vec::new();
    for _ in 0..2 {
        let mut tls = with_timeout(fixture.connect(&config)).await.unwrap();
        // tickets come behind the handshake
        let _ = tokio::time::timeout(Duration::from_millis(200), tls.read_u8()).await;
        kinds.push(tls.get_ref().1.handshake_kind().unwrap());
    }
    kinds
}

#[tokio::test]
async fn sessions_are_resumed_if_they_may_be() {
    for tls13 in [true, false] {
        let resuming = fixture(|options| options.tls13 = tls13).await;
        let second = kinds(&resuming).await[1];
        assert_eq!(second, HandshakeKind::Resumed, "{tls13}");
        let forgetful = fixture(|options| {
            options.tls13 = tls13;
            options.session_tickets = false;
        })
        .await;
        assert_eq!(kinds(&forgetful).await, [HandshakeKind::Full; 2], "{tls13}");
    }
}

#[tokio::test]
async fn connections_can_be_closed_and_the_kubelet_stopped() {
    let fixture = fixture(|_| {}).await;
    let config = Arc::new(fixture.config("http/1.1", None));
    let mut tls = with_timeout(fixture.connect(&config)).await.unwrap();
    fixture.kubelet.close_connections();
    assert!(with_timeout(tls.read_u8()).await.is_err());
    assert_eq!(with_timeout(fixture.get("/healthz")).await.0, 200);
    let address = fixture.kubelet.address();
    drop(fixture);
    with_timeout(async {
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[test]
fn a_kubelet_runs_apart_from_tests_that_are_not_async() {
    let authority = Authority::new("ca");
    let kubelet = Kubelet::start_with_runtime(Options::new(authority.kubelet("n"))).unwrap();
    std::net::TcpStream::connect(kubelet.address()).unwrap();
}
