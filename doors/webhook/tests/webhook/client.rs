//! A client of the webhook, as an API server is one: HTTP/2 over TLS, with the bundle of the webhook's authority.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A connection for requests; its clones share it.
#[derive(Clone)]
pub(crate) struct Client(http2::SendRequest<Full<Bytes>>);

/// Status, content type and text of a response.
pub(crate) type Answer = (u16, String, String);

impl Client {
    pub(crate) async fn connect(address: SocketAddr, authority: &str) -> std::io::Result<Self> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::try_from("localhost").unwrap();
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
        let (sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> hyper::Result<Answer> {
        self.0.ready().await?;
        read(self.0.send_request(request).await?).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        let request = Request::get(uri(path)).body(Full::default()).unwrap();
        self.send(request).await.unwrap()
    }

    pub(crate) async fn post(&mut self, path: &str, body: impl Into<Bytes>) -> Answer {
        let request = Request::post(uri(path)).header("content-type", "application/json");
        self.send(request.body(Full::new(body.into())).unwrap()).await.unwrap()
    }
}

pub(crate) fn uri(path: &str) -> String {
    format!("https://localhost{path}")
}

async fn read(response: Response<Incoming>) -> hyper::Result<Answer> {
    let code = response.status().as_u16();
    let content_type = response.headers().get("content-type").map(|value| value.to_str().unwrap());
    let content_type = content_type.unwrap_or_default().to_owned();
    let bytes = response.into_body().collect().await?.to_bytes();
    Ok((code, content_type, String::from_utf8(bytes.to_vec()).unwrap()))
}
