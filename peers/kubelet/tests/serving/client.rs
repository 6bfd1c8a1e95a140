//! Test clients over TLS: plain requests, WebSockets and SPDY.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::{Method, Request, Response, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::upgrade::Upgraded;
use hyper_util::rt::{TokioExecutor, TokioIo};
use kubelet_peer::authority::Authority;
use kubelet_peer::{Identity, Kubelet, Options};
use ratchet_streams::spdy::{Session, Stream};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;

/// A kubelet and the authority that its clients trust.
pub(crate) struct Fixture {
    pub(crate) kubelet: Kubelet,
    pub(crate) authority: Authority,
}

pub(crate) type Tls = TlsStream<TcpStream>;
pub(crate) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Runs a future with a timeout, so that a hanging test fails.
pub(crate) async fn with_timeout<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.expect("it hangs")
}

pub(crate) async fn fixture(change: impl FnOnce(&mut Options)) -> Fixture {
    let authority = Authority::new("ca");
    let mut options = Options::new(authority.kubelet("node-a"));
    change(&mut options);
    let kubelet = Kubelet::start(options).await.unwrap();
    Fixture { kubelet, authority }
}

impl Fixture {
    pub(crate) fn config(&self, alpn: &str, client: Option<&Identity>) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.ca_der()).unwrap();
        let builder = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match client {
            None => builder.with_no_client_auth(),
            Some(identity) => builder
                .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
                .unwrap(),
        };
        config.alpn_protocols = vec![alpn.into()];
        config
    }

    pub(crate) async fn connect(&self, config: &Arc<ClientConfig>) -> std::io::Result<Tls> {
        let socket = TcpStream::connect(self.kubelet.address()).await?;
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(config.clone()).connect(name, socket).await
    }

    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        let config = Arc::new(self.config("http/1.1", None));
        send_over(self.connect(&config).await.unwrap(), request).await
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        let request = Request::get(path).header("host", "kubelet").body(Full::default()).unwrap();
        read_response(self.send(request).await).await
    }

    pub(crate) async fn get_over_h2(&self, path: &str) -> (u16, String) {
        let config = Arc::new(self.config("h2", None));
        let tls = TokioIo::new(self.connect(&config).await.unwrap());
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), tls).await.unwrap();
        tokio::spawn(connection);
        let uri = format!("https://kubelet{path}");
        let request = Request::get(uri).version(Version::HTTP_2).body(Full::<Bytes>::default());
        read_response(sender.send_request(request.unwrap()).await.unwrap()).await
    }

    /// Requests an upgrade; returns the response, and the connection if it was upgraded.
    pub(crate) async fn upgrade(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
    ) -> (Response<Incoming>, Option<Upgraded>) {
        let mut request = Request::builder().method(method).uri(path).header("host", "kubelet");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = self.send(request.body(Full::default()).unwrap()).await;
        let upgraded = match response.status().as_u16() {
            101 => Some(hyper::upgrade::on(&mut response).await.unwrap()),
            _ => None,
        };
        (response, upgraded)
    }

    pub(crate) async fn spdy(&self, path: &str, protocols: &[&str]) -> (String, Session) {
        let mut headers = vec![("connection", "Upgrade"), ("upgrade", "SPDY/3.1")];
        headers.extend(protocols.iter().map(|name| ("x-stream-protocol-version", *name)));
        let (response, upgraded) = self.upgrade(Method::POST, path, &headers).await;
        let chosen = response.headers()["x-stream-protocol-version"].to_str().unwrap().into();
        let (session, accept) = Session::client(TokioIo::new(upgraded.unwrap()));
        drop(accept);
        (chosen, session)
    }

    pub(crate) async fn websocket(&self, path: &str, protocol: &str) -> Result<Socket, u16> {
        let headers = [
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("sec-websocket-protocol", protocol),
        ];
        let (response, upgraded) = self.upgrade(Method::GET, path, &headers).await;
        let Some(upgraded) = upgraded else { return Err(response.status().as_u16()) };
        let accepted = &response.headers()["sec-websocket-accept"];
        assert_eq!(accepted, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert_eq!(response.headers()["sec-websocket-protocol"], protocol);
        let upgraded = TokioIo::new(upgraded);
        Ok(WebSocketStream::from_raw_socket(upgraded, Role::Client, None).await)
    }
}

pub(crate) async fn send_over(tls: Tls, request: Request<Full<Bytes>>) -> Response<Incoming> {
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(tls)).await.unwrap();
    tokio::spawn(connection.with_upgrades());
    sender.send_request(request).await.unwrap()
}

pub(crate) async fn read_response(response: Response<Incoming>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8_lossy(&body).into_owned())
}

/// Opens a stream of exec.
pub(crate) async fn stream(session: &Session, kind: &str) -> Stream {
    session.open(&[("streamType", kind)], false).await.unwrap()
}

pub(crate) async fn read(stream: &mut Stream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await; // the kubelet resets what it has ended
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) async fn write(stream: &mut Stream, text: &[u8]) {
    stream.write_all(text).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// The data received on each channel of a WebSocket until it was closed, and whether it was closed properly.
pub(crate) async fn channels(socket: &mut Socket) -> ([String; 5], bool) {
    let mut received: [String; 5] = Default::default();
    let mut closed = false;
    while let Some(Ok(message)) = socket.next().await {
        match message {
            Message::Binary(bytes) => {
                received[usize::from(bytes[0])] += &String::from_utf8_lossy(&bytes[1..]);
            }
            Message::Close(frame) => {
                closed = frame.is_some_and(|frame| u16::from(frame.code) == 1000);
            }
            _ => {}
        }
    }
    (received, closed)
}

pub(crate) async fn send_channel(socket: &mut Socket, channel: u8, bytes: &[u8]) {
    let message = [&[channel], bytes].concat();
    socket.send(Message::binary(message)).await.unwrap();
}
