//! Connections over TLS to a server or a kubelet, and the first request on them.

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use kubelet_peer::Identity;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::sync::Arc;
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
    shown: Option<&Identity>,
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
        let socket = TcpStream::connect(self.address).await.unwrap();
        socket.set_nodelay(true).unwrap();
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
