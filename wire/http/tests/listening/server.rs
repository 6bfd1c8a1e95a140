//! A small service behind a real listener.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use ratchet_http::certificates::{Authority, usual_names};
use ratchet_http::{
    Body, Drain, ListenLimits, Listener, Peer, ReadError, Service, TlsReload, channel, empty, full,
    read_body,
};
use tempfile::TempDir;
use tokio::task::JoinHandle;

pub(crate) struct Server {
    pub(crate) dir: TempDir,
    pub(crate) authority: Authority,
    pub(crate) address: SocketAddr,
    pub(crate) tls: Arc<TlsReload>,
    pub(crate) drain: Drain,
    pub(crate) running: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(limits: ListenLimits) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = authority.serving(&usual_names()).unwrap();
        let tls = TlsReload::from_files(files.certificate, files.key).unwrap();
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = listener.address();
        let drain = Drain::new();
        let service: Arc<dyn Service> = Arc::new(Answers { drain: drain.clone() });
        let running =
            tokio::spawn(listener.serve(Arc::clone(&tls), service, drain.clone(), limits));
        Self { dir, authority, address, tls, drain, running }
    }
}

pub(crate) struct Answers {
    pub(crate) drain: Drain,
}

impl Service for Answers {
    fn call(
        &self,
        request: Request<Incoming>,
        peer: Arc<Peer>,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send + '_>> {
        Box::pin(async move {
            match request.uri().path() {
                "/peer" => Response::new(full(format!("{} certificates", peer.certificates.len()))),
                "/body" => body(request).await,
                "/deaf" => {
                    // Never reads its body, and responds late.
                    tokio::time::sleep(Duration::from_millis(700)).await;
                    Response::new(full("deaf"))
                }
                "/slow" => {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    Response::new(full("slow but whole"))
                }
                "/forever" => std::future::pending().await,
                "/watch" => self.watch(),
                "/flood" => flood(),
                "/panic" => panic!("as this test wants"),
                "/upgrade" => upgrade(request),
                _ => with_status(StatusCode::NOT_FOUND, empty()),
            }
        })
    }
}

impl Answers {
    fn watch(&self) -> Response<Body> {
        let (sender, body) = channel(4);
        let drain = self.drain.clone();
        tokio::spawn(async move {
            if sender.send("event\n").await.is_err() {
                return;
            }
            drain.wait().await;
            let _ = sender.send("bye\n").await;
        });
        Response::new(body)
    }
}

/// A body that goes on as long as the client is connected.
fn flood() -> Response<Body> {
    let (sender, body) = channel(4);
    tokio::spawn(async move { while sender.send(vec![b'x'; 16 * 1024]).await.is_ok() {} });
    Response::new(body)
}

async fn body(request: Request<Incoming>) -> Response<Body> {
    match read_body(request.into_body(), 1000, Duration::from_millis(300)).await {
        Ok(bytes) => Response::new(full(Bytes::from(format!("{} bytes", bytes.len())))),
        Err(ReadError::TooLarge) => with_status(StatusCode::PAYLOAD_TOO_LARGE, empty()),
        Err(ReadError::TooSlow) => with_status(StatusCode::REQUEST_TIMEOUT, empty()),
        Err(ReadError::Broken) => with_status(StatusCode::BAD_REQUEST, empty()),
    }
}

fn upgrade(request: Request<Incoming>) -> Response<Body> {
    tokio::spawn(async move {
        let upgraded = hyper::upgrade::on(request).await.unwrap();
        let mut stream = hyper_util::rt::TokioIo::new(upgraded);
        let (mut reader, mut writer) = tokio::io::split(&mut stream);
        let _ = tokio::io::copy(&mut reader, &mut writer).await;
    });
    let mut response = with_status(StatusCode::SWITCHING_PROTOCOLS, empty());
    let headers = response.headers_mut();
    headers.insert("connection", "Upgrade".parse().unwrap());
    headers.insert("upgrade", "echo".parse().unwrap());
    response
}

fn with_status(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}
