//! A test kubelet: TLS with tickets, HTTP/1.1 and HTTP/2, and a record of all requests.

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

/// A listening kubelet.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    state: Arc<PeerState>,
}

/// What the kubelet has recorded, and what it presents.
pub(crate) struct PeerState {
    pair: Mutex<Arc<CertifiedKey>>,
    pub(crate) connections: AtomicUsize,
    pub(crate) resumed: AtomicUsize,
    pub(crate) requests: AtomicUsize,
    /// Open connections.
    pub(crate) open: AtomicUsize,
    /// The certificate of each client, or nothing.
    pub(crate) clients: Mutex<Vec<Vec<u8>>>,
    pub(crate) hosts: Mutex<Vec<String>>,
    pub(crate) server_names: Mutex<Vec<Option<String>>>,
    /// Permits for the chunks of `/stream`.
    pub(crate) pieces: Semaphore,
    /// Closes HTTP/1.1 connections after each response without announcing it.
    pub(crate) hangs_up: AtomicBool,
    /// Answers one request on each connection, and closes it at the next.
    pub(crate) dies_of_the_second: AtomicBool,
}

impl std::fmt::Debug for PeerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seen")
    }
}

impl std::ops::Deref for Peer {
    type Target = PeerState;

    fn deref(&self) -> &PeerState {
        &self.state
    }
}

impl Peer {
    pub(crate) async fn start(leaf: &Leaf, protocols: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", leaf, protocols).await
    }

    pub(crate) async fn start_at(address: &str, leaf: &Leaf, protocols: &[&str]) -> Self {
        let state = Arc::new(PeerState {
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
        let acceptor = TlsAcceptor::from(Arc::new(config(&state, protocols)));
        tokio::spawn(accept(listener, acceptor, Arc::clone(&state)));
        Self { address, state }
    }

    /// Presents another certificate from now on.
    pub(crate) fn show(&self, leaf: &Leaf) {
        *self.pair.lock().unwrap() = leaf.certified();
    }

    /// An endpoint at this kubelet, for that node.
    pub(crate) fn of(&self, node: &str) -> Endpoint {
        self.at(node, &self.address.ip().to_string())
    }

    pub(crate) fn at(&self, node: &str, host: &str) -> Endpoint {
        let node = NodeName::new(node).unwrap();
        Endpoint { node, host: host.to_owned(), port: self.address.port() }
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> usize {
        self.state.requests.load(Ordering::SeqCst)
    }

    pub(crate) fn open(&self) -> usize {
        self.state.open.load(Ordering::SeqCst)
    }

    /// Waits until this many connections are open.
    pub(crate) async fn until_open(&self, wanted: usize) {
        self.until(wanted, Self::open).await;
    }

    /// Waits until there have been this many connections.
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

fn config(state: &Arc<PeerState>, protocols: &[&str]) -> ServerConfig {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(Arc::new(AnyClient))
        .with_cert_resolver(Arc::clone(state) as Arc<dyn ResolvesServerCert>);
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    config.ticketer = rustls::crypto::aws_lc_rs::Ticketer::new().unwrap();
    config.send_tls13_tickets = 4;
    config
}

impl ResolvesServerCert for PeerState {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.server_names.lock().unwrap().push(hello.server_name().map(ToOwned::to_owned));
        Some(Arc::clone(&self.pair.lock().unwrap()))
    }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, state: Arc<PeerState>) {
    while let Ok((tcp, _)) = listener.accept().await {
        let (acceptor, state) = (acceptor.clone(), Arc::clone(&state));
        tokio::spawn(async move {
            let Ok(tls) = acceptor.accept(tcp).await else { return };
            let connection = tls.get_ref().1;
            if connection.handshake_kind() == Some(HandshakeKind::Resumed) {
                state.resumed.fetch_add(1, Ordering::SeqCst);
            }
            let client = connection.peer_certificates().and_then(|chain| chain.first());
            state.clients.lock().unwrap().push(client.map(|der| der.to_vec()).unwrap_or_default());
            let number = state.connections.fetch_add(1, Ordering::SeqCst) + 1;
            state.open.fetch_add(1, Ordering::SeqCst);
            serve(tls, number, &state).await;
            state.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn serve(
    tls: tokio_rustls::server::TlsStream<TcpStream>,
    number: usize,
    state: &Arc<PeerState>,
) {
    let (hung_up, died) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let request_count = Arc::new(AtomicUsize::new(0));
    let service = service_fn(|request| {
        let (state, hung_up, died) = (Arc::clone(state), Arc::clone(&hung_up), Arc::clone(&died));
        let nth = request_count.fetch_add(1, Ordering::SeqCst);
        async move {
            if nth > 0 && state.dies_of_the_second.load(Ordering::SeqCst) {
                died.notify_one();
                std::future::pending::<()>().await;
            }
            let response = answer(request, number, &state);
            if state.hangs_up.load(Ordering::SeqCst) {
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

fn answer(request: Request<Incoming>, number: usize, state: &Arc<PeerState>) -> Answer {
    state.requests.fetch_add(1, Ordering::SeqCst);
    let host = request.headers().get("host").map(|host| host.to_str().unwrap().to_owned());
    let host = host.or_else(|| request.uri().authority().map(ToString::to_string));
    state.hosts.lock().unwrap().push(host.unwrap_or_default());
    let body = match request.uri().path() {
        "/stream" => Pieces(Arc::clone(state)).boxed(),
        "/big" => Full::new(Bytes::from(vec![b'x'; 4 << 20])).boxed_unsync(),
        path => Full::new(Bytes::from(path.to_owned())).boxed_unsync(),
    };
    Response::builder().header("connection-number", number).body(body).unwrap()
}

/// An endless body of one chunk for each permit.
struct Pieces(Arc<PeerState>);

impl Pieces {
    fn boxed(self) -> UnsyncBoxBody<Bytes, Infallible> {
        let (send, body) = tokio::sync::mpsc::channel::<Bytes>(1);
        tokio::spawn(async move {
            // The head is sent with the first chunk.
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

/// Requests a client certificate and accepts any.
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
