//! Every way on which the server reaches a kubelet, and the form of a failure on it.

use crate::client::{
    Answer, Client, channels, pair, read, receive, send_channel, stream, with_timeout,
};
use crate::world::{NAMESPACE, command, of_pod};
use ratchet_streams::spdy::Session;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A way to a kubelet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Log,
    LogFollow,
    LogInsecure,
    ExecSpdy,
    ExecV5,
    ExecV4,
    AttachSpdy,
    AttachV5,
    ForwardSpdy,
    ForwardTunnel,
    NodeProxy,
    NodeProxyUpgrade,
}

impl Way {
    pub(crate) const ALL: [Self; 12] = [
        Self::Log,
        Self::LogFollow,
        Self::LogInsecure,
        Self::ExecSpdy,
        Self::ExecV5,
        Self::ExecV4,
        Self::AttachSpdy,
        Self::AttachV5,
        Self::ForwardSpdy,
        Self::ForwardTunnel,
        Self::NodeProxy,
        Self::NodeProxyUpgrade,
    ];

    /// Whether its requests share a connection.
    pub(crate) fn is_pooled(self) -> bool {
        matches!(self, Self::Log | Self::LogFollow | Self::NodeProxy)
    }

    /// The failure when the kubelet at `authority` cannot be reached for this reason.
    pub(crate) fn failure(self, node: &str, authority: &str, why: &str) -> Failure {
        let (code, reason, message) = match self {
            Self::Log | Self::LogInsecure => {
                let url = format!("https://{authority}/containerLogs/{NAMESPACE}/{node}/main");
                (500, "", format!("Get \"{url}\": {why}"))
            }
            Self::LogFollow => {
                let path = format!("/containerLogs/{NAMESPACE}/{node}/main?follow=true");
                (500, "", format!("Get \"https://{authority}{path}\": {why}"))
            }
            Self::ExecV5 | Self::AttachV5 => {
                let path = match self {
                    Self::ExecV5 => format!("/exec/{NAMESPACE}/{node}/main?command=id&output=1"),
                    _ => format!("/attach/{NAMESPACE}/{node}/shell?input=1&output=1"),
                };
                let post = format!("error sending request: Post \"https://{authority}{path}\"");
                (500, "InternalError", format!("Internal error occurred: {post}: {why}"))
            }
            Self::NodeProxy => {
                (503, "ServiceUnavailable", format!("error trying to reach service: {why}"))
            }
            _ => (500, "", format!("error dialing backend: {why}")),
        };
        Failure { code, reason: reason.into(), message }
    }

    /// Goes this way to the pod that is called like its node, and has the containers `main` and `shell`; none means that
    /// it works.
    pub(crate) async fn go(self, client: &Client, node: &str) -> Option<Failure> {
        match self.went(client, node).await {
            Ok(()) => None,
            Err(answer) => {
                let status = answer.json();
                assert_eq!(status["code"], answer.code, "{status}");
                Some(Failure::of(&status))
            }
        }
    }

