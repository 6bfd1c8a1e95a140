//! Tests of exec and attach, over SPDY and over WebSockets.

use std::time::Duration;

use futures_util::StreamExt;
use http::Method;
use kubelet_peer::Container;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::{Fixture, channels, fixture, read, send_channel, stream, with_timeout, write};

const V4: &[&str] = &["v4.channel.k8s.io"];

async fn with_container(websockets: bool) -> Fixture {
    let fixture = fixture(|options| options.websockets = websockets).await;
    fixture.kubelet.add_container("ns", "pod", "main", Container::default()).unwrap();
    fixture
}

fn exec(query: &str, command: &[&str]) -> String {
    let words = command.iter().map(|word| {
        let spelled = word.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        format!("command={spelled}&")
    });
    format!("/exec/ns/pod/main?{}{query}", words.collect::<String>())
}

#[tokio::test]
async fn output_errors_and_exit_code_come_over_spdy() {
    let fixture = with_container(false).await;
    let path = exec("output=1&error=1", &["sh", "-c", "echo out; echo err >&2; exit 3"]);
    let offered = ["v5.channel.k8s.io", "v4.channel.k8s.io", "v3.channel.k8s.io"];
    let (chosen, session) = with_timeout(fixture.spdy(&path, &offered)).await;
    assert_eq!(chosen, "v4.channel.k8s.io");
    let mut error = with_timeout(stream(&session, "error")).await;
    let mut stdout = with_timeout(stream(&session, "stdout")).await;
    let mut stderr = with_timeout(stream(&session, "stderr")).await;
    assert_eq!(with_timeout(read(&mut stdout)).await, "out\n");
    assert_eq!(with_timeout(read(&mut stderr)).await, "err\n");
    let status = concat!(
        r#"{"status":"Failure","message":"command terminated with non-zero exit code: error "#,
        r#"executing command [sh -c echo out; echo err \u003e\u00262; exit 3], exit code 3","#,
        r#""reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}"#
    );
    assert_eq!(with_timeout(read(&mut error)).await, status);
    with_timeout(session.closed()).await;
}

