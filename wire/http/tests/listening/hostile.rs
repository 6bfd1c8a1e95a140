//! Tests of misbehaving clients.

use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt;
use ratchet_http::{ListenLimits, empty};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{BOTH, Client, Protocol, connect, piece, request};
use crate::server::Server;

fn impatient() -> ListenLimits {
    ListenLimits {
        handshake_timeout: Duration::from_millis(300),
        header_timeout: Duration::from_millis(300),
        idle_timeout: Duration::from_millis(600),
        ..ListenLimits::default()
    }
}

/// Reads until the server closes; fails when it does not.
async fn until_closed(mut stream: impl AsyncReadExt + Unpin) -> Vec<u8> {
    let mut received = Vec::new();
    let reading = stream.read_to_end(&mut received);
    // A reset and an end are both an end.
    let _ = tokio::time::timeout(Duration::from_secs(5), reading).await.expect("is closed");
    received
}

async fn serves(server: &Server) {
    let answer = Client::new(server, Protocol::Two).await.text("/peer").await;
    assert_eq!(answer, "0 certificates");
}

#[tokio::test]
async fn garbage_and_silence_in_place_of_a_handshake_are_closed() {
    let server = Server::start(impatient()).await;
    let mut garbage = TcpStream::connect(server.address).await.unwrap();
    garbage.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    until_closed(garbage).await;
    until_closed(TcpStream::connect(server.address).await.unwrap()).await;
    serves(&server).await;
}

