//! Tests of well-behaved clients.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt;
use ratchet_http::certificates::{Authority, usual_names};
use ratchet_http::{Drain, ListenLimits, Listener, channel, empty};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{BOTH, Client, Protocol, bytes, connect, piece, request, text};
use crate::server::{Answers, Server};

#[tokio::test]
async fn both_protocols_are_spoken_with_and_without_a_certificate() {
    let server = Server::start(ListenLimits::default()).await;
    let own = server.authority.client("jane", &["dev"]).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let stranger = Authority::load_or_create(elsewhere.path()).unwrap().client("eve", &[]).unwrap();
    for protocol in BOTH {
        for (certificate, answer) in [
            (None, "0 certificates"),
            (Some(&own), "1 certificates"),
            // This CA is unknown here; refusing it is not the handshake's business.
            (Some(&stranger), "1 certificates"),
        ] {
            let stream = connect(&server, protocol, certificate).await.unwrap();
            let agreed: &[u8] = if protocol == Protocol::Two { b"h2" } else { b"http/1.1" };
            assert_eq!(stream.get_ref().1.alpn_protocol(), Some(agreed));
            let mut client = Client::over(stream, protocol).await;
            assert_eq!(client.text("/peer").await, answer, "{protocol:?}");
            assert_eq!(client.text("/peer").await, answer, "the connection is kept");
            assert_eq!(client.get("/nothing").await.unwrap().status(), StatusCode::NOT_FOUND);
        }
    }
}

#[tokio::test]
async fn bodies_have_a_limit_in_size_and_time() {
    let server = Server::start(ListenLimits::default()).await;
    for protocol in BOTH {
        let mut client = Client::new(&server, protocol).await;
        let answer = client.send(request("/body", bytes(1000))).await.unwrap();
        assert_eq!(text(answer).await, "1000 bytes");

        let mut client = Client::new(&server, protocol).await;
        let answer = client.send(request("/body", bytes(1001))).await.unwrap();
        assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);

        let mut client = Client::new(&server, protocol).await;
        let (sender, body) = channel(1);
        sender.send("a").await.unwrap();
        let answer = client.send(request("/body", body)).await.unwrap();
        assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT, "{protocol:?}");
    }
}

#[tokio::test]
async fn a_body_that_nobody_reads_does_not_hold_up_the_others() {
    let server = Server::start(ListenLimits::default()).await;
    let client = Client::new(&server, Protocol::Two).await;
    let Client::Two(sender) = client else { panic!("speaks HTTP/2") };
    let deaf: Vec<_> = (0..20)
        .map(|_| tokio::spawn(sender.clone().send_request(request("/deaf", bytes(2_000_000)))))
        .collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut client = Client::Two(sender);
    let quick = client.send(request("/body", bytes(500)));
    let quick = tokio::time::timeout(Duration::from_millis(500), quick).await.unwrap().unwrap();
    assert_eq!(text(quick).await, "500 bytes");
    for deaf in deaf {
        assert_eq!(text(deaf.await.unwrap().unwrap()).await, "deaf");
    }
}

#[tokio::test]
async fn events_arrive_as_they_are_sent_and_a_gone_client_is_noticed() {
    let server = Server::start(ListenLimits::default()).await;
    for protocol in BOTH {
        let mut client = Client::new(&server, protocol).await;
        let mut watch = client.get("/watch").await.unwrap();
        let first = tokio::time::timeout(Duration::from_secs(5), piece(&mut watch)).await.unwrap();
        assert_eq!(first.as_deref(), Some("event\n"));
    }
}

#[tokio::test]
async fn a_panic_costs_one_request_and_not_the_connection() {
    let server = Server::start(ListenLimits::default()).await;
    for protocol in BOTH {
        let mut client = Client::new(&server, protocol).await;
        let answer = client.get("/panic").await.unwrap();
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        answer.into_body().collect().await.unwrap();
        assert_eq!(client.text("/peer").await, "0 certificates");
    }
}

#[tokio::test]
async fn a_connection_can_be_upgraded() {
    let server = Server::start(ListenLimits::default()).await;
    let mut client = Client::new(&server, Protocol::One).await;
    let mut upgrade = request("/upgrade", empty());
    upgrade.headers_mut().insert("connection", "Upgrade".parse().unwrap());
    upgrade.headers_mut().insert("upgrade", "echo".parse().unwrap());
    let answer = client.send(upgrade).await.unwrap();
    assert_eq!(answer.status(), StatusCode::SWITCHING_PROTOCOLS);
    let mut stream = hyper_util::rt::TokioIo::new(hyper::upgrade::on(answer).await.unwrap());
    stream.write_all(b"hello").await.unwrap();
    let mut received = [0; 5];
    stream.read_exact(&mut received).await.unwrap();
    assert_eq!(&received, b"hello");
}

#[tokio::test]
async fn a_new_certificate_is_shown_to_new_connections_only() {
    let limits =
        ListenLimits { certificate_poll: Duration::from_millis(50), ..ListenLimits::default() };
    let server = Server::start(limits).await;
    let presented = |stream: &tokio_rustls::client::TlsStream<TcpStream>| {
        stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
    };
    let stream = connect(&server, Protocol::Two, None).await.unwrap();
    let first = presented(&stream);
    let mut old = Client::over(stream, Protocol::Two).await;
    assert_eq!(old.text("/peer").await, "0 certificates");

    let mut names = usual_names();
    names.push("new.example".into());
    server.authority.serving(&names).unwrap();
    let mut second = first.clone();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        second = presented(&connect(&server, Protocol::Two, None).await.unwrap());
        if second != first {
            break;
        }
    }
    assert_ne!(second, first, "the files are watched");
    assert_eq!(old.text("/peer").await, "0 certificates", "the old connection still stands");

    std::fs::write(server.dir.path().join("apiserver.crt"), "broken").unwrap();
    server.tls.reload_now();
    assert_eq!(presented(&connect(&server, Protocol::One, None).await.unwrap()), second);
}

#[tokio::test]
async fn plain_http_is_served_too() {
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = listener.address();
    let drain = Drain::new();
    let service = Arc::new(Answers { drain: drain.clone() });
    let running =
        tokio::spawn(listener.serve_plain(service, drain.clone(), ListenLimits::default()));
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /peer HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let mut received = vec![0; 4096];
    let count = stream.read(&mut received).await.unwrap();
    let received = String::from_utf8(received[..count].to_vec()).unwrap();
    assert!(received.starts_with("HTTP/1.1 200 OK\r\n"), "{received}");
    assert!(
        received.contains("content-length: 14\r\n") && received.contains("\r\ndate: "),
        "{received}"
    );
    drain.begin();
    running.await.unwrap();
}
