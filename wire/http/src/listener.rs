//! The door of the house: accepts connections, counts them, and closes in order.

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
use crate::connection::{self, Host};
use crate::drain::Drain;
use crate::tls::TlsReload;

/// Who is at the other end of a connection.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Where it comes from.
    pub address: SocketAddr,
    /// The certificates that it showed, its own first; nobody has verified them yet.
    pub certificates: Arc<[CertificateDer<'static>]>,
}

/// What answers requests.
pub trait Service: Send + Sync + 'static {
    /// Answers one request; dropped when the client goes away.
    fn call(
        &self,
        request: Request<Incoming>,
        peer: Arc<Peer>,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send + '_>>;
}

/// How much a client may ask of the listener, and for how long.
#[derive(Debug, Clone)]
pub struct ListenLimits {
    /// How long a TLS handshake may take.
    pub handshake_timeout: Duration,
    /// How long the first request, and in HTTP/1.1 the head of every request, may take.
    pub header_timeout: Duration,
    /// How long a connection may stand without a request.
    pub idle_timeout: Duration,
    /// How many bytes the head of a request may have; in HTTP/1.1 about, for a read may bring twice as many.
    pub max_header_bytes: u32,
    /// How many headers a request may have.
    pub max_headers: usize,
    /// How many requests may run at once on one HTTP/2 connection.
    pub max_streams: u32,
    /// How many connections may stand at once, upgraded ones included; more wait to be accepted.
    pub max_connections: usize,
    /// How long an answer may wait for its client to read; zero means for ever.
    pub write_timeout: Duration,
    /// How often a quiet HTTP/2 client is asked whether it is still there.
    pub ping_interval: Duration,
    /// How long requests under way may take to finish once draining has begun.
    pub drain_limit: Duration,
    /// How often the files of the serving certificate are looked at.
    pub certificate_poll: Duration,
}

impl Default for ListenLimits {
    fn default() -> Self {
        Self {
            handshake_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(32),
            idle_timeout: Duration::from_secs(90),
            max_header_bytes: 256 * 1024,
            max_headers: 500, // impersonation sends one header a group
            max_streams: 250,
            max_connections: 16 * 1024,
            write_timeout: Duration::from_secs(120),
            ping_interval: Duration::from_secs(30),
            drain_limit: Duration::from_secs(60),
            certificate_poll: Duration::from_secs(10),
        }
    }
}

/// A bound socket that has not begun to serve.
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
        // Accepted sockets inherit it, and a watcher whose machine vanished is noticed one day.
        socket.set_keepalive(true)?;
        socket.bind(address)?;
        let socket = socket.listen(1024)?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves HTTPS until `drain` begins and the requests under way have finished.
    pub async fn serve(
        self,
        tls: Arc<TlsReload>,
        service: Arc<dyn Service>,
        drain: Drain,
        limits: ListenLimits,
    ) {
        let watching = Arc::clone(&tls).watch(limits.certificate_poll);
        let host = Arc::new(Host { service, drain, limits });
        tokio::select! {
            () = watching => {}
            () = self.accept_all(Some(tls), host) => {}
        }
    }

    /// Serves HTTP/1.1 without TLS, for tests and for a proxy on the same machine.
    pub async fn serve_plain(self, service: Arc<dyn Service>, drain: Drain, limits: ListenLimits) {
        let host = Arc::new(Host { service, drain, limits });
        self.accept_all(None, host).await;
    }

    async fn accept_all(self, tls: Option<Arc<TlsReload>>, host: Arc<Host>) {
        let room = Arc::new(Semaphore::new(host.limits.max_connections));
        let mut connections = JoinSet::new();
        let mut draining = pin!(host.drain.wait());
        let mut setback = Setback::default();
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut draining => break,
                Some(_) = connections.join_next() => continue,
                accepted = self.accept(&room) => accepted,
            };
            match accepted {
                Ok((stream, address, permit)) => {
                    setback = Setback::default();
                    // Each connection with the settings of its moment: they are replaced while we serve.
                    let acceptor = tls.as_ref().map(|tls| TlsAcceptor::from(tls.config()));
                    let stream = ClientStream::new(stream, host.limits.write_timeout, permit);
                    connections.spawn(connection::serve(
                        stream,
                        address,
                        acceptor,
                        Arc::clone(&host),
                    ));
                }
                Err(error) => setback.after(&error).await,
            }
        }
        drop(self.socket); // From here on a client is refused and can go elsewhere.
        finish(connections, host.limits.drain_limit).await;
    }

    /// The next connection, once there is room for it.
    async fn accept(
        &self,
        room: &Arc<Semaphore>,
    ) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
        if room.available_permits() == 0 {
            tracing::warn!("the limit of connections is reached, new ones wait");
        }
        let permit = Arc::clone(room).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, address) = self.socket.accept().await?;
        // Small answers must not wait for more; a socket that refuses still works.
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

/// Waits longer after each failure, so that a lack of file descriptors neither ends the loop nor spins it.
#[derive(Default)]
struct Setback(Duration);

impl Setback {
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
        let began = tokio::time::Instant::now();
        let mut setback = Setback::default();
        setback.after(&io::Error::from(io::ErrorKind::ConnectionAborted)).await;
        assert_eq!(began.elapsed(), Duration::ZERO);
        for _ in 0..20 {
            setback.after(&io::Error::from_raw_os_error(24)).await; // EMFILE
        }
        assert_eq!(setback.0, Duration::from_secs(1));
        assert!(began.elapsed() > Duration::from_secs(10));
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
