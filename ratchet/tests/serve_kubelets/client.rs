//! Clients for HTTP, WebSocket and SPDY without any Kubernetes library.

use crate::server::Server;
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, HOST};
use hyper::upgrade::Upgraded;
use hyper::{HeaderMap, Method, Request, Response};
use hyper_util::rt::TokioIo;
use ratchet_streams::spdy::{Session, Stream};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

/// A timeout that is generous even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Runs a future with a timeout, so that a hanging test fails.
pub(crate) async fn with_timeout<T>(work: impl Future<Output = T>) -> T {
    timeout(PATIENCE, work).await.expect("it hangs")
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("never: {what}"));
}

/// A client of one server.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    tls: Arc<ClientConfig>,
    token: Option<String>,
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: Box<HeaderMap>,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|why| panic!("{why}: {}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Code and message of a refusal.
    pub(crate) fn refusal(&self) -> (u16, String) {
        (self.code, self.json()["message"].as_str().unwrap_or_default().to_owned())
    }
}

impl Client {
    pub(crate) fn new(server: &Server, token: Option<&str>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(server.authority.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let tls = builder.with_root_certificates(roots).with_no_client_auth();
        let token = token.map(str::to_owned);
        Self { address: server.address, tls: Arc::new(tls), token }
    }

    /// A new TLS connection.
    pub(crate) async fn connect(&self) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let name = ServerName::try_from("kubernetes.default.svc").unwrap();
        TlsConnector::from(self.tls.clone()).connect(name, stream).await.unwrap()
    }

