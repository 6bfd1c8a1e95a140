//! A test client for both protocols that can inspect the server certificate.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use ratchet_http::{Body, empty};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::server::Server;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Protocol {
    One,
    Two,
}

pub(crate) const BOTH: [Protocol; 2] = [Protocol::One, Protocol::Two];

/// A TLS connection, with or without a client certificate (PEM, with its key).
pub(crate) async fn connect(
    server: &Server,
    protocol: Protocol,
    own: Option<&(String, String)>,
) -> std::io::Result<TlsStream<TcpStream>> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    let root = CertificateDer::from_pem_slice(server.authority.pem().as_bytes()).unwrap();
    roots.add(root).unwrap();
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match own {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
            let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
            builder.with_client_auth_cert(chain, key).unwrap()
        }
    };
    config.alpn_protocols = match protocol {
        Protocol::One => vec![b"http/1.1".to_vec()],
        Protocol::Two => vec![b"h2".to_vec()],
    };
    let stream = TcpStream::connect(server.address).await?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from("kubernetes.default.svc").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// A connection for requests.
pub(crate) enum Client {
    One(http1::SendRequest<Body>),
    Two(http2::SendRequest<Body>),
}

impl Client {
    pub(crate) async fn new(server: &Server, protocol: Protocol) -> Self {
        Self::over(connect(server, protocol, None).await.unwrap(), protocol).await
    }

    pub(crate) async fn over(stream: TlsStream<TcpStream>, protocol: Protocol) -> Self {
        let io = TokioIo::new(stream);
        match protocol {
            Protocol::One => {
                let (sender, connection) = http1::handshake(io).await.unwrap();
                tokio::spawn(connection.with_upgrades());
                Self::One(sender)
            }
            Protocol::Two => {
                let (sender, connection) =
                    http2::handshake(TokioExecutor::new(), io).await.unwrap();
                tokio::spawn(connection);
                Self::Two(sender)
            }
        }
    }

    pub(crate) async fn send(
        &mut self,
        request: Request<Body>,
    ) -> hyper::Result<Response<Incoming>> {
        match self {
            Self::One(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
            Self::Two(sender) => {
                sender.ready().await?;
                sender.send_request(request).await
            }
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> hyper::Result<Response<Incoming>> {
        self.send(request(path, empty())).await
    }

    pub(crate) async fn text(&mut self, path: &str) -> String {
        text(self.get(path).await.unwrap()).await
    }
}

pub(crate) fn request(path: &str, body: Body) -> Request<Body> {
    let uri = format!("https://kubernetes.default.svc{path}");
    Request::post(uri).header("host", "kubernetes.default.svc").body(body).unwrap()
}

pub(crate) fn bytes(count: usize) -> Body {
    Full::new(Bytes::from(vec![b'x'; count])).map_err(|never| match never {}).boxed_unsync()
}

pub(crate) async fn text(response: Response<Incoming>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The next chunk of a stream; HTTP/2 may end one with an empty chunk.
pub(crate) async fn piece(response: &mut Response<Incoming>) -> Option<String> {
    loop {
        let frame = response.body_mut().frame().await?.unwrap();
        let text = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
        if !text.is_empty() {
            return Some(text);
        }
    }
}
