//! Tests of port forwarding, over SPDY, through a tunnel and over channels.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use kubelet_peer::Container;
use ratchet_streams::spdy::{Session, Stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Fixture, fixture, read, send_channel, with_timeout, write};

/// A service that echoes everything, and then sends `bye`.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut reader, mut writer) = socket.split();
                tokio::io::copy(&mut reader, &mut writer).await.unwrap();
                writer.write_all(b"bye").await.unwrap();
            });
        }
    });
    address
}

async fn with_port(websockets: bool) -> Fixture {
    let fixture = fixture(|options| options.websockets = websockets).await;
    fixture.kubelet.add_container("ns", "pod", "main", Container::default()).unwrap();
    fixture.kubelet.forward_port("ns", "pod", 80, echo().await);
    fixture
}

async fn pair(session: &Session, port: &str, id: &str) -> (Stream, Stream) {
    let headers = |kind| [("streamType", kind), ("port", port), ("requestID", id)];
    let error = session.open(&headers("error"), true).await.unwrap();
    let data = session.open(&headers("data"), false).await.unwrap();
    (error, data)
}

async fn talks(session: &Session) {
    let (mut error, mut data) = with_timeout(pair(session, "80", "0")).await;
    let (mut other_error, mut other) = with_timeout(pair(session, "80", "1")).await;
    write(&mut data, b"hello ").await;
    write(&mut other, &b"x".repeat(3_000_000)).await;
    assert_eq!(with_timeout(read(&mut data)).await, "hello bye");
    assert_eq!(with_timeout(read(&mut other)).await.len(), 3_000_003);
    assert_eq!(with_timeout(read(&mut error)).await, "");
    assert_eq!(with_timeout(read(&mut other_error)).await, "");
    let (mut error, _data) = with_timeout(pair(session, "1", "2")).await;
    let words = with_timeout(read(&mut error)).await;
    assert!(words.starts_with("error forwarding port 1 to pod pod, uid : "), "{words}");
}

#[tokio::test]
async fn ports_are_forwarded_over_spdy() {
    let fixture = with_port(false).await;
    let (_, session) =
        with_timeout(fixture.spdy("/portForward/ns/pod", &["portforward.k8s.io"])).await;
    talks(&session).await;
}

#[tokio::test]
async fn ports_are_forwarded_through_a_tunnel() {
    let fixture = with_port(true).await;
    let protocol = "SPDY/3.1+portforward.k8s.io";
    let socket = with_timeout(fixture.websocket("/portForward/ns/pod", protocol)).await.unwrap();
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (mut reader, mut writer) = tokio::io::split(far);
    let (mut sink, mut source) = socket.split();
    tokio::spawn(async move {
        let mut buffer = vec![0; 8192];
        while let Ok(length @ 1..) = reader.read(&mut buffer).await {
            sink.send(Message::binary(buffer[..length].to_vec())).await.unwrap();
        }
    });
    tokio::spawn(async move {
        while let Some(Ok(message)) = source.next().await {
            writer.write_all(&message.into_data()).await.unwrap();
        }
    });
    let (session, accept) = Session::client(near);
    drop(accept);
    talks(&session).await;
}

#[tokio::test]
async fn older_kubelets_have_no_tunnel() {
    let fixture = with_port(false).await;
    let protocol = "SPDY/3.1+portforward.k8s.io";
    assert_eq!(
        with_timeout(fixture.websocket("/portForward/ns/pod", protocol)).await.err(),
        Some(400)
    );
    let path = "/portForward/ns/pod?port=80";
    assert_eq!(with_timeout(fixture.websocket(path, protocol)).await.err(), Some(403));
}

#[tokio::test]
async fn ports_are_forwarded_over_channels() {
    let fixture = with_port(false).await;
    let path = "/portForward/ns/pod?port=80,1";
    let mut socket = with_timeout(fixture.websocket(path, "v4.channel.k8s.io")).await.unwrap();
    send_channel(&mut socket, 0, b"hello").await;
    let mut received = vec![Vec::new(); 4];
    while received[0].len() < 7 || received[3].len() < 3 {
        let message = with_timeout(socket.next()).await.unwrap().unwrap().into_data();
        received[usize::from(message[0])].extend_from_slice(&message[1..]);
    }
    assert_eq!(received[0], b"\x50\0hello");
    assert_eq!(received[1], b"\x50\0");
    assert_eq!(received[2], b"\x01\0");
    assert!(received[3].starts_with(b"\x01\0error forwarding port 1 "), "{:?}", received[3]);
}

#[tokio::test]
async fn streams_without_a_port_are_refused() {
    let fixture = with_port(false).await;
    let (_, session) =
        with_timeout(fixture.spdy("/portForward/ns/pod", &["portforward.k8s.io"])).await;
    for headers in [&[("streamType", "data")][..], &[("streamType", "x"), ("port", "80")]] {
        assert!(with_timeout(session.open(headers, false)).await.is_err());
    }
    let path = "/portForward/ns/nope";
    let headers = [
        ("connection", "Upgrade"),
        ("upgrade", "SPDY/3.1"),
        ("x-stream-protocol-version", "portforward.k8s.io"),
    ];
    let (response, _) = with_timeout(fixture.upgrade(http::Method::POST, path, &headers)).await;
    assert_eq!(response.status(), 404);
}
