//! Listener: accepts connections, limits their number, and drains in order.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use rustls::pki_types::CertificateDer;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::body::Body;
use crate::client_stream::ClientStream;
use crate::connection::{self, ListenerState};
use crate::drain::Drain;
use crate::tls::TlsReload;

/// The other end of a connection.
#[derive(Debug, Clone)]
pub struct Peer {
    /// The address of the client.
    pub address: SocketAddr,
    /// The certificates of the client, its own first; not verified yet.
    pub certificates: Arc<[CertificateDer<'static>]>,
}

/// Handles requests.
pub trait Service: Send + Sync + 'static {
    /// Handles one request; dropped when the client disconnects.
    fn call(
        &self,
        request: Request<Incoming>,
        peer: Arc<Peer>,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send + '_>>;
}

/// Limits and timeouts for clients.
#[derive(Debug, Clone)]
pub struct ListenLimits {
    /// Timeout of a TLS handshake.
    pub handshake_timeout: Duration,
    /// Timeout of the first request and, in HTTP/1.1, of the head of every request.
    pub header_timeout: Duration,
    /// Timeout of a connection without a request.
    pub idle_timeout: Duration,
    /// The maximum size of a request head in bytes; approximate in HTTP/1.1, where a read may bring
    /// twice as many.
    pub max_header_bytes: u32,
    /// The maximum number of headers of a request.
    pub max_headers: usize,
    /// The maximum number of concurrent requests on one HTTP/2 connection.
    pub max_streams: u32,
    /// The flow control window of an HTTP/2 request body: what a client may send before it is read.
    pub stream_window: u32,
    /// The maximum number of connections, including upgraded ones; more wait to be accepted.
    pub max_connections: usize,
    /// How long a response may wait for its client to read; zero disables the timeout.
    pub write_timeout: Duration,
    /// The interval of pings on a quiet HTTP/2 connection.
    pub ping_interval: Duration,
    /// How long running requests may take to finish after draining has begun.
    pub drain_limit: Duration,
    /// The interval at which the files of the serving certificate are checked.
    pub certificate_poll: Duration,
}

impl Default for ListenLimits {
    fn default() -> Self {
        Self {
            handshake_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(32),
            idle_timeout: Duration::from_secs(90),
            max_header_bytes: 256 * 1024,
            max_headers: 256, // impersonation sends one header a group; each costs every request, whether it is sent or not
            max_streams: 250,
            stream_window: 256 * 1024, // enough for most bodies
            max_connections: 16 * 1024,
            write_timeout: Duration::from_secs(120),
            ping_interval: Duration::from_secs(30),
            drain_limit: Duration::from_secs(60),
            certificate_poll: Duration::from_secs(10),
        }
    }
}

/// A bound socket that does not serve yet.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Binds the address; with port 0 the system chooses one, see [`Listener::address`].
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        // Inherited by accepted sockets, so that a watcher whose machine vanished is noticed one
        // day.
        socket.set_keepalive(true)?;
        socket.bind(address)?;
        let socket = socket.listen(1024)?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
    }

    /// The bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves HTTPS until `drain` begins and running requests have finished.
    pub async fn serve(
        self,
        tls: Arc<TlsReload>,
        service: Arc<dyn Service>,
        drain: Drain,
        limits: ListenLimits,
    ) {
        let watching = Arc::clone(&tls).watch(limits.certificate_poll);
        let state = Arc::new(ListenerState { service, drain, limits });
        tokio::select! {
            () = watching => {}
            () = self.accept_all(Some(tls), state) => {}
        }
    }

    /// Serves HTTP/1.1 without TLS, for tests and for a proxy on the same machine.
    pub async fn serve_plain(self, service: Arc<dyn Service>, drain: Drain, limits: ListenLimits) {
        let state = Arc::new(ListenerState { service, drain, limits });
        self.accept_all(None, state).await;
    }

    async fn accept_all(self, tls: Option<Arc<TlsReload>>, state: Arc<ListenerState>) {
        let permits = Arc::new(Semaphore::new(state.limits.max_connections));
        let mut connections = JoinSet::new();
        let mut draining = pin!(state.drain.wait());
        let mut backoff = AcceptBackoff::default();
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut draining => break,
                Some(_) = connections.join_next() => continue,
                accepted = self.accept(&permits) => accepted,
            };
            match accepted {
                Ok((stream, address, permit)) => {
                    backoff = AcceptBackoff::default();
                    // Each connection uses the current configuration, which may be replaced at any
                    // time.
                    let acceptor = tls.as_ref().map(|tls| TlsAcceptor::from(tls.config()));
                    let stream = ClientStream::new(stream, state.limits.write_timeout, permit);
                    connections.spawn(connection::serve(
                        stream,
                        address,
                        acceptor,
                        Arc::clone(&state),
                    ));
                }
                Err(error) => backoff.after(&error).await,
            }
        }
        drop(self.socket); // From here on a client is refused and can go elsewhere.
        finish(connections, state.limits.drain_limit).await;
    }

    /// The next connection, as soon as the limit allows it.
    async fn accept(
        &self,
        permits: &Arc<Semaphore>,
    ) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
        if permits.available_permits() == 0 {
            tracing::warn!("the limit of connections is reached, new ones wait");
        }
        let permit = Arc::clone(permits).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, address) = self.socket.accept().await?;
        // Small responses must not wait for more data; a failure to set this is harmless.
        let _ = stream.set_nodelay(true);
        Ok((stream, address, permit))
    }
}

async fn finish(mut connections: JoinSet<()>, limit: Duration) {
    let all = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(limit, all).await.is_err() {
        tracing::warn!(left = connections.len(), "requests did not finish in time and are cut off");
        connections.shutdown().await;
    }
}

/// Backoff after failures of `accept`, so that a lack of file descriptors neither ends the loop nor
/// spins it.
#[derive(Default)]
struct AcceptBackoff(Duration);

impl AcceptBackoff {
    async fn after(&mut self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        if matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) {
            return; // That client has gone; the next one has nothing to do with it.
        }
        self.0 = (self.0 * 2).clamp(Duration::from_millis(5), Duration::from_secs(1));
        tracing::warn!(%error, wait = ?self.0, "cannot accept a connection");
        tokio::time::sleep(self.0).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn failures_of_accept_wait_and_those_of_a_client_do_not() {
        let start = tokio::time::Instant::now();
        let mut backoff = AcceptBackoff::default();
        backoff.after(&io::Error::from(io::ErrorKind::ConnectionAborted)).await;
        assert_eq!(start.elapsed(), Duration::ZERO);
        for _ in 0..20 {
            backoff.after(&io::Error::from_raw_os_error(24)).await; // EMFILE
        }
        assert_eq!(backoff.0, Duration::from_secs(1));
        assert!(start.elapsed() > Duration::from_secs(10));
    }

    #[tokio::test]
    async fn a_socket_says_where_it_listens() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = Listener::bind(address.parse().unwrap()).await else {
                continue; // a machine without IPv6
            };
            assert_ne!(listener.address().port(), 0);
            assert!(Listener::bind(listener.address()).await.is_err(), "the port is taken");
        }
    }
}
