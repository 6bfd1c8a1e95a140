//! A plain HTTP client: no Kubernetes library hides what the server sends.

use crate::server::Server;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{HeaderMap, Method, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A timeout that is generous even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// One HTTP/2 connection; clones share it.
#[derive(Clone)]
pub(crate) struct Client {
    sender: http2::SendRequest<Full<Bytes>>,
    token: Option<&'static str>,
}

/// A response of the server.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
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

    /// The names of a list's items.
    pub(crate) fn names(&self) -> Vec<String> {
        let list = self.json();
        let items = list["items"].as_array().unwrap_or_else(|| panic!("no list: {list}"));
        items.iter().map(|item| text(&item["metadata"]["name"])).collect()
    }

    /// The resource version in the metadata.
    pub(crate) fn version(&self) -> u64 {
        version(&self.json())
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The resource version of an object or a list.
pub(crate) fn version(object: &Value) -> u64 {
    let text = &object["metadata"]["resourceVersion"];
    text.as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("none: {object}"))
}

async fn tls(server: &Server, protocol: &[u8]) -> TlsStream<TcpStream> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(server.authority.as_bytes()).unwrap()).unwrap();
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(server.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let name = ServerName::try_from("kubernetes.default.svc").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
}

impl Client {
    pub(crate) async fn connect(server: &Server, token: Option<&'static str>) -> Self {
        let io = TokioIo::new(tls(server, b"h2").await);
        let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
        tokio::spawn(connection);
        Self { sender, token }
    }

    /// Sends a request; the body of the response is unread.
    async fn exchange(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Response<Incoming> {
        let request = request(self.token, method, path, headers, body.into());
        let mut sender = self.sender.clone();
        sender.ready().await.unwrap();
        timeout(PATIENCE, sender.send_request(request)).await.expect("no answer").unwrap()
    }

    /// Sends a request and reads the response.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Answer {
        whole(self.exchange(method, path, headers, body).await).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], "").await
    }

    pub(crate) async fn get_as(&self, path: &str, accept: &str) -> Answer {
        self.send(Method::GET, path, &[("accept", accept)], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        let json = [("content-type", "application/json")];
        self.send(Method::POST, path, &json, body.to_string()).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        let json = [("content-type", "application/json")];
        self.send(Method::PUT, path, &json, body.to_string()).await
    }

    /// A merge patch.
    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        let merge = [("content-type", "application/merge-patch+json")];
        self.send(Method::PATCH, path, &merge, body.to_string()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], "").await
    }

    /// Starts a watch; its events are unread.
    pub(crate) async fn watch(&self, path: &str) -> Events {
        self.watch_as(path, "application/json").await
    }

    pub(crate) async fn watch_as(&self, path: &str, accept: &str) -> Events {
        let response = self.exchange(Method::GET, path, &[("accept", accept)], "").await;
        assert_eq!(response.status(), 200, "{path}");
        Events { response, rest: Vec::new(), lines: VecDeque::new() }
    }

    /// A new namespace, and the path of its config maps.
    pub(crate) async fn namespace(&self) -> (String, String) {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("ns-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let made = self.post("/api/v1/namespaces", json!({"metadata": {"name": name}})).await;
        assert_eq!(made.code, 201, "{}", made.text());
        let maps = format!("/api/v1/namespaces/{name}/configmaps");
        (name, maps)
    }

    /// A new config map of this name.
    pub(crate) async fn map(&self, maps: &str, name: &str) -> Answer {
        let made = self.post(maps, json!({"metadata": {"name": name}, "data": {"a": "b"}})).await;
        assert_eq!(made.code, 201, "{}", made.text());
        made
    }
}

fn request(
    token: Option<&str>,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: Bytes,
) -> Request<Full<Bytes>> {
    let uri = format!("https://kubernetes.default.svc{path}");
    let mut request = Request::builder().method(method).uri(uri);
    if let Some(token) = token {
        request = request.header(AUTHORIZATION, format!("Bearer {token}"));
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::new(body)).unwrap()
}

async fn whole(response: Response<Incoming>) -> Answer {
    let (parts, body) = response.into_parts();
    let body = timeout(PATIENCE, body.collect()).await.expect("no end").unwrap().to_bytes();
    Answer { code: parts.status.as_u16(), headers: parts.headers, body }
}

/// Sends one request over HTTP/1.1 on a new connection.
pub(crate) async fn old_protocol(
    server: &Server,
    token: &'static str,
    path: &str,
    body: Bytes,
) -> Answer {
    let io = TokioIo::new(tls(server, b"http/1.1").await);
    let (mut sender, connection) = http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    let headers = [(CONTENT_TYPE.as_str(), "application/json"), ("host", "kubernetes.default.svc")];
    let request = request(Some(token), Method::POST, path, &headers, body);
    whole(sender.send_request(request).await.unwrap()).await
}

/// Sends the head of a POST over HTTP/1.1 and less of the body than it declares; the head of the answer.
pub(crate) async fn unfinished(server: &Server, token: &'static str, path: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tls(server, b"http/1.1").await;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: kubernetes.default.svc\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4096];
    let length = timeout(PATIENCE, stream.read(&mut answer)).await.expect("no answer").unwrap();
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

/// The events of a watch.
pub(crate) struct Events {
    response: Response<Incoming>,
    rest: Vec<u8>,
    lines: VecDeque<Value>,
}

impl Events {
    pub(crate) fn content_type(&self) -> &str {
        self.response.headers()[CONTENT_TYPE].to_str().unwrap()
    }

    /// The next chunk; `None` at the end.
    pub(crate) async fn bytes(&mut self) -> Option<Bytes> {
        let frame = timeout(PATIENCE, self.response.body_mut().frame()).await;
        Some(frame.expect("no event in time")?.unwrap().into_data().unwrap_or_default())
    }

    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        while self.lines.is_empty() {
            let bytes = self.bytes().await?;
            self.rest.extend_from_slice(&bytes);
            while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                self.lines.push_back(serde_json::from_slice(&line).unwrap());
            }
        }
        self.lines.pop_front()
    }

    /// Type, name and revision of the next event.
    pub(crate) async fn short(&mut self) -> (String, String, u64) {
        let event = self.next().await.expect("the watch has ended");
        let object = &event["object"];
        (text(&event["type"]), text(&object["metadata"]["name"]), version(object))
    }

    /// All events until the server ends the watch.
    pub(crate) async fn all(mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }
}
