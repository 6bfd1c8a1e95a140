//! Tests of exec and attach: WebSocket channels translated to SPDY streams.

use super::super::{KubeletConnection, Protocol, Streams, translate};
use super::{Client, client, soon};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use ratchet_streams::spdy::{Accept, Session, Stream};
use std::collections::BTreeMap;
use std::future::ready;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

const ALL: Streams = Streams { stdin: true, stdout: true, stderr: true, tty: false };
const TTY: Streams = Streams { stdin: true, stdout: true, stderr: true, tty: true };
const SUCCESS: &str = r#"{"metadata":{},"status":"Success"}"#;

/// The kubelet of a test, with its open streams.
struct Node {
    names: Vec<String>,
    streams: BTreeMap<String, Stream>,
    session: Session,
    _accept: Accept,
}

impl Node {
    fn take(&mut self, name: &str) -> Stream {
        self.streams.remove(name).unwrap()
    }

    /// Sends the final status as kubelets do: without ending any stream.
    async fn end(mut self, status: &str) {
        self.take("error").write_all(status.as_bytes()).await.unwrap();
        soon(self.session.close()).await;
    }
}

/// A connected client, its kubelet, and the translating task.
async fn begin(wanted: Streams, protocol: Protocol) -> (Client, Node, JoinHandle<u16>) {
    let (mut client, server) = client().await;
    let (io, kubelet) = tokio::io::duplex(16 << 10);
    let connection = ready(Ok(KubeletConnection { io, protocol }));
    let task = tokio::spawn(translate(server, connection, wanted));
    let rows = wanted.wanted();
    let count = 1 + rows.iter().filter(|row| row.1).count();
    let resizes = protocol.resizes() || !wanted.tty;
    let node = soon(accept(kubelet, if resizes { count } else { count - 1 })).await;
    assert_eq!(client.hear_bytes().await, Bytes::copy_from_slice(&[wanted.first_channel()]));
    (client, node, task)
}

async fn accept(io: DuplexStream, count: usize) -> Node {
    let (session, mut accept) = Session::server(io);
    let (mut names, mut streams) = (Vec::new(), BTreeMap::new());
    while names.len() < count {
        let incoming = accept.next().await.unwrap();
        let name = incoming.headers().get("streamType").unwrap().to_owned();
        names.push(name.clone());
        streams.insert(name, incoming.reply(&[]).unwrap());
    }
    Node { names, streams, session, _accept: accept }
}

#[tokio::test]
async fn streams_are_opened_in_the_order_that_kubelets_want() {
    let (_client, node, _task) = begin(ALL, Protocol::V4).await;
    assert_eq!(node.names, ["error", "stdin", "stdout", "stderr"]);
    let (_client, node, _task) = begin(TTY, Protocol::V5).await;
    assert_eq!(node.names, ["error", "stdin", "stdout", "resize"]);
    let (_client, node, _task) = begin(TTY, Protocol::V2).await;
    assert_eq!(node.names, ["error", "stdin", "stdout"]);
    let (_client, node, _task) = begin(Streams::default(), Protocol::V4).await;
    assert_eq!(node.names, ["error"]);
}

