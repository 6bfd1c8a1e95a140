//! A kubelet as far as connections go: TLS with tickets, HTTP/1.1 and HTTP/2, and a count of all that comes.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use ratchet_kubelet::{Endpoint, NodeName};
use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{
    DigitallySignedStruct, DistinguishedName, Error, HandshakeKind, ServerConfig, SignatureScheme,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio_rustls::TlsAcceptor;

use super::authority::Leaf;

pub(crate) const H1: &[&str] = &["http/1.1"];
pub(crate) const H2: &[&str] = &["h2", "http/1.1"];

/// A kubelet that listens.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
}

/// What a kubelet has seen, and what it shows.
pub(crate) struct Seen {
    pair: Mutex<Arc<CertifiedKey>>,
    pub(crate) connections: AtomicUsize,
    pub(crate) resumed: AtomicUsize,
    pub(crate) requests: AtomicUsize,
    /// Connections that stand.
    pub(crate) open: AtomicUsize,
    /// The certificate of each client, or nothing.
    pub(crate) clients: Mutex<Vec<Vec<u8>>>,
    pub(crate) hosts: Mutex<Vec<String>>,
    pub(crate) server_names: Mutex<Vec<Option<String>>>,
    /// Pieces that `/stream` may send.
    pub(crate) pieces: Semaphore,
    /// Closes connections of HTTP/1.1 after each answer without saying so.
    pub(crate) hangs_up: AtomicBool,
    /// Answers one request on each connection, and dies of the next.
    pub(crate) dies_of_the_second: AtomicBool,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seen")
    }
}

impl std::ops::Deref for Peer {
    type Target = Seen;

    fn deref(&self) -> &Seen {
        &self.seen
    }
}

impl Peer {
    pub(crate) async fn start(leaf: &Leaf, protocols: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", leaf, protocols).await
    }

