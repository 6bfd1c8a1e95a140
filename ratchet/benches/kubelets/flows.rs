//! Flows of bytes from a kubelet to a client, which counts them.

use super::dial::Peer;
use super::framed::Framed;
use super::frames;
use super::served::Fixture;
use http_body_util::BodyExt;
use hyper::Method;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use ratchet_streams::spdy::{Session, Stream};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

const POD: &str = "/api/v1/namespaces/default/pods/pod";
const READ: usize = 256 * 1024;

/// Number of received bytes.
pub(crate) type Count = Arc<AtomicU64>;
type ReadFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The process whose CPU time is measured.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Intermediary {
    /// The plain proxy.
    Proxy,
    /// `ratchet serve`.
    Server,
    /// None: the kubelet alone, to show that it is not the limit.
    Nobody,
}

/// A flow: its name, the process in between, and a reader that runs until it is dropped.
pub(crate) struct Flow {
    pub(crate) name: &'static str,
    pub(crate) intermediary: Intermediary,
    pub(crate) read: for<'a> fn(&'a Fixture, Count) -> ReadFuture<'a>,
}

/// All flows; the plain copy is the first.
pub(crate) static FLOWS: [Flow; 9] = [
    Flow {
        name: "plain TLS copy",
        intermediary: Intermediary::Proxy,
        read: |fixture, count| Box::pin(plain(fixture, count)),
    },
    Flow {
        name: "logs, HTTP/1.1 client",
        intermediary: Intermediary::Server,
        read: |fixture, count| Box::pin(log(&fixture.api, LOG, count)),
    },
    Flow {
        name: "logs, HTTP/2 client",
        intermediary: Intermediary::Server,
        read: |fixture, count| Box::pin(log_http2(&fixture.api, LOG, count)),
    },
    Flow {
        name: "port-forward, SPDY passed through",
        intermediary: Intermediary::Server,
        read: |fixture, count| Box::pin(forward(&fixture.api, FORWARD, count)),
    },
    Flow {
        name: "port-forward, WebSocket tunnel",
        intermediary: Intermediary::Server,
        read: |fixture, count| Box::pin(forward_tunnelled(&fixture.api, FORWARD, count)),
    },
    Flow {
        name: "exec, WebSocket translated",
        intermediary: Intermediary::Server,
        read: |fixture, count| Box::pin(exec(&fixture.api, count)),
    },
    Flow {
        name: "logs, HTTP/1.1, kubelet alone",
        intermediary: Intermediary::Nobody,
        read: |fixture, count| Box::pin(log(&fixture.kubelet, KUBELET_LOG, count)),
    },
    Flow {
        name: "logs, HTTP/2, kubelet alone",
        intermediary: Intermediary::Nobody,
        read: |fixture, count| Box::pin(log_http2(&fixture.kubelet, KUBELET_LOG, count)),
    },
    Flow {
        name: "port-forward, SPDY, kubelet alone",
        intermediary: Intermediary::Nobody,
        read: |fixture, count| Box::pin(forward(&fixture.kubelet, KUBELET_FORWARD, count)),
    },
];

const LOG: &str = "/api/v1/namespaces/default/pods/pod/log?container=flood";
const FORWARD: &str = "/api/v1/namespaces/default/pods/pod/portforward";
const KUBELET_LOG: &str = "/containerLogs/default/pod/flood";
const KUBELET_FORWARD: &str = "/portForward/default/pod";

async fn plain(fixture: &Fixture, count: Count) {
    let mut stream = fixture.plain.connect("flood").await;
    let mut buffer = vec![0; READ];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        count.fetch_add(length as u64, Ordering::Relaxed);
    }
}

async fn log(peer: &Peer, path: &str, count: Count) {
    let answer = peer.request(Method::GET, path, &[], "").await;
    assert_eq!(answer.status().as_u16(), 200);
    let mut body = answer.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        let length = frame.data_ref().map_or(0, bytes::Bytes::len);
        count.fetch_add(length as u64, Ordering::Relaxed);
    }
}

async fn log_http2(peer: &Peer, path: &str, count: Count) {
    frames::read(peer.connect("h2").await, path, count).await;
}

async fn forward(peer: &Peer, path: &str, count: Count) {
    let headers = [
        ("Connection", "Upgrade"),
        ("Upgrade", "SPDY/3.1"),
        ("X-Stream-Protocol-Version", "portforward.k8s.io"),
    ];
    port(peer.upgrade(Method::POST, path, &headers).await, count).await;
}

/// Counts the bytes of one forwarded port.
async fn port<IO>(io: IO, count: Count)
where
    IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (session, _accept) = Session::client(io);
    let headers = |kind| [("streamType", kind), ("port", "80"), ("requestID", "0")];
    let _error: Stream = session.open(&headers("error"), true).await.unwrap();
    let mut data = session.open(&headers("data"), false).await.unwrap();
    while let Ok(Some(bytes)) = data.chunk().await {
        count.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
}

/// A connection upgraded to WebSocket.
async fn websocket(peer: &Peer, path: &str, protocol: &str) -> TokioIo<Upgraded> {
    let headers = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Protocol", protocol),
    ];
    peer.upgrade(Method::GET, path, &headers).await
}

async fn forward_tunnelled(peer: &Peer, path: &str, count: Count) {
    let io = websocket(peer, path, "SPDY/3.1+portforward.k8s.io").await;
    port(Framed::new(io), count).await;
}

async fn exec(peer: &Peer, count: Count) {
    let path = format!("{POD}/exec?command=cat&command=/dev/zero&container=flood&stdout=true");
    let mut stream = Framed::new(websocket(peer, &path, "v5.channel.k8s.io").await);
    let mut buffer = vec![0; READ];
    // The channel byte of each message is counted too; it is one in many thousands.
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        count.fetch_add(length as u64, Ordering::Relaxed);
    }
}
