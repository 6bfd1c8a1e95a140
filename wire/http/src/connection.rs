//! One connection: its handshake, its protocol, its requests, and its end.

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
use crate::coalesce::{CoalescingStream, Gate, set_chunk_buffer};
use crate::drain::Drain;
use crate::lingering::Lingering;
use crate::listener::{ListenLimits, Peer, Service};
use crate::panics::CatchPanic;
use crate::unread::{ResponseMark, UnreadResponses};

/// State shared by all connections of a listener.
pub(crate) struct ListenerState {
    pub(crate) service: Arc<dyn Service>,
    pub(crate) drain: Drain,
    pub(crate) limits: ListenLimits,
}

/// The send buffer of a response: more would only be cold in the caches when its turn comes.
const SEND_AHEAD: usize = 64 * 1024;

/// How long a connection without requests may stay open after its client was told to leave.
const DRAINED: Duration = Duration::from_secs(4);

/// Serves a connection to its end.
pub(crate) async fn serve(
    stream: ClientStream<TcpStream>,
    address: SocketAddr,
    acceptor: Option<TlsAcceptor>,
    state: Arc<ListenerState>,
) {
    let Some(acceptor) = acceptor else {
        let peer = Peer { address, certificates: Arc::from([]) };
        return serve_http1(stream, RequestHandler::new(state, peer)).await;
    };
    let Some(mut stream) = handshake(stream, address, &acceptor, &state).await else { return };
    let session = stream.get_ref().1;
    let certificates = session.peer_certificates().unwrap_or_default().into();
    let is_http2 = session.alpn_protocol() == Some(b"h2");
    let handler = RequestHandler::new(state, Peer { address, certificates });
    if is_http2 {
        serve_http2(CoalescingStream::new(stream), handler).await;
    } else {
        set_chunk_buffer(&mut stream);
        serve_http1(stream, handler).await;
    }
}

async fn handshake(
    stream: ClientStream<TcpStream>,
    address: SocketAddr,
    acceptor: &TlsAcceptor,
    state: &ListenerState,
) -> Option<TlsStream<Gate<ClientStream<TcpStream>>>> {
    let handshake = acceptor.accept(Gate::open(stream));
    let handshake = tokio::time::timeout(state.limits.handshake_timeout, handshake);
    let result = tokio::select! {
        () = state.drain.wait() => return None,
        result = handshake => result,
    };
    match result {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => tracing::debug!(%address, %error, "TLS handshake failed"),
        Err(_) => tracing::debug!(%address, "TLS handshake took too long"),
    }
    None
}

async fn serve_http1<S>(stream: S, handler: RequestHandler)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &handler.state.limits;
    let stream = Lingering::new(stream, Arc::clone(&handler.is_upgraded));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size((limits.max_header_bytes as usize).max(8192))
        .max_headers(limits.max_headers)
        .serve_connection(TokioIo::new(stream), handler.clone())
        .with_upgrades();
    drive(connection, &handler).await;
}

async fn serve_http2<S>(stream: S, handler: RequestHandler)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &handler.state.limits;
    // Window for every stream at once: a request whose body is not read yet must not block the
    // others.
    let window = limits.stream_window;
    let connection_window = window.saturating_mul(limits.max_streams).min(i32::MAX as u32);
    let connection = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.max_streams)
        .max_header_list_size(limits.max_header_bytes)
        .initial_stream_window_size(window)
        .initial_connection_window_size(connection_window)
        .max_frame_size(window)
        .max_send_buf_size(SEND_AHEAD)
        .keep_alive_interval(limits.ping_interval)
        .keep_alive_timeout(limits.ping_interval)
        .serve_connection(TokioIo::new(stream), handler.clone());
    drive(connection, &handler).await;
}

/// A connection that can be shut down gracefully: by GOAWAY, or `Connection: close`.
trait GracefulShutdown: Future<Output = hyper::Result<()>> {
    fn close(self: Pin<&mut Self>);
}

