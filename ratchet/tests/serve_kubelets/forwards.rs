//! Tests of forwarded ports: several at once, closed ones, half-closed connections, and disconnects.

use crate::client::{pair, read, until, with_timeout};
use crate::service;
use crate::world::{Mode, NAMESPACE, World, of_pod};
use futures_util::{SinkExt, StreamExt};
use kubelet_peer::Kubelet;
use ratchet_streams::spdy::Session;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

const FORWARD: &str = "portforward.k8s.io";

async fn furnished() -> (World, Kubelet) {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    for port in [80, 81] {
        kubelet.forward_port(NAMESPACE, "pod", port, service::echo().await);
    }
    (world, kubelet)
}

/// A session over SPDY, and one over SPDY in a WebSocket.
async fn sessions(world: &World) -> [Session; 2] {
    let path = of_pod("pod", "portforward");
    let plain = world.admin.spdy(&path, &[FORWARD]).await.unwrap();
    [plain, world.admin.tunnel(&path).await.unwrap()]
}

#[tokio::test]
async fn several_ports_and_connections_share_a_session() {
    let (world, kubelet) = furnished().await;
    for session in sessions(&world).await {
        let mut open = Vec::new();
        for (id, port) in ["80", "81", "80"].into_iter().enumerate() {
            open.push(pair(&session, port, &id.to_string()).await);
        }
        for (number, (_, data)) in open.iter_mut().enumerate() {
            data.write_all(format!("number {number} ").as_bytes()).await.unwrap();
            data.shutdown().await.unwrap();
        }
        for (number, (error, data)) in open.iter_mut().enumerate().rev() {
            assert_eq!(read(data).await, format!("number {number} bye"), "answered after its end");
            assert_eq!(read(error).await, "");
        }
    }
    assert_eq!(kubelet.connections(), 2);
    let requests = kubelet.requests();
    for request in &requests {
        assert_eq!((&*request.method, &*request.query), ("POST", ""));
        assert_eq!(request.headers["x-stream-protocol-version"], FORWARD);
        assert_eq!(request.headers["x-forwarded-for"], "127.0.0.1");
        assert!(!request.headers.keys().any(|name| name.as_str().starts_with("sec-websocket")));
    }
}

#[tokio::test]
async fn a_closed_port_is_told_and_harms_no_other() {
    let (world, kubelet) = furnished().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    kubelet.forward_port(NAMESPACE, "pod", 9, listener.local_addr().unwrap());
    drop(listener);
    for session in sessions(&world).await {
        let (mut error, _data) = pair(&session, "9", "0").await;
        let message = read(&mut error).await;
        assert!(message.starts_with("error forwarding port 9 to pod pod, uid : "), "{message}");
        assert!(message.ends_with("connect: connection refused"), "{message}");
        let (_error, mut data) = pair(&session, "80", "1").await;
        data.write_all(b"still ").await.unwrap();
        data.shutdown().await.unwrap();
        assert_eq!(read(&mut data).await, "still bye");
    }
}

#[tokio::test]
async fn much_goes_both_ways() {
    const LENGTH: usize = 16 << 20;
    let (world, _kubelet) = furnished().await;
    for session in sessions(&world).await {
        let (_error, data) = pair(&session, "80", "0").await;
        let (mut reader, mut writer) = tokio::io::split(data);
        let sent: Vec<u8> = (0..LENGTH).map(|at| (at % 251) as u8).collect();
        let expected = [&sent[..], b"bye"].concat();
        let writing = tokio::spawn(async move {
            writer.write_all(&sent).await.unwrap();
            writer.shutdown().await.unwrap();
        });
        let mut got = Vec::with_capacity(expected.len());
        with_timeout(reader.read_to_end(&mut got)).await.unwrap();
        assert!(got == expected, "{} bytes of {}", got.len(), expected.len());
        writing.await.unwrap();
    }
}

/// A silent program, and the number of its connections.
async fn silent() -> (std::net::SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let connected = count.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let connected = connected.clone();
            connected.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                let mut byte = [0];
                while matches!(socket.read(&mut byte).await, Ok(1)) {}
                connected.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
    (address, count)
}

#[tokio::test]
async fn a_client_that_vanishes_leaves_no_connection_behind() {
    let (world, kubelet) = furnished().await;
    let (address, connected) = silent().await;
    kubelet.forward_port(NAMESPACE, "pod", 7, address);
    for session in sessions(&world).await {
        let streams = pair(&session, "7", "0").await;
        until("it is connected", || connected.load(Ordering::Relaxed) == 1).await;
        drop((streams, session));
        until("nobody is connected", || connected.load(Ordering::Relaxed) == 0).await;
    }
}

#[tokio::test]
async fn a_kubelet_that_vanishes_ends_the_session() {
    let (world, kubelet) = furnished().await;
    let both = sessions(&world).await;
    let mut streams = Vec::new();
    for session in &both {
        let (_, mut data) = pair(session, "80", "0").await;
        data.write_all(b"x").await.unwrap();
        with_timeout(data.chunk()).await.unwrap().unwrap();
        streams.push(data);
    }
    kubelet.close_connections();
    for (session, data) in both.iter().zip(&mut streams) {
        with_timeout(session.closed()).await;
        assert_eq!(read(data).await, "");
    }
}

#[tokio::test]
async fn a_pod_that_the_kubelet_does_not_know_is_told() {
    let (world, kubelet) = furnished().await;
    kubelet.remove_pod(NAMESPACE, "pod");
    let path = of_pod("pod", "portforward");
    for refused in [world.admin.spdy(&path, &[FORWARD]).await, world.admin.tunnel(&path).await] {
        let refused = refused.err().unwrap();
        assert_eq!((refused.code, refused.text()), (404, "pod does not exist".into()));
    }
}

#[tokio::test]
async fn channels_of_old_clients_pass_through() {
    let (world, kubelet) = furnished().await;
    let path = of_pod("pod", "portforward?ports=80");
    let mut socket = world.admin.websocket(&path, "v4.channel.k8s.io").await.unwrap();
    socket.send(Message::binary(&b"\0hello"[..])).await.unwrap();
    let mut received = Vec::new();
    while received.len() < 7 {
        let message = with_timeout(socket.next()).await.unwrap().unwrap().into_data();
        if message[0] == 0 {
            received.extend_from_slice(&message[1..]);
        }
    }
    assert_eq!(received, b"\x50\0hello");
    assert_eq!(kubelet.requests()[0].query, "port=80");
    let path = of_pod("pod", "portforward?ports=http");
    let refused = world.admin.websocket(&path, "v4.channel.k8s.io");
    let text = "strconv.ParseInt: parsing \"http\": invalid syntax";
    assert_eq!(refused.await.unwrap_err().refusal(), (400, text.into()));
}
