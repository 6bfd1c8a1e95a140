//! Persistent HTTP/1.1 connections over TLS.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use ratchet_tls::AcceptAnyServer;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A server and the credentials of its administrator.
#[derive(Clone)]
pub(crate) struct Target {
    address: SocketAddr,
    tls: TlsConnector,
}

impl Target {
    /// Reads a kubeconfig with the certificates in it.
    pub(crate) fn read(kubeconfig: &str) -> Self {
        let text = std::fs::read_to_string(kubeconfig).expect("a kubeconfig");
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.trim().strip_prefix(name));
            line.and_then(|line| line.strip_prefix(':'))
                .expect(name)
                .trim()
                .trim_matches('"')
                .to_owned()
        };
        let pem = |name: &str| STANDARD.decode(field(name)).expect(name);
        let chain = CertificateDer::pem_slice_iter(&pem("client-certificate-data"))
            .collect::<Result<_, _>>()
            .unwrap();
        let key = PrivateKeyDer::from_pem_slice(&pem("client-key-data")).unwrap();
        let config =
            AcceptAnyServer::client_config().unwrap().with_client_auth_cert(chain, key).unwrap();
        let address =
            field("server").trim_start_matches("https://").replace("localhost", "127.0.0.1");
        Self { address: address.parse().unwrap(), tls: TlsConnector::from(Arc::new(config)) }
    }

    /// An anonymous blocking connection.
    pub(crate) fn connect_anonymous(
        port: u16,
    ) -> std::io::Result<rustls::StreamOwned<rustls::ClientConnection, std::net::TcpStream>> {
        let config = Arc::new(AcceptAnyServer::client_config().unwrap().with_no_client_auth());
        let tcp = std::net::TcpStream::connect(("127.0.0.1", port))?;
        let name = ServerName::try_from("localhost").unwrap();
        let session = rustls::ClientConnection::new(config, name).map_err(std::io::Error::other)?;
        Ok(rustls::StreamOwned::new(session, tcp))
    }

    /// A new connection.
    pub(crate) async fn connect(&self) -> Connection {
        let tcp = TcpStream::connect(self.address).await.unwrap();
        tcp.set_nodelay(true).unwrap();
        let name = ServerName::from(self.address.ip());
        let stream = self.tls.connect(name, tcp).await.unwrap();
        let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Connection(sender)
    }
}

/// One connection.
pub(crate) struct Connection(SendRequest<Full<Bytes>>);

impl Connection {
    /// Sends a request; the body of the response is unread.
    pub(crate) async fn send(
        &mut self,
        method: &Method,
        path: &str,
        body: Bytes,
    ) -> Response<Incoming> {
        self.send_as(method, path, body, "application/json").await
    }

    /// Sends a request whose body has some media type; the body of the response is unread.
    pub(crate) async fn send_as(
        &mut self,
        method: &Method,
        path: &str,
        body: Bytes,
        media_type: &str,
    ) -> Response<Incoming> {
        self.0.ready().await.unwrap();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("Host", "localhost")
            .header("Accept", "application/json")
            .header("Content-Type", media_type)
            .body(Full::new(body))
            .unwrap();
        self.0.send_request(request).await.unwrap()
    }

    /// Reads a list in some encoding; returns the number of bytes.
    pub(crate) async fn read_as(&mut self, path: &str, accept: &str, is_packed: bool) -> usize {
        self.0.ready().await.unwrap();
        let mut request = Request::builder().uri(path).header("Host", "localhost");
        request = request.header("Accept", accept);
        if is_packed {
            request = request.header("Accept-Encoding", "gzip");
        }
        let answer = self.0.send_request(request.body(Full::default()).unwrap()).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        let mut body = answer.into_body();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            length += frame.unwrap().into_data().unwrap_or_default().len();
        }
        length
    }

    /// Sends a request and reads the answer.
    pub(crate) async fn request(
        &mut self,
        method: &Method,
        path: &str,
        body: Bytes,
    ) -> (u16, Bytes) {
        let answer = self.send(method, path, body).await;
        let code = answer.status().as_u16();
        (code, answer.into_body().collect().await.unwrap().to_bytes())
    }

    /// Sends a request that must succeed; returns the number of bytes of the response.
    pub(crate) async fn request_ok(&mut self, method: &Method, path: &str, body: Bytes) -> usize {
        let answer = self.send(method, path, body).await;
        let code = answer.status().as_u16();
        let mut body = answer.into_body();
        let mut length = 0;
        let mut start = Bytes::new();
        while let Some(frame) = body.frame().await {
            let data = frame.unwrap().into_data().unwrap_or_default();
            length += data.len();
            if start.is_empty() {
                start = data;
            }
        }
        assert!(code < 300, "{method} {path}: {code} {}", String::from_utf8_lossy(&start));
        length
    }
}
