//! The ways on which bytes come from a kubelet, each counted as a client reads it.

use super::dial::Peer;
use super::framed::Framed;
use super::frames;
use super::served::Place;
use http_body_util::BodyExt;
use hyper::Method;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use ratchet_spdy::{Session, Stream};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

const POD: &str = "/api/v1/namespaces/default/pods/pod";
const READ: usize = 256 * 1024;

/// How many bytes have come.
pub(crate) type Count = Arc<AtomicU64>;
type Flowing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Whose work is weighed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Between {
    /// The plain proxy.
    Proxy,
    /// `ratchet serve`.
    Server,
    /// Nobody: the kubelet itself, to see that it is not what limits.
    Nobody,
}

/// A way: its name, who stands between, and what reads until it is dropped.
pub(crate) struct Flow {
    pub(crate) name: &'static str,
    pub(crate) between: Between,
    pub(crate) read: for<'a> fn(&'a Place, Count) -> Flowing<'a>,
}

/// All ways; the plain copy is the first.
pub(crate) static FLOWS: [Flow; 9] = [
    Flow {
        name: "plain TLS copy",
        between: Between::Proxy,
        read: |place, count| Box::pin(plain(place, count)),
    },
    Flow {
        name: "logs, HTTP/1.1 client",
        between: Between::Server,
        read: |place, count| Box::pin(log(&place.api, LOG, count)),
    },
    Flow {
        name: "logs, HTTP/2 client",
        between: Between::Server,
        read: |place, count| Box::pin(log_http2(&place.api, LOG, count)),
    },
    Flow {
        name: "port-forward, SPDY passed through",
        between: Between::Server,
        read: |place, count| Box::pin(forward(&place.api, FORWARD, count)),
    },
    Flow {
        name: "port-forward, WebSocket tunnel",
        between: Between::Server,
        read: |place, count| Box::pin(forward_tunnelled(&place.api, FORWARD, count)),
    },
    Flow {
        name: "exec, WebSocket translated",
        between: Between::Server,
        read: |place, count| Box::pin(exec(&place.api, count)),
    },
    Flow {
        name: "logs, HTTP/1.1, kubelet alone",
        between: Between::Nobody,
        read: |place, count| Box::pin(log(&place.kubelet, KUBELET_LOG, count)),
    },
    Flow {
        name: "logs, HTTP/2, kubelet alone",
        between: Between::Nobody,
        read: |place, count| Box::pin(log_http2(&place.kubelet, KUBELET_LOG, count)),
    },
    Flow {
        name: "port-forward, SPDY, kubelet alone",
        between: Between::Nobody,
        read: |place, count| Box::pin(forward(&place.kubelet, KUBELET_FORWARD, count)),
    },
];

const LOG: &str = "/api/v1/namespaces/default/pods/pod/log?container=flood";
const FORWARD: &str = "/api/v1/namespaces/default/pods/pod/portforward";
const KUBELET_LOG: &str = "/containerLogs/default/pod/flood";
const KUBELET_FORWARD: &str = "/portForward/default/pod";

async fn plain(place: &Place, count: Count) {
    let mut stream = place.plain.connect("flood").await;
    let mut buffer = vec![0; READ];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        count.fetch_add(length as u64, Ordering::Relaxed);
    }
}

async fn log(peer: &Peer, path: &str, count: Count) {
    let answer = peer.ask(Method::GET, path, &[], "").await;
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

/// The bytes of one forwarded port.
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

/// A connection that speaks WebSocket now.
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
    // The number of the channel in each message is counted too; it is one byte in many thousands.
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        count.fetch_add(length as u64, Ordering::Relaxed);
    }
}