    pub(crate) async fn start_at(address: &str, leaf: &Leaf, protocols: &[&str]) -> Self {
        let seen = Arc::new(Seen {
            pair: Mutex::new(leaf.certified()),
            connections: AtomicUsize::new(0),
            resumed: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            clients: Mutex::default(),
            hosts: Mutex::default(),
            server_names: Mutex::default(),
            pieces: Semaphore::new(0),
            hangs_up: AtomicBool::new(false),
            dies_of_the_second: AtomicBool::new(false),
        });
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config(&seen, protocols)));
        tokio::spawn(accept(listener, acceptor, Arc::clone(&seen)));
        Self { address, seen }
    }

    /// Shows another certificate from now on.
    pub(crate) fn show(&self, leaf: &Leaf) {
        *self.pair.lock().unwrap() = leaf.certified();
    }

    /// This kubelet, if it were that node's.
    pub(crate) fn of(&self, node: &str) -> Endpoint {
        self.at(node, &self.address.ip().to_string())
    }

    pub(crate) fn at(&self, node: &str, host: &str) -> Endpoint {
        let node = NodeName::new(node).unwrap();
        Endpoint { node, host: host.to_owned(), port: self.address.port() }
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.requests.load(Ordering::SeqCst)
    }

    pub(crate) fn open(&self) -> usize {
        self.seen.open.load(Ordering::SeqCst)
    }

    /// Waits until so many connections stand.
    pub(crate) async fn until_open(&self, wanted: usize) {
        self.until(wanted, Self::open).await;
    }

    /// Waits until there have been so many connections.
    pub(crate) async fn until_connections(&self, wanted: usize) {
        self.until(wanted, Self::connections).await;
    }

    async fn until(&self, wanted: usize, count: fn(&Self) -> usize) {
        for _ in 0..200 {
            if count(self) == wanted {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{} connections, not {wanted}", count(self));
    }
}

fn config(seen: &Arc<Seen>, protocols: &[&str]) -> ServerConfig {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(Arc::new(AnyClient))
        .with_cert_resolver(Arc::clone(seen) as Arc<dyn ResolvesServerCert>);
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    config.ticketer = rustls::crypto::aws_lc_rs::Ticketer::new().unwrap();
    config.send_tls13_tickets = 4;
    config
}

impl ResolvesServerCert for Seen {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.server_names.lock().unwrap().push(hello.server_name().map(ToOwned::to_owned));
        Some(Arc::clone(&self.pair.lock().unwrap()))
    }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, seen: Arc<Seen>) {
    while let Ok((tcp, _)) = listener.accept().await {
        let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
        tokio::spawn(async move {
            let Ok(tls) = acceptor.accept(tcp).await else { return };
            let connection = tls.get_ref().1;
            if connection.handshake_kind() == Some(HandshakeKind::Resumed) {
                seen.resumed.fetch_add(1, Ordering::SeqCst);
            }
            let client = connection.peer_certificates().and_then(|chain| chain.first());
            seen.clients.lock().unwrap().push(client.map(|der| der.to_vec()).unwrap_or_default());
            let number = seen.connections.fetch_add(1, Ordering::SeqCst) + 1;
            seen.open.fetch_add(1, Ordering::SeqCst);
            serve(tls, number, &seen).await;
            seen.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn serve(tls: tokio_rustls::server::TlsStream<TcpStream>, number: usize, seen: &Arc<Seen>) {
    let (hung_up, died) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let asked = Arc::new(AtomicUsize::new(0));
    let service = service_fn(|request| {
        let (seen, hung_up, died) = (Arc::clone(seen), Arc::clone(&hung_up), Arc::clone(&died));
        let nth = asked.fetch_add(1, Ordering::SeqCst);
        async move {
            if nth > 0 && seen.dies_of_the_second.load(Ordering::SeqCst) {
                died.notify_one();
                std::future::pending::<()>().await;
            }
            let response = answer(request, number, &seen);
            if seen.hangs_up.load(Ordering::SeqCst) {
                hung_up.notify_one();
            }
            Ok::<_, Infallible>(response)
        }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http2().max_concurrent_streams(20);
    let hang_up = async {
        hung_up.notified().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    tokio::select! {
        _ = builder.serve_connection_with_upgrades(TokioIo::new(tls), service) => {}
        () = hang_up => {}
        () = died.notified() => {}
    }
}

type Answer = Response<UnsyncBoxBody<Bytes, Infallible>>;

fn answer(request: Request<Incoming>, number: usize, seen: &Arc<Seen>) -> Answer {
    seen.requests.fetch_add(1, Ordering::SeqCst);
    let host = request.headers().get("host").map(|host| host.to_str().unwrap().to_owned());
    let host = host.or_else(|| request.uri().authority().map(ToString::to_string));
    seen.hosts.lock().unwrap().push(host.unwrap_or_default());
    let body = match request.uri().path() {
        "/stream" => Pieces(Arc::clone(seen)).boxed(),
        "/big" => Full::new(Bytes::from(vec![b'x'; 4 << 20])).boxed_unsync(),
        path => Full::new(Bytes::from(path.to_owned())).boxed_unsync(),
    };
    Response::builder().header("connection-number", number).body(body).unwrap()
}

/// A body of one piece for each permit, for ever.
struct Pieces(Arc<Seen>);

impl Pieces {
    fn boxed(self) -> UnsyncBoxBody<Bytes, Infallible> {
        let (send, body) = tokio::sync::mpsc::channel::<Bytes>(1);
        tokio::spawn(async move {
            // The head is sent with the first piece.
            let _ = send.send(Bytes::from_static(b"begin")).await;
            while let Ok(permit) = self.0.pieces.acquire().await {
                permit.forget();
                if send.send(Bytes::from_static(b"piece")).await.is_err() {
                    return;
                }
            }
        });
        Channel(body).boxed_unsync()
    }
}

struct Channel(tokio::sync::mpsc::Receiver<Bytes>);

impl http_body::Body for Channel {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
    }
}

/// Asks for a certificate and takes any.
#[derive(Debug)]
struct AnyClient;

impl ClientCertVerifier for AnyClient {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        rustls::crypto::aws_lc_rs::default_provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}
