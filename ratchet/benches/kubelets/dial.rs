//! Connections over TLS to a server or a kubelet, and the first request on them.

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kubelet_peer::Shown;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Somebody who listens, and what is shown to them.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) tls: ClientConfig,
}

/// What trusts these authorities and shows this certificate.
pub(crate) fn config(
    authorities: &[CertificateDer<'static>],
    shown: Option<&Shown>,
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority.clone()).unwrap();
    }
    let builder = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    match shown {
        None => builder.with_no_client_auth(),
        Some(shown) => {
            builder.with_client_auth_cert(shown.chain.clone(), shown.key.clone_key()).unwrap()
        }
    }
}

impl Peer {
    pub(crate) async fn connect(&self, protocol: &str) -> TlsStream<TcpStream> {
        self.wrap(self.socket().await, protocol).await
    }

    async fn socket(&self) -> TcpStream {
        let socket = TcpStream::connect(self.address).await.unwrap();
        socket.set_nodelay(true).unwrap();
        socket
    }

    async fn wrap<IO>(&self, socket: IO, protocol: &str) -> TlsStream<IO>
    where
        IO: AsyncRead + AsyncWrite + Unpin,
    {
        let mut tls = self.tls.clone();
        tls.alpn_protocols = vec![protocol.into()];
        TlsConnector::from(Arc::new(tls)).connect(self.address.ip().into(), socket).await.unwrap()
    }

    /// A request on a connection of its own, as each kubectl makes one.
    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Response<Incoming> {
        let stream = TokioIo::new(self.connect("http/1.1").await);
        let (mut sender, connection) = http1::handshake(stream).await.unwrap();
        tokio::spawn(connection.with_upgrades());
        let mut request = Request::builder().method(method).uri(path).header("Host", "localhost");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        sender.send_request(request.body(Full::new(body.into())).unwrap()).await.unwrap()
    }

    /// The same over HTTP/2, with the windows of Go's client. Connection and reader are one task: a client that does
    /// nothing else has no use for two, which would wake each other for every frame.
    pub(crate) async fn ask_http2<Read>(
        &self,
        path: &str,
        read: impl FnOnce(Response<Incoming>) -> Read,
    ) where
        Read: Future<Output = ()>,
    {
        let socket = BufReader::with_capacity(64 * 1024, self.socket().await);
        let stream = TokioIo::new(self.wrap(socket, "h2").await);
        let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(4 << 20)
            .initial_connection_window_size(1 << 30)
            .handshake(stream)
            .await
            .unwrap();
        let uri = format!("https://localhost{path}");
        let request = Request::get(uri).body(Full::<Bytes>::default()).unwrap();
        tokio::select! {
            ended = connection => panic!("the connection ended: {ended:?}"),
            () = async { read(sender.send_request(request).await.unwrap()).await } => {}
        }
    }

    /// Asks for another protocol, and gets it.
    pub(crate) async fn upgrade(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
    ) -> TokioIo<Upgraded> {
        let mut answer = self.ask(method, path, headers, "").await;
        assert_eq!(answer.status().as_u16(), 101, "{path}: {answer:?}");
        TokioIo::new(hyper::upgrade::on(&mut answer).await.unwrap())
    }
}