#[tokio::test]
async fn a_command_from_its_begin_to_its_end() {
    let (mut client, mut node, task) = begin(ALL, Protocol::V4).await;
    let mut stdin = node.take("stdin");
    client.say(&b"\0some "[..]).await;
    client.say(&b"\0input"[..]).await;
    client.say(&b"\xff\0"[..]).await;
    let mut received = String::new();
    soon(stdin.read_to_string(&mut received)).await.unwrap();
    assert_eq!(received, "some input");
    let (mut stdout, mut stderr) = (node.take("stdout"), node.take("stderr"));
    stdout.write_all(b"out").await.unwrap();
    assert_eq!(client.hear_bytes().await, &b"\x01out"[..]);
    stderr.write_all(b"err").await.unwrap();
    assert_eq!(client.hear_bytes().await, &b"\x02err"[..]);
    stdout.write_all(b"more").await.unwrap();
    stdout.shutdown().await.unwrap();
    stderr.shutdown().await.unwrap();
    assert_eq!(client.hear_bytes().await, &b"\x01more"[..]);
    node.end(r#"{"metadata":{},"status":"Success"}"#).await;
    assert_eq!(client.hear_bytes().await, format!("\x03{SUCCESS}"));
    assert_eq!(client.hear_end().await, 1000);
    drop(client);
    assert_eq!(soon(task).await.unwrap(), 200);
}

#[tokio::test]
async fn what_was_said_arrives_before_the_kubelet_hangs_up() {
    let (mut client, mut node, task) = begin(ALL, Protocol::V4).await;
    let (mut stdout, stderr) = (node.take("stdout"), node.take("stderr"));
    let speaking = tokio::spawn(async move {
        stdout.write_all(&vec![7; 1 << 20]).await.unwrap();
        // No end of the stream: a reset by the session as it closes.
        let status = r#"{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"7"}]}}"#;
        node.end(status).await;
        drop((stdout, stderr));
    });
    let mut received = 0;
    let status = loop {
        let message = client.hear_bytes().await;
        match message.split_first().unwrap() {
            (1, bytes) => received += bytes.len(),
            (3, status) => break String::from_utf8(status.to_vec()).unwrap(),
            _ => panic!("{message:?}"),
        }
    };
    assert_eq!(received, 1 << 20);
    assert!(status.contains("command terminated with exit code 7"), "{status}");
    assert_eq!(client.hear_end().await, 1000);
    soon(speaking).await.unwrap();
    drop(client);
    assert_eq!(soon(task).await.unwrap(), 200);
}

#[tokio::test]
async fn the_size_of_a_terminal_reaches_the_kubelet() {
    let (mut client, mut node, _task) = begin(TTY, Protocol::V4).await;
    let size = br#"{"Width":80,"Height":24}"#;
    client.say([&b"\x04"[..], size].concat()).await;
    let mut received = [0; 24];
    soon(node.take("resize").read_exact(&mut received)).await.unwrap();
    assert_eq!(&received, size);
}

#[tokio::test]
async fn what_was_not_asked_for_goes_nowhere() {
    let wanted = Streams { stdout: true, ..Streams::default() };
    let (mut client, mut node, _task) = begin(wanted, Protocol::V4).await;
    for message in [&b"\0input"[..], b"\x04{}", b"\xff\0", b"\x01?", b"\x09?", b""] {
        client.say(message).await;
    }
    node.take("stdout").write_all(b"x").await.unwrap();
    assert_eq!(client.hear_bytes().await, &b"\x01x"[..]);
}

#[tokio::test]
async fn a_kubelet_that_could_not_be_reached() {
    let (mut client, server) = client().await;
    let why = "error sending request: Post \"https://127.0.0.1:1/exec/k/p/c\": x509: no";
    let kubelet = ready(Err::<KubeletConnection<DuplexStream>, _>(why.to_owned()));
    let task = tokio::spawn(translate(
        server,
        kubelet,
        Streams { stdin: true, stderr: true, ..Streams::default() },
    ));
    assert_eq!(client.hear_bytes().await, &b"\x02"[..]);
    let status = concat!(
        "\x03",
        r#"{"metadata":{},"status":"Failure","message":"Internal error occurred: error sending request: "#,
        r#"Post \"https://127.0.0.1:1/exec/k/p/c\": x509: no","reason":"InternalError","details":{"causes":"#,
        r#"[{"message":"error sending request: Post \"https://127.0.0.1:1/exec/k/p/c\": x509: no"}]},"code":500}"#
    );
    assert_eq!(client.hear_bytes().await, status);
    assert_eq!(client.hear_end().await, 1000);
    drop(client);
    assert_eq!(soon(task).await.unwrap(), 500);
}

#[tokio::test]
async fn a_kubelet_that_refuses_a_stream() {
    let (mut client, server) = client().await;
    let (io, kubelet) = tokio::io::duplex(16 << 10);
    let connection = ready(Ok(KubeletConnection { io, protocol: Protocol::V4 }));
    let task = tokio::spawn(translate(server, connection, ALL));
    let (_session, mut accept) = Session::server(kubelet);
    soon(accept.next()).await.unwrap().refuse();
    assert_eq!(client.hear_bytes().await, &b"\x01"[..]);
    let status = client.hear_bytes().await;
    let status = std::str::from_utf8(&status).unwrap();
    assert!(status.contains(r#""message":"Internal error occurred: Stream reset""#), "{status}");
    drop(client);
    assert_eq!(soon(task).await.unwrap(), 500);
}

#[tokio::test]
async fn a_kubelet_that_vanishes_is_no_success() {
    let (mut client, server) = client().await;
    let (io, mut cut) = tokio::io::duplex(16 << 10);
    let connection = ready(Ok(KubeletConnection { io, protocol: Protocol::V4 }));
    let task = tokio::spawn(translate(server, connection, ALL));
    let (mut near, far) = tokio::io::duplex(16 << 10);
    let relay = tokio::spawn(async move {
        let _ = tokio::io::copy_bidirectional(&mut near, &mut cut).await;
    });
    let mut node = soon(accept(far, 4)).await;
    assert_eq!(client.hear_bytes().await, &b"\x01"[..]);
    node.streams.get_mut("stdout").unwrap().write_all(b"x").await.unwrap();
    assert_eq!(client.hear_bytes().await, &b"\x01x"[..]);
    relay.abort();
    let status = client.hear_bytes().await;
    let status = std::str::from_utf8(&status).unwrap();
    assert!(status.contains("error reading from error stream"), "{status}");
    assert_eq!(client.hear_end().await, 1000);
    drop((client, node));
    assert_eq!(soon(task).await.unwrap(), 500);
}

#[tokio::test]
async fn a_client_that_leaves_is_answered_and_its_kubelet_let_go() {
    let (mut client, node, task) = begin(ALL, Protocol::V4).await;
    soon(client.0.close(None)).await.unwrap();
    assert!(matches!(client.hear().await, Message::Close(None)));
    soon(node.session.closed()).await;
    soon(task).await.unwrap();

    let (client, node, task) = begin(ALL, Protocol::V4).await;
    drop(client);
    soon(node.session.closed()).await;
    soon(task).await.unwrap();
}

#[tokio::test]
async fn a_client_that_talks_nonsense_is_told_so() {
    for nonsense in [&b"\xff"[..], b"\xff\x09", b"\xff\0\0"] {
        let (mut client, node, task) = begin(ALL, Protocol::V4).await;
        client.say(nonsense).await;
        assert_eq!(client.hear_end().await, 1002);
        soon(node.session.closed()).await;
        drop(client);
        soon(task).await.unwrap();
    }
}

#[tokio::test]
async fn questions_are_answered_between_messages() {
    let (mut client, mut node, _task) = begin(ALL, Protocol::V4).await;
    let mut stdout = node.take("stdout");
    for round in 0..10 {
        let question = Bytes::from(format!("{round}"));
        soon(client.0.send(Message::Ping(question.clone()))).await.unwrap();
        assert_eq!(client.hear().await, Message::Pong(question));
        stdout.write_all(b"x").await.unwrap();
        assert_eq!(client.hear_bytes().await, &b"\x01x"[..]);
    }
}

#[tokio::test]
async fn a_command_that_does_not_read_holds_the_client_back() {
    let (client, mut node, _task) = begin(ALL, Protocol::V4).await;
    let (mut stdin, mut stdout) = (node.take("stdin"), node.take("stdout"));
    let (mut saying, mut hearing) = client.0.split();
    let flooding = tokio::spawn(async move {
        let mut message = vec![7; 1 + (64 << 10)];
        message[0] = 0;
        for _ in 0..100 {
            saying.send(Message::Binary(message.clone().into())).await.unwrap();
        }
        saying.send(Message::Binary(Bytes::from_static(b"\xff\0"))).await.unwrap();
        saying
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!flooding.is_finished());
    // Output of the command is not blocked by its unread input.
    stdout.write_all(b"still here").await.unwrap();
    let received = soon(hearing.next()).await.unwrap().unwrap();
    assert_eq!(received, Message::Binary(Bytes::from_static(b"\x01still here")));
    let mut read = 0;
    while let Some(bytes) = soon(stdin.chunk()).await.unwrap() {
        read += bytes.len();
    }
    assert_eq!(read, 100 * (64 << 10));
    drop(soon(flooding).await.unwrap());
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_the_command_back() {
    let (mut client, mut node, _task) = begin(ALL, Protocol::V4).await;
    let mut stdout = node.take("stdout");
    let flooding = tokio::spawn(async move {
        for _ in 0..100 {
            stdout.write_all(&[7; 64 << 10]).await.unwrap();
        }
        stdout.shutdown().await.unwrap();
        stdout
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!flooding.is_finished());
    let mut received = 0;
    while received < 100 * (64 << 10) {
        received += client.hear_bytes().await.len() - 1;
    }
    assert_eq!(received, 100 * (64 << 10));
    drop(soon(flooding).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_client_whose_questions_are_stuck_hears_that_we_live() {
    let (client, node, _task) = begin(ALL, Protocol::V4).await;
    let (mut saying, mut hearing) = client.0.split();
    let flooding = tokio::spawn(async move {
        let mut message = vec![7; 1 + (64 << 10)];
        message[0] = 0;
        while saying.send(Message::Binary(message.clone().into())).await.is_ok() {}
    });
    assert_eq!(hearing.next().await.unwrap().unwrap(), Message::Ping("".into()));
    assert_eq!(hearing.next().await.unwrap().unwrap(), Message::Pong("".into()));
    flooding.abort();
    drop(node);
}
