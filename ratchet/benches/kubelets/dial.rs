//! TLS connections to a server or a kubelet, with one request each.

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

/// A server's address, with the TLS configuration for it.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) tls: ClientConfig,
}

/// A client configuration that trusts these authorities and presents this certificate.
pub(crate) fn config(
    authorities: &[CertificateDer<'static>],
    identity: Option<&Identity>,
) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority.clone()).unwrap();
    }
    let builder = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    match identity {
        None => builder.with_no_client_auth(),
        Some(identity) => {
            builder.with_client_auth_cert(identity.chain.clone(), identity.key.clone_key()).unwrap()
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

    /// Sends a request on a new connection, as each kubectl does.
    pub(crate) async fn request(
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

    /// Sends a request that must be upgraded to another protocol.
    pub(crate) async fn upgrade(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
    ) -> TokioIo<Upgraded> {
        let mut answer = self.request(method, path, headers, "").await;
        assert_eq!(answer.status().as_u16(), 101, "{path}: {answer:?}");
        TokioIo::new(hyper::upgrade::on(&mut answer).await.unwrap())
    }
}