#[tokio::test]
async fn a_head_that_comes_drop_by_drop_is_cut() {
    let server = Server::start(impatient()).await;
    let mut stream = connect(&server, Protocol::One, None).await.unwrap();
    stream.write_all(b"GET /peer HTTP/1.1\r\nHost: x\r\n").await.unwrap();
    let (reader, mut writer) = tokio::io::split(stream);
    let dripping = tokio::spawn(async move {
        while writer.write_all(b"X-Drop: x\r\n").await.is_ok() && writer.flush().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let received = until_closed(reader).await;
    assert!(!received.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&received));
    dripping.abort();
    serves(&server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_sends_a_body_that_is_refused_early_reads_the_refusal() {
    let server = Server::start(ListenLimits::default()).await;
    for _ in 0..5 {
        let mut stream = connect(&server, Protocol::One, None).await.unwrap();
        let head = "POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        // Bodies are written whole before anything is read, as simple clients do.
        for _ in 0..80 {
            stream.write_all(&[b'x'; 100_000]).await.unwrap();
        }
        stream.flush().await.unwrap();
        let heard = until_closed(stream).await;
        assert!(heard.starts_with(b"HTTP/1.1 404"), "{}", String::from_utf8_lossy(&heard));
    }
}

#[tokio::test]
async fn silence_after_the_handshake_is_closed() {
    let server = Server::start(impatient()).await;
    for protocol in BOTH {
        until_closed(connect(&server, protocol, None).await.unwrap()).await;
    }
}

#[tokio::test]
async fn an_idle_connection_is_closed_and_a_quiet_stream_is_not() {
    let server = Server::start(impatient()).await;
    for protocol in BOTH {
        let mut client = Client::new(&server, protocol).await;
        client.text("/peer").await;
        let mut watcher = Client::new(&server, protocol).await;
        let mut watch = watcher.get("/watch").await.unwrap();
        piece(&mut watch).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert!(client.get("/peer").await.is_err(), "{protocol:?}");
        let quiet = piece(&mut watch);
        assert!(tokio::time::timeout(Duration::from_millis(50), quiet).await.is_err());
    }
}

#[tokio::test]
async fn heads_have_a_limit() {
    let server = Server::start(ListenLimits::default()).await;
    for protocol in BOTH {
        let mut client = Client::new(&server, protocol).await;
        let mut long = request("/peer", empty());
        long.headers_mut().insert("x-token", "t".repeat(60_000).parse().unwrap());
        assert_eq!(client.send(long).await.unwrap().status(), StatusCode::OK, "{protocol:?}");

        let mut client = Client::new(&server, protocol).await;
        let mut huge = request("/peer", empty());
        for number in 0..20 {
            let name = http::HeaderName::try_from(format!("x-token-{number}")).unwrap();
            huge.headers_mut().insert(name, "t".repeat(60_000).parse().unwrap());
        }
        let refused = client.send(huge).await;
        assert!(refused.is_err() || refused.unwrap().status().is_client_error(), "{protocol:?}");
    }
    serves(&server).await;
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_for_room() {
    let limits = ListenLimits { max_connections: 2, ..ListenLimits::default() };
    let server = Server::start(limits).await;
    let one = Client::new(&server, Protocol::Two).await;
    let _two = Client::new(&server, Protocol::Two).await;
    let third = serves(&server);
    tokio::pin!(third);
    assert!(tokio::time::timeout(Duration::from_millis(300), &mut third).await.is_err());
    drop(one);
    tokio::time::timeout(Duration::from_secs(5), third).await.expect("there is room again");
}

#[tokio::test]
async fn an_upgraded_connection_still_counts() {
    let limits = ListenLimits { max_connections: 1, ..ListenLimits::default() };
    let server = Server::start(limits).await;
    let mut client = Client::new(&server, Protocol::One).await;
    let mut upgrade = request("/upgrade", empty());
    upgrade.headers_mut().insert("connection", "Upgrade".parse().unwrap());
    upgrade.headers_mut().insert("upgrade", "echo".parse().unwrap());
    let answer = client.send(upgrade).await.unwrap();
    assert_eq!(answer.status(), StatusCode::SWITCHING_PROTOCOLS);
    let upgraded = hyper::upgrade::on(answer).await.unwrap();
    drop(client);
    let next = serves(&server);
    tokio::pin!(next);
    assert!(tokio::time::timeout(Duration::from_millis(500), &mut next).await.is_err());
    drop(upgraded);
    tokio::time::timeout(Duration::from_secs(5), next).await.expect("there is room again");
}

/// Limits under which a client must read.
fn reading() -> ListenLimits {
    ListenLimits { write_timeout: Duration::from_millis(300), ..ListenLimits::default() }
}

#[tokio::test]
async fn an_answer_that_nobody_reads_is_cut() {
    for protocol in BOTH {
        let server = Server::start(reading()).await;
        let mut client = Client::new(&server, protocol).await;
        let mut answer = client.get("/flood").await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
        // Data in flight may still arrive, and then the end: the flood itself has none.
        let rest = async { while let Some(Ok(_)) = answer.body_mut().frame().await {} };
        let ended = tokio::time::timeout(Duration::from_secs(20), rest).await;
        ended.unwrap_or_else(|_| panic!("{protocol:?} goes on"));
        serves(&server).await;
    }
}

#[tokio::test]
async fn a_quiet_answer_and_one_that_is_read_are_not_cut() {
    for protocol in BOTH {
        let server = Server::start(reading()).await;
        let mut watcher = Client::new(&server, protocol).await;
        let mut watch = watcher.get("/watch").await.unwrap();
        assert_eq!(piece(&mut watch).await.as_deref(), Some("event\n"));
        let mut reader = Client::new(&server, protocol).await;
        let mut flood = reader.get("/flood").await.unwrap();
        let began = std::time::Instant::now();
        while began.elapsed() < Duration::from_secs(2) {
            flood.body_mut().frame().await.expect("goes on").expect("is not cut");
        }
        server.drain.begin();
        assert_eq!(piece(&mut watch).await.as_deref(), Some("bye\n"), "{protocol:?}");
    }
}

#[tokio::test]
async fn a_flood_of_streams_opened_and_dropped_hurts_only_its_sender() {
    let server = Server::start(ListenLimits::default()).await;
    let Client::Two(sender) = Client::new(&server, Protocol::Two).await else {
        panic!("speaks HTTP/2")
    };
    for _ in 0..2000 {
        let opened = sender.clone().send_request(request("/forever", empty()));
        // Dropping the response resets the stream.
        let _ = tokio::time::timeout(Duration::from_micros(200), opened).await;
    }
    serves(&server).await;
}