    async fn went(self, client: &Client, node: &str) -> Result<(), Answer> {
        let id = format!("exec?container=main&{}stdout=true", command(&["id"]));
        let attach = of_pod(node, "attach?container=shell&stdin=true&stdout=true");
        let forward = of_pod(node, "portforward");
        match self {
            Self::Log => log(client, &of_pod(node, "log?container=main")).await,
            Self::LogFollow => log(client, &of_pod(node, "log?container=main&follow=true")).await,
            Self::LogInsecure => {
                let path = "log?container=main&insecureSkipTLSVerifyBackend=true";
                log(client, &of_pod(node, path)).await
            }
            Self::ExecSpdy => {
                runs(client.spdy(&of_pod(node, &id), &["v4.channel.k8s.io"]).await?).await
            }
            Self::ExecV4 => {
                let socket = client.websocket(&of_pod(node, &id), "v4.channel.k8s.io").await;
                let received = channels(&mut socket?).await;
                assert_eq!(received.status()["status"], "Success");
                Ok(())
            }
            Self::ExecV5 => {
                let socket = client.websocket(&of_pod(node, &id), "v5.channel.k8s.io").await;
                let received = channels(&mut socket?).await;
                assert_eq!(received.closed, Some(1000));
                channel_status(&received.status())
            }
            Self::AttachSpdy => echoes(client.spdy(&attach, &["v4.channel.k8s.io"]).await?).await,
            Self::AttachV5 => {
                let mut socket = client.websocket(&attach, "v5.channel.k8s.io").await?;
                send_channel(&mut socket, 0, b"hi\n").await;
                match receive(&mut socket).await {
                    (1, text) => assert_eq!(text, "hi\n"),
                    (_, status) => channel_status(&serde_json::from_str(&status).unwrap())?,
                }
                Ok(())
            }
            Self::ForwardSpdy => {
                forwards(client.spdy(&forward, &["portforward.k8s.io"]).await?).await
            }
            Self::ForwardTunnel => forwards(client.tunnel(&forward).await?).await,
            Self::NodeProxy => {
                let answer = client.get(&format!("/api/v1/nodes/{node}/proxy/healthz")).await;
                if answer.code != 200 {
                    return Err(answer);
                }
                assert_eq!(answer.text(), "ok");
                Ok(())
            }
            Self::NodeProxyUpgrade => {
                let path = format!("exec/{NAMESPACE}/{node}/main?command=id&output=1");
                let path = format!("/api/v1/nodes/{node}/proxy/{path}");
                runs(client.spdy(&path, &["v4.channel.k8s.io"]).await?).await
            }
        }
    }
}

/// A failure as the client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: u16,
    pub(crate) reason: String,
    pub(crate) message: String,
}

impl Failure {
    fn of(status: &Value) -> Self {
        assert_eq!(status["status"], "Failure", "{status}");
        let text = |name: &str| status[name].as_str().unwrap_or_default().to_owned();
        let code = u16::try_from(status["code"].as_u64().unwrap()).unwrap();
        Self { code, reason: text("reason"), message: text("message") }
    }
}

/// A failure from a status on the error channel.
fn channel_status(status: &Value) -> Result<(), Answer> {
    if status["status"] == "Success" {
        return Ok(());
    }
    let message = status["message"].as_str().unwrap();
    let cause = message.strip_prefix("Internal error occurred: ").unwrap_or(message);
    assert_eq!(status["details"]["causes"][0]["message"], cause);
    let code = u16::try_from(status["code"].as_u64().unwrap()).unwrap();
    Err(Answer { code, headers: Default::default(), body: status.to_string().into() })
}

async fn log(client: &Client, path: &str) -> Result<(), Answer> {
    let answer = client.get(path).await;
    if answer.code != 200 {
        return Err(answer);
    }
    assert_eq!(answer.text(), "hello\n");
    Ok(())
}

async fn runs(session: Session) -> Result<(), Answer> {
    let mut error = stream(&session, "error").await;
    let mut stdout = stream(&session, "stdout").await;
    assert!(read(&mut stdout).await.starts_with("uid="));
    assert_eq!(read(&mut error).await, r#"{"status":"Success"}"#);
    Ok(())
}

async fn echoes(session: Session) -> Result<(), Answer> {
    let _error = stream(&session, "error").await;
    let mut stdin = stream(&session, "stdin").await;
    let mut stdout = stream(&session, "stdout").await;
    stdin.write_all(b"hi\n").await.unwrap();
    let mut received = [0; 3];
    with_timeout(stdout.read_exact(&mut received)).await.unwrap();
    assert_eq!(&received, b"hi\n");
    Ok(())
}

async fn forwards(session: Session) -> Result<(), Answer> {
    let (_error, mut data) = pair(&session, "80", "0").await;
    data.write_all(b"ping").await.unwrap();
    data.shutdown().await.unwrap();
    assert_eq!(read(&mut data).await, "pingbye");
    Ok(())
}
