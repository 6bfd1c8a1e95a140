//! One connection: its handshake, its protocol, its requests, and when it must end.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, Version};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::body::{Body, BodyError};
use crate::client_stream::ClientStream;
use crate::drain::Drain;
use crate::gathered::{Gate, Gathered, take_whole_chunks};
use crate::lingering::Lingering;
use crate::listener::{ListenLimits, Peer, Service};
use crate::panics::Caught;
use crate::unread::{Mark, Unread};

/// What all connections of a listener share.
pub(crate) struct Host {
    pub(crate) service: Arc<dyn Service>,
    pub(crate) drain: Drain,
    pub(crate) limits: ListenLimits,
}

/// How much of an answer waits for the connection before whoever makes it waits: more than leaves at once would only be
/// cold in the caches when its turn comes.
const SEND_AHEAD: usize = 64 * 1024;

/// The bytes that one HTTP/2 request may send ahead of whoever reads it: most bodies whole.
const STREAM_WINDOW: u32 = 256 * 1024;

/// Serves a connection to its end.
pub(crate) async fn serve(
    stream: ClientStream<TcpStream>,
    address: SocketAddr,
    acceptor: Option<TlsAcceptor>,
    host: Arc<Host>,
) {
    let Some(acceptor) = acceptor else {
        let peer = Peer { address, certificates: Arc::from([]) };
        return serve_http1(stream, Calls::new(host, peer)).await;
    };
    let Some(mut stream) = handshake(stream, address, &acceptor, &host).await else { return };
    let session = stream.get_ref().1;
    let certificates = session.peer_certificates().unwrap_or_default().into();
    let speaks_http2 = session.alpn_protocol() == Some(b"h2");
    let calls = Calls::new(host, Peer { address, certificates });
    if speaks_http2 {
        serve_http2(Gathered::new(stream), calls).await;
    } else {
        take_whole_chunks(&mut stream);
        serve_http1(stream, calls).await;
    }
}

async fn handshake(
    stream: ClientStream<TcpStream>,
    address: SocketAddr,
    acceptor: &TlsAcceptor,
    host: &Host,
) -> Option<TlsStream<Gate<ClientStream<TcpStream>>>> {
    let handshake = acceptor.accept(Gate::open(stream));
    let handshake = tokio::time::timeout(host.limits.handshake_timeout, handshake);
    let done = tokio::select! {
        () = host.drain.wait() => return None,
        done = handshake => done,
    };
    match done {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => tracing::debug!(%address, %error, "TLS handshake failed"),
        Err(_) => tracing::debug!(%address, "TLS handshake took too long"),
    }
    None
}

async fn serve_http1<S>(stream: S, calls: Calls)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &calls.host.limits;
    let stream = Lingering::new(stream, Arc::clone(&calls.is_upgraded));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size((limits.max_header_bytes as usize).max(8192))
        .max_headers(limits.max_headers)
        .title_case_headers(true) // as Go writes them
        .serve_connection(TokioIo::new(stream), calls.clone())
        .with_upgrades();
    drive(connection, &calls).await;
}

async fn serve_http2<S>(stream: S, calls: Calls)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &calls.host.limits;
    // Room for every stream at once: a request whose body nobody reads yet must not hold up the others.
    let whole_window = STREAM_WINDOW.saturating_mul(limits.max_streams).min(i32::MAX as u32);
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.max_streams)
        .max_header_list_size(limits.max_header_bytes)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(whole_window)
        .max_frame_size(STREAM_WINDOW)
        .max_send_buf_size(SEND_AHEAD)
        .keep_alive_interval(limits.ping_interval)
        .keep_alive_timeout(limits.ping_interval)
        .serve_connection(TokioIo::new(stream), calls.clone());
    drive(connection, &calls).await;
}

/// A connection that can be asked to end: GOAWAY, or `Connection: close`.
trait Closing: Future<Output = hyper::Result<()>> {
    fn close(self: Pin<&mut Self>);
}