#[tokio::test]
async fn the_end_of_input_reaches_the_program_over_spdy() {
    let fixture = with_container(false).await;
    let (_, session) = with_timeout(fixture.spdy(&exec("input=1&output=1", &["cat"]), V4)).await;
    let mut error = with_timeout(stream(&session, "error")).await;
    let mut stdin = with_timeout(stream(&session, "stdin")).await;
    let mut stdout = with_timeout(stream(&session, "stdout")).await;
    let sent = b"0123456789abcdef".repeat(500_000);
    let expected = sent.clone();
    let writing = tokio::spawn(async move {
        write(&mut stdin, &sent).await;
        stdin
    });
    let mut got = Vec::new();
    with_timeout(stdout.read_to_end(&mut got)).await.unwrap();
    assert!(got == expected, "{} bytes of {}", got.len(), expected.len());
    assert_eq!(with_timeout(read(&mut error)).await, r#"{"status":"Success"}"#);
    drop(writing);
}

#[tokio::test]
async fn older_protocols_speak_in_words() {
    let fixture = with_container(false).await;
    let (chosen, session) =
        with_timeout(fixture.spdy(&exec("output=1", &["false"]), &["v2.channel.k8s.io"])).await;
    assert_eq!(chosen, "v2.channel.k8s.io");
    let mut error = with_timeout(stream(&session, "error")).await;
    let _stdout = with_timeout(stream(&session, "stdout")).await;
    let words =
        "command terminated with non-zero exit code: error executing command [false], exit code 1";
    assert_eq!(with_timeout(read(&mut error)).await, words);
}

#[tokio::test]
async fn a_terminal_has_the_size_of_the_clients_window() {
    let fixture = with_container(false).await;
    let size = "until [ \"$(stty size)\" = '45 123' ]; do sleep 0.01; done";
    let script = format!("{size}; stty size; read line; test -t 1 && echo terminal");
    let path = exec("input=1&output=1&tty=1", &["sh", "-c", &script]);
    let (_, session) = with_timeout(fixture.spdy(&path, V4)).await;
    let mut error = with_timeout(stream(&session, "error")).await;
    let mut stdin = with_timeout(stream(&session, "stdin")).await;
    let mut stdout = with_timeout(stream(&session, "stdout")).await;
    let mut resize = with_timeout(stream(&session, "resize")).await;
    resize.write_all(b"{\"Width\":123,\"Height\":45}\n").await.unwrap();
    let mut received = [0; 8];
    with_timeout(stdout.read_exact(&mut received)).await.unwrap();
    assert_eq!(&received, b"45 123\r\n");
    stdin.write_all(b"go\n").await.unwrap();
    let received = with_timeout(read(&mut stdout)).await;
    assert_eq!(received, "go\r\nterminal\r\n");
    assert_eq!(with_timeout(read(&mut error)).await, r#"{"status":"Success"}"#);
}

#[tokio::test]
async fn version_5_of_websockets_ends_input() {
    let fixture = with_container(true).await;
    let path = exec("input=1&output=1&error=1", &["sh", "-c", "cat; echo bad >&2; exit 7"]);
    let mut socket = with_timeout(fixture.websocket(&path, "v5.channel.k8s.io")).await.unwrap();
    send_channel(&mut socket, 0, b"hello").await;
    send_channel(&mut socket, 255, &[0]).await;
    let ([_, stdout, stderr, status, _], closed) = with_timeout(channels(&mut socket)).await;
    assert_eq!((&*stdout, &*stderr), ("hello", "bad\n"));
    assert!(status.starts_with(r#"{"metadata":{},"status":"Failure","#), "{status}");
    assert!(status.contains(r#"{"reason":"ExitCode","message":"7"}"#), "{status}");
    assert!(closed);
}

#[tokio::test]
async fn version_5_is_refused_by_kubelets_that_do_not_translate() {
    let fixture = with_container(false).await;
    let path = exec("output=1", &["true"]);
    assert_eq!(with_timeout(fixture.websocket(&path, "v5.channel.k8s.io")).await.err(), Some(403));
    let mut socket = with_timeout(fixture.websocket(&path, "v4.channel.k8s.io")).await.unwrap();
    let ([.., status, _], _) = with_timeout(channels(&mut socket)).await;
    assert_eq!(status, r#"{"status":"Success"}"#);
}

#[tokio::test]
async fn a_command_that_is_not_there_is_told_on_the_error_stream() {
    let fixture = with_container(true).await;
    let path = exec("output=1", &["/no/such/program"]);
    let mut socket = with_timeout(fixture.websocket(&path, "v5.channel.k8s.io")).await.unwrap();
    let ([.., status, _], _) = with_timeout(channels(&mut socket)).await;
    assert!(status.contains("executable file not found in $PATH"), "{status}");
    assert!(status.contains(r#"}]},"code":500}"#), "{status}");
}

#[tokio::test]
async fn a_client_who_leaves_ends_the_program() {
    let fixture = with_container(false).await;
    let path = exec("input=1&output=1", &["sh", "-c", "echo $$; exec sleep 1000"]);
    for leaves_well in [true, false] {
        let mut socket = with_timeout(fixture.websocket(&path, "v4.channel.k8s.io")).await.unwrap();
        let number = loop {
            let message = with_timeout(socket.next()).await.unwrap().unwrap().into_data();
            if message.len() > 1 {
                break String::from_utf8_lossy(&message[1..]).trim().to_string();
            }
        };
        let process = std::path::Path::new("/proc").join(number);
        assert!(process.exists());
        if leaves_well {
            socket.close(None).await.unwrap();
        }
        drop(socket);
        with_timeout(async {
            while process.exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn attach_reaches_what_runs_in_the_container() {
    let fixture = with_container(false).await;
    let script = "while read line; do echo got $line; [ $line = end ] && exit 0; done";
    let container = Container::running(["sh", "-c", script]);
    let log = container.log.clone();
    fixture.kubelet.add_container("ns", "pod", "shell", container).unwrap();
    let path = "/attach/ns/pod/shell?input=1&output=1&error=1";
    let mut first = with_timeout(fixture.websocket(path, "v4.channel.k8s.io")).await.unwrap();
    let (_, session) = with_timeout(fixture.spdy(path, V4)).await;
    let mut error = with_timeout(stream(&session, "error")).await;
    let mut stdin = with_timeout(stream(&session, "stdin")).await;
    let mut stdout = with_timeout(stream(&session, "stdout")).await;
    let _stderr = with_timeout(stream(&session, "stderr")).await;
    with_timeout(async {
        while fixture.kubelet.attached("ns", "pod", "shell") < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    send_channel(&mut first, 0, b"a\n").await;
    let mut output = [0; 6];
    with_timeout(stdout.read_exact(&mut output)).await.unwrap();
    assert_eq!(&output, b"got a\n");
    stdin.write_all(b"end\n").await.unwrap();
    assert_eq!(with_timeout(read(&mut stdout)).await, "got end\n");
    assert_eq!(with_timeout(read(&mut error)).await, r#"{"status":"Success"}"#);
    let ([_, output, _, status, _], _) = with_timeout(channels(&mut first)).await;
    assert_eq!((&*output, &*status), ("got a\ngot end\n", r#"{"status":"Success"}"#));
    assert_eq!(log.text(), b"got a\ngot end\n");
    let received = with_timeout(fixture.get("/containerLogs/ns/pod/shell?follow=true")).await;
    assert_eq!(received, (200, "got a\ngot end\n".into()));
}

#[tokio::test]
async fn what_cannot_be_upgraded_is_refused_as_kubelets_do() {
    let fixture = with_container(false).await;
    let spdy = [("connection", "Upgrade"), ("upgrade", "SPDY/3.1")];
    let odd = [spdy[0], spdy[1], ("x-stream-protocol-version", "v9.channel.k8s.io")];
    let rows: [(_, &[_], u16); 6] = [
        ("/exec/ns/pod/main?command=ls", &spdy, 400),
        ("/exec/ns/nope/main?command=ls&output=1", &spdy, 404),
        ("/exec/ns/pod/nope?command=ls&output=1", &spdy, 500),
        ("/exec/ns/pod/main?command=ls&output=1", &[], 500),
        ("/exec/ns/pod/main?command=ls&output=1", &spdy, 400),
        ("/exec/ns/pod/main?command=ls&output=1", &odd, 403),
    ];
    for (path, headers, status) in rows {
        let (response, _) = with_timeout(fixture.upgrade(Method::POST, path, headers)).await;
        assert_eq!(response.status(), status, "{path}");
        let accepted = response.headers().get_all("x-accepted-stream-protocol-versions");
        assert_eq!(accepted.iter().count(), if status == 403 { 4 } else { 0 });
    }
}

#[tokio::test]
async fn run_answers_with_what_was_said() {
    let fixture = with_container(false).await;
    assert_eq!(
        with_timeout(fixture.get("/run/ns/pod/main?cmd=echo+hi")).await,
        (200, "hi\n".into())
    );
    let (status, words) = with_timeout(fixture.get("/run/ns/pod/main?cmd=false")).await;
    assert_eq!((status, &*words), (500, "command 'false' exited with 1: "));
}
