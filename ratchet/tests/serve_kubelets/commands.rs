//! Tests of commands in containers: exit codes, input and output, and disconnects.

use crate::client::{Answer, channels, read, receive, send_channel, stream, until, with_timeout};
use crate::service::Wire;
use crate::world::{Mode, NAMESPACE, World, command, kubelet, of_pod};
use futures_util::{SinkExt, StreamExt};
use hyper::Method;
use kubelet_peer::{Answer as CannedAnswer, Container, Kubelet};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Message;

const V4: &str = "v4.channel.k8s.io";
const V5: &str = "v5.channel.k8s.io";
const SPDY: [(&str, &str); 3] =
    [("connection", "Upgrade"), ("upgrade", "SPDY/3.1"), ("x-stream-protocol-version", V4)];

async fn furnished() -> (World, Kubelet) {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    (world, kubelet)
}

fn exec(streams: &str, script: &str) -> String {
    of_pod("pod", &format!("exec?{}{streams}", command(&["sh", "-c", script])))
}

/// Bytes that reveal any loss, duplication or reordering.
fn pattern(length: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

#[tokio::test]
async fn the_code_with_which_a_command_ends_is_told() {
    let (world, _kubelet) = furnished().await;
    let path = exec("stdout=true&stderr=true", "echo out; echo err >&2; exit 7");
    for protocol in [V5, V4] {
        let mut socket = world.admin.websocket(&path, protocol).await.unwrap();
        let received = channels(&mut socket).await;
        assert_eq!(
            (received.text(1), received.text(2)),
            ("out\n".into(), "err\n".into()),
            "{protocol}"
        );
        let status = received.status();
        assert_eq!(
            (&status["status"], &status["reason"]),
            (&json!("Failure"), &json!("NonZeroExitCode"))
        );
        assert_eq!(status["details"]["causes"], json!([{"reason": "ExitCode", "message": "7"}]));
        let message = status["message"].as_str().unwrap();
        assert!(message.starts_with("command terminated with non-zero exit code: "), "{message}");
        assert_eq!(received.closed, Some(1000));
    }
    let session = world.admin.spdy(&path, &[V4]).await.unwrap();
    let mut error = stream(&session, "error").await;
    let mut stdout = stream(&session, "stdout").await;
    let mut stderr = stream(&session, "stderr").await;
    assert_eq!(
        (read(&mut stdout).await, read(&mut stderr).await),
        ("out\n".into(), "err\n".into())
    );
    assert!(read(&mut error).await.contains(r#"{"reason":"ExitCode","message":"7"}"#));
    with_timeout(session.closed()).await;
}

#[tokio::test]
async fn a_command_that_cannot_be_run_is_told_on_the_error_channel() {
    let (world, _kubelet) = furnished().await;
    let path = of_pod("pod", "exec?command=/no/such/program&stdout=true");
    let mut socket = world.admin.websocket(&path, V5).await.unwrap();
    let status = channels(&mut socket).await.status();
    assert_eq!(status["reason"], "InternalError");
    let message = status["message"].as_str().unwrap();
    assert!(message.contains("executable file not found in $PATH"), "{message}");
}

#[tokio::test]
async fn the_end_of_input_is_heard_while_output_goes_on() {
    let (world, kubelet) = furnished().await;
    let path = exec("stdin=true&stdout=true", "cat >/dev/null; echo all read; cat; exit 0");
    let mut socket = world.admin.websocket(&path, V5).await.unwrap();
    send_channel(&mut socket, 0, b"some").await;
    send_channel(&mut socket, 255, &[0]).await;
    let received = channels(&mut socket).await;
    assert_eq!(received.text(1), "all read\n");
    assert_eq!(received.status(), json!({"metadata": {}, "status": "Success"}));
    let session = world.admin.spdy(&path, &[V4]).await.unwrap();
    let mut error = stream(&session, "error").await;
    let mut stdin = stream(&session, "stdin").await;
    let mut stdout = stream(&session, "stdout").await;
    stdin.write_all(b"some").await.unwrap();
    stdin.shutdown().await.unwrap();
    assert_eq!(read(&mut stdout).await, "all read\n");
    assert_eq!(read(&mut error).await, r#"{"status":"Success"}"#);
    let requests = kubelet.requests();
    let [translated, passed] = &requests[..] else { panic!("{requests:?}") };
    for request in [translated, passed] {
        assert_eq!(
            (&*request.method, &request.headers["upgrade"]),
            ("POST", &"SPDY/3.1".parse().unwrap())
        );
        assert!(request.query.ends_with("&input=1&output=1"), "{}", request.query);
    }
    let offered: Vec<_> = translated.headers.get_all("x-stream-protocol-version").iter().collect();
    let all = ["v5", "v4", "v3", "v2"].map(|version| format!("{version}.channel.k8s.io"));
    assert_eq!(offered, [&all[0], &all[1], &all[2], &all[3], "channel.k8s.io"]);
}

#[tokio::test]
async fn much_goes_both_ways_at_once_through_channels() {
    let (world, _kubelet) = furnished().await;
    let sent = pattern(24 << 20);
    let path = exec("stdin=true&stdout=true", "cat");
    let socket = world.admin.websocket(&path, V5).await.unwrap();
    let (mut sink, mut source) = socket.split();
    let pieces = sent.clone();
    let writing = tokio::spawn(async move {
        for piece in pieces.chunks(30_000) {
            sink.send(Message::binary([&[0], piece].concat())).await.unwrap();
        }
        sink.send(Message::binary(vec![255, 0])).await.unwrap();
    });
    let mut got = Vec::with_capacity(sent.len());
    let mut status = Vec::new();
    while let Some(Ok(message)) = with_timeout(source.next()).await {
        match message {
            Message::Binary(bytes) if bytes[0] == 1 => got.extend_from_slice(&bytes[1..]),
            Message::Binary(bytes) => status.extend_from_slice(&bytes[1..]),
            _ => {}
        }
    }
    writing.await.unwrap();
    assert_eq!(String::from_utf8_lossy(&status), r#"{"metadata":{},"status":"Success"}"#);
    assert!(got == sent, "{} bytes of {}", got.len(), sent.len());
}

#[tokio::test]
async fn much_goes_both_ways_at_once_through_streams() {
    let (world, _kubelet) = furnished().await;
    let sent = pattern(24 << 20);
    let session = world.admin.spdy(&exec("stdin=true&stdout=true", "cat"), &[V4]).await.unwrap();
    let mut error = stream(&session, "error").await;
    let mut stdin = stream(&session, "stdin").await;
    let mut stdout = stream(&session, "stdout").await;
    let bytes = sent.clone();
    let writing = tokio::spawn(async move {
        stdin.write_all(&bytes).await.unwrap();
        stdin.shutdown().await.unwrap();
        stdin
    });
    let mut got = Vec::with_capacity(sent.len());
    with_timeout(stdout.read_to_end(&mut got)).await.unwrap();
    assert!(got == sent, "{} bytes of {}", got.len(), sent.len());
    assert_eq!(read(&mut error).await, r#"{"status":"Success"}"#);
    drop(writing.await.unwrap());
}

#[tokio::test]
async fn a_terminal_follows_the_size_of_its_window() {
    let (world, _kubelet) = furnished().await;
    let script = "while [ \"$(stty size)\" != '45 123' ]; do sleep 0.02; done; echo wide";
    let path = exec("stdin=true&stdout=true&tty=true", script);
    let mut socket = world.admin.websocket(&path, V5).await.unwrap();
    send_channel(&mut socket, 4, br#"{"Width":123,"Height":45}"#).await;
    let received = channels(&mut socket).await;
    assert_eq!(received.text(1), "wide\r\n");
    assert_eq!(received.status()["status"], "Success");
}

#[tokio::test]
async fn a_kubelet_that_speaks_websockets_gets_them() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = kubelet(world.right("a"), |options| options.websockets = true).await;
    kubelet.add_container(NAMESPACE, "pod", "main", Container::default()).unwrap();
    world.node_that("a", kubelet.address(), &["ExtendWebSocketsToKubelet"]).await;
    world.pod("pod", "a").await;
    let path = exec("stdin=true&stdout=true", "cat; exit 4");
    for protocol in [V5, V4] {
        kubelet.clear_requests();
        let mut socket = world.admin.websocket(&path, protocol).await.unwrap();
        send_channel(&mut socket, 0, b"hello").await;
        assert_eq!(receive(&mut socket).await, (1, "hello".into()));
        if protocol == V5 {
            send_channel(&mut socket, 255, &[0]).await;
            let status = channels(&mut socket).await.status();
            assert_eq!(status["details"]["causes"][0]["message"], "4");
        }
        let requests = kubelet.requests();
        assert_eq!((requests.len(), &*requests[0].method), (1, "GET"));
        assert_eq!(requests[0].headers["upgrade"], "websocket");
        assert_eq!(requests[0].headers["sec-websocket-protocol"], protocol);
    }
    let session = world.admin.tunnel(&of_pod("pod", "portforward")).await.unwrap();
    drop(session);
    assert_eq!(kubelet.requests().last().unwrap().headers["upgrade"], "websocket");
}

#[tokio::test]
async fn nothing_but_an_upgrade_will_do() {
    let (world, kubelet) = furnished().await;
    for what in ["exec?command=id&stdout=true", "attach?stdout=true", "portforward"] {
        for method in [Method::GET, Method::POST] {
            let answer = world.admin.send(method, &of_pod("pod", what), &[], "").await;
            assert_eq!(answer.refusal(), (400, "Upgrade request required".into()), "{what}");
        }
        let answer = world.admin.send(Method::PUT, &of_pod("pod", what), &SPDY, "").await;
        assert_eq!(answer.code, 405, "{what}");
    }
    assert!(kubelet.requests().is_empty());
    let path = of_pod("pod", "exec?command=id&stdout=true");
    let refused = world.admin.websocket(&path, "v9.channel.k8s.io").await.unwrap_err();
    assert_eq!((refused.code, refused.text()), (403, String::new()), "the kubelet's own answer");
    let mut old = SPDY;
    old[2].1 = "v9.channel.k8s.io";
    let refused = world.admin.upgrade(Method::POST, &path, &old).await.unwrap_err();
    assert_eq!(refused.code, 403);
    assert!(refused.header("x-accepted-stream-protocol-versions").starts_with("v4.channel.k8s.io"));
    let stranger = of_pod("pod", "exec?command=id&stdout=true&container=nope");
    let refused = world.admin.websocket(&stranger, V5).await.unwrap_err();
    assert_eq!(refused.refusal(), (400, "container nope is not valid for pod pod".into()));
}

/// The client's result when the kubelet answers an upgrade like this.
async fn answered(status: u16) -> [Answer; 3] {
    let (world, kubelet) = furnished().await;
    let headers = vec![("location".into(), "/echo".into()), ("x-of-kubelet".into(), "1".into())];
    let canned = CannedAnswer { status, headers, body: "words".into() };
    for path in ["/exec", "/attach", "/portForward"] {
        kubelet.answer(path, Some(canned.clone()));
    }
    let spdy = world.admin.spdy(&exec("stdout=true", "id"), &[V4]).await.unwrap_err();
    let v4 = world.admin.websocket(&exec("stdout=true", "id"), V4).await.unwrap_err();
    let tunnel = world.admin.tunnel(&of_pod("pod", "portforward")).await.unwrap_err();
    let mut socket = world.admin.websocket(&exec("stdout=true", "id"), V5).await.unwrap();
    let received = channels(&mut socket).await;
    let message = "Internal error occurred: unable to upgrade connection: words";
    assert_eq!(received.status()["message"], message);
    assert_eq!(received.closed, Some(1000));
    [spdy, v4, tunnel]
}

#[tokio::test]
async fn refusals_of_kubelets_are_relayed() {
    for status in [400, 403, 404, 500, 503] {
        for answer in answered(status).await {
            assert_eq!((answer.code, answer.text()), (status, "words".into()));
            assert_eq!(answer.header("x-of-kubelet"), "1");
        }
    }
}

#[tokio::test]
async fn answers_that_are_no_refusal_and_no_upgrade_make_no_sense() {
    for status in [200, 302] {
        for answer in answered(status).await {
            let text = format!("invalid upgrade response: status code {status}");
            assert_eq!(answer.refusal(), (500, text));
        }
    }
}

/// Waits until a process has ended.
async fn ended(process: &str) {
    let path = format!("/proc/{}", process.trim());
    assert!(path.len() > "/proc/".len());
    until("the process has ended", || !Path::new(&path).exists()).await;
}

#[tokio::test]
async fn a_client_that_vanishes_takes_its_command_along() {
    let (world, _kubelet) = furnished().await;
    let path = exec("stdin=true&stdout=true", "echo $$; exec sleep 600");
    for protocol in [V5, V4] {
        let mut socket = world.admin.websocket(&path, protocol).await.unwrap();
        let (_, process) = receive(&mut socket).await;
        drop(socket);
        ended(&process).await;
    }
    let session = world.admin.spdy(&path, &[V4]).await.unwrap();
    let error = stream(&session, "error").await;
    let stdin = stream(&session, "stdin").await;
    let mut stdout = stream(&session, "stdout").await;
    let process = with_timeout(stdout.chunk()).await.unwrap().unwrap();
    drop((session, error, stdin, stdout));
    ended(&String::from_utf8_lossy(&process)).await;
}

/// Runs a command over both protocols, and asserts what its clients receive after `happens`.
async fn broken(world: &World, happens: impl FnOnce()) {
    let path = exec("stdin=true&stdout=true", "echo $$; exec sleep 600");
    let mut socket = world.admin.websocket(&path, V5).await.unwrap();
    receive(&mut socket).await;
    let session = world.admin.spdy(&path, &[V4]).await.unwrap();
    let mut error = stream(&session, "error").await;
    let _stdin = stream(&session, "stdin").await;
    let mut stdout = stream(&session, "stdout").await;
    with_timeout(stdout.chunk()).await.unwrap().unwrap();
    happens();
    let status = channels(&mut socket).await.status();
    assert_eq!((&status["status"], &status["code"]), (&json!("Failure"), &json!(500)), "{status}");
    assert_eq!(read(&mut error).await, "");
    with_timeout(session.closed()).await;
}

#[tokio::test]
async fn a_kubelet_that_gives_up_is_no_success() {
    let (world, kubelet) = furnished().await;
    broken(&world, || kubelet.close_connections()).await;
}

#[tokio::test]
async fn a_kubelet_that_vanishes_is_no_success() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.kubelet("a").await;
    kubelet.add_container(NAMESPACE, "pod", "main", Container::default()).unwrap();
    let wire = Wire::to(kubelet.address()).await;
    world.node("a", wire.address).await;
    world.pod("pod", "a").await;
    broken(&world, || wire.cut()).await;
}

/// Number of bytes that a process has written, once it stops writing.
async fn written(process: &str) -> u64 {
    let path = format!("/proc/{}/io", process.trim());
    let mut before = None;
    for _ in 0..100 {
        let text = std::fs::read_to_string(&path).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("wchar: "));
        let now = line.unwrap().parse().unwrap();
        if before == Some(now) {
            return now;
        }
        before = Some(now);
        // Only silence shows that no more data comes.
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("it writes on and on: {before:?}");
}

#[tokio::test]
async fn a_client_that_does_not_read_slows_its_command_down() {
    const MEGABYTE: u64 = 1 << 20;
    let (world, _kubelet) = furnished().await;
    let path = exec("stdout=true", "echo $$; exec dd if=/dev/zero bs=65536 status=none");
    for protocol in [V5, V4] {
        let mut socket = world.admin.websocket(&path, protocol).await.unwrap();
        let (_, output) = receive(&mut socket).await;
        let process = output.lines().next().unwrap(); // zeros may follow
        let wrote = written(process).await;
        assert!(wrote < 24 * MEGABYTE, "{protocol}: {wrote} bytes for one who does not read");
        let mut read = 0;
        while read < 32 * MEGABYTE {
            read += with_timeout(socket.next()).await.unwrap().unwrap().len() as u64;
        }
        drop(socket);
        ended(process).await;
    }
}