impl<S> Closing for http1::UpgradeableConnection<TokioIo<S>, Calls>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    fn close(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<S> Closing for http2::Connection<TokioIo<S>, Calls, TokioExecutor>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    fn close(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Runs a connection until it ends by itself, is drained, or has been idle for too long.
async fn drive(connection: impl Closing, calls: &Calls) {
    let Calls { host, peer, activity, .. } = calls;
    let mut connection = pin!(connection);
    let mut draining = pin!(host.drain.wait());
    let mut asked_to_drain = false;
    let mut asked_for_idling = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(address = %peer.address, %error, "connection broke");
                }
                return;
            }
            () = &mut draining, if !asked_to_drain => {
                asked_to_drain = true;
                connection.as_mut().close();
            }
            // A client may read the connection and not an answer on it; nobody but the whole connection can then be left.
            () = calls.unread.lasts(host.limits.write_timeout) => {
                tracing::debug!(address = %peer.address, "the client did not read in time");
                return;
            }
            // A client that ignores being asked is left behind the second time.
            () = activity.idle(&host.limits) => {
                if asked_for_idling {
                    return;
                }
                asked_for_idling = true;
                activity.touch();
                connection.as_mut().close();
            }
        }
    }
}

/// Whether requests run on a connection, and since when not.
#[derive(Debug)]
struct Activity {
    running: AtomicUsize,
    served: AtomicUsize,
    began: Instant,
    /// Milliseconds after `began` at which the last request ended.
    last: AtomicU64,
}

impl Activity {
    fn new() -> Self {
        let zero = || AtomicUsize::new(0);
        Self { running: zero(), served: zero(), began: Instant::now(), last: AtomicU64::new(0) }
    }

    fn touch(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    /// Returns when nothing has run for as long as the limits allow.
    async fn idle(&self, limits: &ListenLimits) {
        loop {
            let first = self.served.load(Ordering::Relaxed) == 0;
            let limit = if first { limits.header_timeout } else { limits.idle_timeout };
            let busy = self.running.load(Ordering::Acquire) > 0;
            let last = self.began + Duration::from_millis(self.last.load(Ordering::Relaxed));
            let until = if busy { Instant::now() + limit } else { last + limit };
            if !busy && until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }
}

/// Held as long as a request runs, its answer's last byte included.
struct Running(Arc<Activity>);

impl Running {
    fn start(activity: &Arc<Activity>) -> Self {
        activity.running.fetch_add(1, Ordering::AcqRel);
        activity.served.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(activity))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.touch();
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Brings the requests of one connection to the service.
#[derive(Clone)]
struct Calls {
    host: Arc<Host>,
    peer: Arc<Peer>,
    activity: Arc<Activity>,
    unread: Arc<Unread>,
    is_upgraded: Arc<AtomicBool>,
}

impl Calls {
    fn new(host: Arc<Host>, peer: Peer) -> Self {
        let activity = Arc::new(Activity::new());
        let (unread, is_upgraded) = (Arc::default(), Arc::default());
        Self { host, peer: Arc::new(peer), activity, unread, is_upgraded }
    }
}

impl hyper::service::Service<Request<Incoming>> for Calls {
    type Response = Response<Counted>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Counted>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let running = Running::start(&self.activity);
        let (host, peer) = (Arc::clone(&self.host), Arc::clone(&self.peer));
        let is_upgraded = Arc::clone(&self.is_upgraded);
        // HTTP/1.1 has one answer at a time: that nobody reads it is seen at the socket.
        let mark = (request.version() == Version::HTTP_2).then(|| self.unread.mark());
        let answer = async move { host.service.call(request, peer).await };
        Box::pin(async move {
            let response = Caught(Box::pin(answer)).await;
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                is_upgraded.store(true, Ordering::Relaxed);
            }
            Ok(response.map(|body| Counted { body, mark, _running: running }))
        })
    }
}

/// A body whose request counts as running until it is sent.
struct Counted {
    body: Body,
    mark: Option<Mark>,
    _running: Running,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Some(mark) = &self.mark {
            match polled {
                Poll::Ready(Some(Ok(_))) => mark.given(),
                _ => mark.taken(),
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