    /// Sends a request on a new connection; the body of the response is unread.
    pub(crate) async fn request(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Response<Incoming> {
        let io = TokioIo::new(with_timeout(self.connect()).await);
        let (mut sender, connection) = http1::handshake(io).await.unwrap();
        tokio::spawn(connection.with_upgrades());
        let mut request = Request::builder().method(method).uri(path).header(HOST, "api.example");
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body.into())).unwrap();
        with_timeout(sender.send_request(request)).await.unwrap()
    }

    /// Sends a request and reads the response.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Answer {
        whole(self.request(method, path, headers, body).await).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], "").await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        let json = [("content-type", "application/json")];
        self.send(Method::POST, path, &json, body.to_string()).await
    }

    /// A merge patch.
    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        let merge = [("content-type", "application/merge-patch+json")];
        self.send(Method::PATCH, path, &merge, body.to_string()).await
    }

    /// Requests an upgrade; returns the raw connection or the refusal.
    pub(crate) async fn upgrade(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<(HeaderMap, Upgraded), Answer> {
        let mut response = self.request(method, path, headers, "").await;
        if response.status() != 101 {
            return Err(whole(response).await);
        }
        let upgraded = with_timeout(hyper::upgrade::on(&mut response)).await.unwrap();
        Ok((response.headers().clone(), upgraded))
    }

    /// SPDY with one of these dialects.
    pub(crate) async fn spdy(&self, path: &str, dialects: &[&str]) -> Result<Session, Answer> {
        let mut headers = vec![("connection", "Upgrade"), ("upgrade", "SPDY/3.1")];
        headers.extend(dialects.iter().map(|name| ("x-stream-protocol-version", *name)));
        let (received, upgraded) = self.upgrade(Method::POST, path, &headers).await?;
        assert_eq!(received["x-stream-protocol-version"], dialects[0]);
        let (session, _) = Session::client(TokioIo::new(upgraded));
        Ok(session)
    }

    /// A WebSocket with this subprotocol.
    pub(crate) async fn websocket(&self, path: &str, protocol: &str) -> Result<Socket, Answer> {
        self.websocket_with(path, &[("sec-websocket-protocol", protocol)]).await
    }

    /// A WebSocket with these headers besides.
    pub(crate) async fn websocket_with(
        &self,
        path: &str,
        more: &[(&str, &str)],
    ) -> Result<Socket, Answer> {
        let mut headers = vec![
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        headers.extend(more);
        let (received, upgraded) = self.upgrade(Method::GET, path, &headers).await?;
        assert_eq!(received["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        Ok(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Client, None).await)
    }

    /// SPDY inside the messages of a WebSocket.
    pub(crate) async fn tunnel(&self, path: &str) -> Result<Session, Answer> {
        let socket = self.websocket(path, "SPDY/3.1+portforward.k8s.io").await?;
        let (near, far) = tokio::io::duplex(64 * 1024);
        let (mut reader, mut writer) = tokio::io::split(far);
        let (mut sink, mut source) = socket.split();
        tokio::spawn(async move {
            let mut buffer = vec![0; 16 * 1024];
            while let Ok(length @ 1..) = reader.read(&mut buffer).await {
                if sink.send(Message::binary(buffer[..length].to_vec())).await.is_err() {
                    return;
                }
            }
            let _ = sink.close().await; // the other end may be gone
        });
        tokio::spawn(async move {
            while let Some(Ok(message)) = source.next().await {
                if message.is_binary() && writer.write_all(&message.into_data()).await.is_err() {
                    return;
                }
            }
            let _ = writer.shutdown().await; // the reader may be gone
        });
        Ok(Session::client(near).0)
    }
}

pub(crate) async fn whole(response: Response<Incoming>) -> Answer {
    let (parts, body) = response.into_parts();
    let body = with_timeout(body.collect()).await.unwrap().to_bytes();
    Answer { code: parts.status.as_u16(), headers: Box::new(parts.headers), body }
}

/// The next chunk of a body as text; `None` at its end.
pub(crate) async fn piece(response: &mut Response<Incoming>) -> Option<String> {
    let frame = with_timeout(response.body_mut().frame()).await?.unwrap();
    Some(String::from_utf8_lossy(&frame.into_data().unwrap_or_default()).into_owned())
}

/// Opens a stream of exec.
pub(crate) async fn stream(session: &Session, kind: &str) -> Stream {
    with_timeout(session.open(&[("streamType", kind)], false)).await.unwrap()
}

/// Opens the two streams of a forwarded connection: errors and data.
pub(crate) async fn pair(session: &Session, port: &str, id: &str) -> (Stream, Stream) {
    let headers = |kind| [("streamType", kind), ("port", port), ("requestID", id)];
    let error = with_timeout(session.open(&headers("error"), true)).await.unwrap();
    let data = with_timeout(session.open(&headers("data"), false)).await.unwrap();
    (error, data)
}

/// The data of a stream until it ends or is reset.
pub(crate) async fn read(stream: &mut Stream) -> String {
    let mut bytes = Vec::new();
    let _ = with_timeout(stream.read_to_end(&mut bytes)).await; // a kubelet resets streams that it has ended
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The data of each WebSocket channel until the close.
#[derive(Default, Debug)]
pub(crate) struct Channels {
    pub(crate) data: [Vec<u8>; 5],
    /// The close code.
    pub(crate) closed: Option<u16>,
}

impl Channels {
    pub(crate) fn text(&self, channel: usize) -> String {
        String::from_utf8_lossy(&self.data[channel]).into_owned()
    }

    /// The status on the error channel.
    pub(crate) fn status(&self) -> Value {
        serde_json::from_slice(&self.data[3]).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }
}

/// Reads a WebSocket until it is closed.
pub(crate) async fn channels(socket: &mut Socket) -> Channels {
    let mut received = Channels::default();
    while let Some(Ok(message)) = with_timeout(socket.next()).await {
        match message {
            Message::Binary(bytes) => {
                received.data[usize::from(bytes[0])].extend_from_slice(&bytes[1..]);
            }
            Message::Close(frame) => received.closed = frame.map(|frame| frame.code.into()),
            _ => {}
        }
    }
    received
}

/// The next non-empty message with its channel.
pub(crate) async fn receive(socket: &mut Socket) -> (u8, String) {
    while let Some(message) = with_timeout(socket.next()).await {
        let message = message.unwrap();
        if message.is_binary() && message.len() > 1 {
            let bytes = message.into_data();
            return (bytes[0], String::from_utf8_lossy(&bytes[1..]).into_owned());
        }
    }
    panic!("it was closed");
}

/// Sends a message on a channel.
pub(crate) async fn send_channel(socket: &mut Socket, channel: u8, bytes: &[u8]) {
    with_timeout(socket.send(Message::binary([&[channel], bytes].concat()))).await.unwrap();
}
