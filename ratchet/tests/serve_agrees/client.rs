//! A plain HTTP client.

use crate::server::TOKEN;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http2::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value as Json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// A timeout that is generous even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// One connection to a server.
pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
}

/// A response of the server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) warnings: Vec<String>,
    /// The body; a string if it is not JSON.
    pub(crate) body: Json,
}

impl Answer {
    /// The message of a refusal, or the plain text of the response.
    pub(crate) fn message(&self) -> &str {
        self.body["message"].as_str().or(self.body.as_str()).unwrap_or_default()
    }

    /// Whether the request succeeded.
    pub(crate) fn is_done(&self) -> bool {
        self.code < 400
    }
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr, authority: &str) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let name = ServerName::try_from("kubernetes.default.svc").unwrap();
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
        let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = handshake.await.unwrap();
        tokio::spawn(connection);
        Self { sender }
    }

    /// Sends a request and reads the response.
    pub(crate) async fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Answer {
        let uri = format!("https://kubernetes.default.svc{path}");
        let mut request = Request::builder().method(method).uri(uri);
        request = request.header(AUTHORIZATION, format!("Bearer {TOKEN}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body.into())).unwrap();
        let mut sender = self.sender.clone();
        let answer = async {
            sender.ready().await.unwrap();
            let (parts, body) = sender.send_request(request).await.unwrap().into_parts();
            (parts, body.collect().await.unwrap().to_bytes())
        };
        let (parts, body) = tokio::time::timeout(PATIENCE, answer).await.expect("no answer");
        let warnings = parts.headers.get_all("warning").iter();
        let warnings = warnings.map(|value| warning(value.to_str().unwrap())).collect();
        let text = || Json::String(String::from_utf8_lossy(&body).into_owned());
        let body = serde_json::from_slice(&body).unwrap_or_else(|_| text());
        Answer { code: parts.status.as_u16(), warnings, body }
    }

    /// Sends a request with a JSON body.
    pub(crate) async fn send(&self, method: &str, path: &str, body: &Json) -> Answer {
        let json = [(CONTENT_TYPE.as_str(), "application/json")];
        self.request(method, path, &json, body.to_string()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], "").await
    }
}

/// The text of `299 - "text"`.
fn warning(header: &str) -> String {
    let quoted = header.strip_prefix("299 - ").unwrap_or_else(|| panic!("no warning: {header}"));
    let inside = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap();
    let mut text = String::new();
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        text.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    text
}