impl<S> GracefulShutdown for http1::UpgradeableConnection<TokioIo<S>, RequestHandler>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    fn close(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<S> GracefulShutdown for http2::Connection<TokioIo<S>, RequestHandler, TokioExecutor>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    fn close(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Runs a connection until it ends by itself, is drained, or has been idle for too long.
async fn drive(connection: impl GracefulShutdown, handler: &RequestHandler) {
    let RequestHandler { state, peer, activity, .. } = handler;
    let mut connection = pin!(connection);
    let mut draining = pin!(state.drain.wait());
    let mut is_draining = false;
    let mut was_idle_requested = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(address = %peer.address, %error, "connection broke");
                }
                return;
            }
            () = &mut draining, if !is_draining => {
                is_draining = true;
                connection.as_mut().close();
            }
            // A client may read the connection but not a response on it; then only the whole
            // connection can be closed.
            () = handler.unread.stalled(state.limits.write_timeout) => {
                tracing::debug!(address = %peer.address, "the client did not read in time");
                return;
            }
            // A client that ignores the end of the connection must not hold up that of the server.
            () = activity.quiet_for(DRAINED), if is_draining => return,
            // A client that ignores the graceful shutdown is dropped the second time.
            () = activity.idle(&state.limits) => {
                if was_idle_requested {
                    return;
                }
                was_idle_requested = true;
                activity.touch();
                connection.as_mut().close();
            }
        }
    }
}

/// Whether requests are running on a connection, and since when not.
#[derive(Debug)]
struct Activity {
    running: AtomicUsize,
    served: AtomicUsize,
    started: Instant,
    /// Milliseconds after `started` at which the last request ended.
    last: AtomicU64,
}

impl Activity {
    fn new() -> Self {
        let zero = || AtomicUsize::new(0);
        Self { running: zero(), served: zero(), started: Instant::now(), last: AtomicU64::new(0) }
    }

    fn touch(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(now, Ordering::Relaxed);
    }

    /// Completes when nothing has run for this long from now on.
    async fn quiet_for(&self, time: Duration) {
        let mut quiet_since = Instant::now();
        while quiet_since.elapsed() < time {
            tokio::time::sleep(time / 4).await;
            if self.running.load(Ordering::Acquire) > 0 {
                quiet_since = Instant::now();
            }
        }
    }

    /// Completes when nothing has run for as long as the limits allow.
    async fn idle(&self, limits: &ListenLimits) {
        loop {
            let first = self.served.load(Ordering::Relaxed) == 0;
            let limit = if first { limits.header_timeout } else { limits.idle_timeout };
            let busy = self.running.load(Ordering::Acquire) > 0;
            let last = self.started + Duration::from_millis(self.last.load(Ordering::Relaxed));
            let deadline = if busy { Instant::now() + limit } else { last + limit };
            if !busy && deadline <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(deadline).await;
        }
    }
}

/// Held while a request runs, including the last byte of its response.
struct RunningRequest(Arc<Activity>);

impl RunningRequest {
    fn start(activity: &Arc<Activity>) -> Self {
        activity.running.fetch_add(1, Ordering::AcqRel);
        activity.served.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(activity))
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.0.touch();
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Passes the requests of one connection to the service.
#[derive(Clone)]
struct RequestHandler {
    state: Arc<ListenerState>,
    peer: Arc<Peer>,
    activity: Arc<Activity>,
    unread: Arc<UnreadResponses>,
    is_upgraded: Arc<AtomicBool>,
}

impl RequestHandler {
    fn new(state: Arc<ListenerState>, peer: Peer) -> Self {
        let activity = Arc::new(Activity::new());
        let (unread, is_upgraded) = (Arc::default(), Arc::default());
        Self { state, peer: Arc::new(peer), activity, unread, is_upgraded }
    }
}

impl hyper::service::Service<Request<Incoming>> for RequestHandler {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<TrackedBody>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let running = RunningRequest::start(&self.activity);
        let (state, peer) = (Arc::clone(&self.state), Arc::clone(&self.peer));
        let is_upgraded = Arc::clone(&self.is_upgraded);
        // HTTP/1.1 has one response at a time: an unread one is noticed at the socket.
        let mark = (request.version() == Version::HTTP_2).then(|| self.unread.mark());
        let answer = async move { state.service.call(request, peer).await };
        Box::pin(async move {
            let response = CatchPanic(Box::pin(answer)).await;
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                is_upgraded.store(true, Ordering::Relaxed);
            }
            Ok(response.map(|body| TrackedBody { body, mark, _running: running }))
        })
    }
}

/// A body whose request counts as running until it is sent.
struct TrackedBody {
    body: Body,
    mark: Option<ResponseMark>,
    _running: RunningRequest,
}

impl http_body::Body for TrackedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Some(mark) = &self.mark {
            match polled {
                Poll::Ready(Some(Ok(_))) => mark.sent(),
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
