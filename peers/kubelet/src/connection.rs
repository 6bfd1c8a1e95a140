//! Connections: accepts TLS and serves HTTP requests.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use rustls::HandshakeKind;
use rustls::pki_types::{CertificateDer, UnixTime};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::routes;
use crate::state::State;

/// Handshake timeout, and the pause after a failed accept.
const HANDSHAKE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);
/// TLS buffer size: it must hold a frame of 64 KiB with its header, or the frame would be sent without its end.
const TLS_BUFFER: usize = 128 * 1024;

/// The client of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) number: usize,
    pub(crate) resumed: bool,
    pub(crate) server_name: Option<String>,
    pub(crate) client: Option<String>,
    pub(crate) trusted: bool,
}

/// Accepts connections for ever.
pub(crate) async fn listen(state: Arc<State>, listener: TcpListener, tls: TlsAcceptor) {
    loop {
        match listener.accept().await {
            Ok((socket, _)) => state.spawn(serve(state.clone(), socket, tls.clone())),
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

async fn serve(state: Arc<State>, socket: TcpStream, tls: TlsAcceptor) {
    let _ = socket.set_nodelay(true); // only slower without
    let Ok(Ok(mut stream)) = tokio::time::timeout(HANDSHAKE, tls.accept(socket)).await else {
        return;
    };
    stream.get_mut().1.set_buffer_limit(Some(TLS_BUFFER));
    let peer = Arc::new(peer_of(&state, stream.get_ref().1));
    let service = service_fn(move |request| {
        let (state, peer) = (state.clone(), peer.clone());
        async move { Ok::<_, Infallible>(routes::handle(state, &peer, request).await) }
    });
    let builder = Builder::new(TokioExecutor::new());
    let served = builder.serve_connection_with_upgrades(TokioIo::new(stream), service).await;
    drop(served); // clients may leave as they like
}

fn peer_of(state: &State, session: &rustls::ServerConnection) -> Peer {
    let chain = session.peer_certificates().unwrap_or_default();
    Peer {
        number: state.connected(),
        resumed: session.handshake_kind() == Some(HandshakeKind::Resumed),
        server_name: session.server_name().map(Into::into),
        client: chain.first().and_then(|leaf| common_name(leaf)),
        trusted: trusted(state, chain),
    }
}

fn common_name(certificate: &CertificateDer<'_>) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    let name = certificate.subject().iter_common_name().last()?;
    name.as_str().ok().map(Into::into)
}

fn trusted(state: &State, chain: &[CertificateDer<'_>]) -> bool {
    match (&state.clients, chain.split_first()) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(clients), Some((leaf, rest))) => {
            clients.verify_client_cert(leaf, rest, UnixTime::now()).is_ok()
        }
    }
}
