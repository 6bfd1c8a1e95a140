//! Tests of portforward: SPDY bytes in WebSocket messages.

use super::super::tunnel;
use super::{Client, client, soon};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

/// A client, the kubelet's end of its connection, and the tunnel task.
async fn begin() -> (Client, DuplexStream, JoinHandle<()>) {
    let (client, server) = client().await;
    let (ours, kubelet) = tokio::io::duplex(16 << 10);
    (client, kubelet, tokio::spawn(tunnel(server, ours)))
}

#[tokio::test]
async fn bytes_go_both_ways() {
    let (mut client, mut kubelet, task) = begin().await;
    client.say(&b"hello"[..]).await;
    client.say(&b""[..]).await;
    client.say(&b" there"[..]).await;
    let mut received = [0; 11];
    soon(kubelet.read_exact(&mut received)).await.unwrap();
    assert_eq!(&received, b"hello there");
    kubelet.write_all(b"hi").await.unwrap();
    assert_eq!(client.hear_bytes().await, "hi");
    // Large transfers in both directions at once, independent of each other.
    let sent: Vec<u8> = (0..3u32 << 20).map(|at| (at >> 5) as u8).collect();
    let (mut saying, mut hearing) = client.0.split();
    let (mut kubelet_in, mut kubelet_out) = tokio::io::split(kubelet);
    let (up, down) = (sent.clone(), sent.clone());
    tokio::spawn(async move {
        for piece in up.chunks(100_000) {
            saying.send(Message::Binary(piece.to_vec().into())).await.unwrap();
        }
        saying
    });
    let replying = tokio::spawn(async move {
        for piece in down.chunks(7_000) {
            kubelet_out.write_all(piece).await.unwrap();
        }
        kubelet_out
    });
    let listening = tokio::spawn(async move {
        let mut received = vec![0; 3 << 20];
        kubelet_in.read_exact(&mut received).await.unwrap();
        (received, kubelet_in)
    });
    let mut received = Vec::new();
    while received.len() < sent.len() {
        match soon(hearing.next()).await.unwrap().unwrap() {
            Message::Binary(bytes) => received.extend(bytes),
            other => panic!("{other:?}"),
        }
    }
    assert!(received == sent);
    let (received, _kubelet_in) = soon(listening).await.unwrap();
    assert!(received == sent);
    drop(soon(replying).await.unwrap());
    drop((hearing, task));
}

#[tokio::test]
async fn a_kubelet_that_is_done_ends_it_well() {
    let (mut client, mut kubelet, task) = begin().await;
    kubelet.write_all(b"last words").await.unwrap();
    drop(kubelet);
    assert_eq!(client.hear_bytes().await, "last words");
    assert_eq!(client.hear_end().await, 1000);
    drop(client);
    soon(task).await.unwrap();
}

#[tokio::test]
async fn a_client_that_is_done_is_answered() {
    let (mut client, mut kubelet, task) = begin().await;
    client.say(&b"last words"[..]).await;
    soon(client.0.close(None)).await.unwrap();
    let mut received = String::new();
    soon(kubelet.read_to_string(&mut received)).await.unwrap();
    assert_eq!(received, "last words");
    let answer = client.hear().await;
    assert!(matches!(answer, Message::Close(None)), "{answer:?}");
    soon(task).await.unwrap();
}

#[tokio::test]
async fn a_client_that_is_gone_ends_it() {
    let (client, mut kubelet, task) = begin().await;
    drop(client);
    let mut received = Vec::new();
    soon(kubelet.read_to_end(&mut received)).await.unwrap();
    soon(task).await.unwrap();
}

#[tokio::test]
async fn text_has_no_place_in_a_tunnel() {
    let (mut client, mut kubelet, task) = begin().await;
    soon(client.0.send(Message::Text("hello".into()))).await.unwrap();
    assert_eq!(client.hear_end().await, 1003);
    let mut received = Vec::new();
    soon(kubelet.read_to_end(&mut received)).await.unwrap();
    assert!(received.is_empty());
    drop(client);
    soon(task).await.unwrap();
}

#[tokio::test]
async fn questions_are_answered() {
    let (mut client, _kubelet, _task) = begin().await;
    soon(client.0.send(Message::Ping("there?".into()))).await.unwrap();
    assert_eq!(client.hear().await, Message::Pong("there?".into()));
}

#[tokio::test(start_paused = true)]
async fn an_idle_client_is_asked() {
    let (mut client, _kubelet, _task) = begin().await;
    assert_eq!(client.0.next().await.unwrap().unwrap(), Message::Ping("".into()));
}

#[tokio::test]
async fn a_kubelet_that_does_not_read_holds_the_client_back() {
    let (mut client, mut kubelet, _task) = begin().await;
    let flooding = tokio::spawn(async move {
        let mut sent = 0;
        while sent < 100 << 20 {
            client.0.send(Message::Binary(vec![7; 64 << 10].into())).await.unwrap();
            sent += 64 << 10;
        }
        client
    });
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert!(!flooding.is_finished());
    let mut received = vec![0; 1 << 20];
    soon(kubelet.read_exact(&mut received)).await.unwrap();
    assert!(received.iter().all(|byte| *byte == 7));
    flooding.abort();
}
