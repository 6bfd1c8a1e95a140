//! HTTP connections: HTTP/1.1 with one exchange at a time, and HTTP/2 with many.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::HOST;
use http::uri::{Authority, PathAndQuery, Scheme, Uri};
use http::{HeaderValue, Request, Version};
use http_body_util::combinators::UnsyncBoxBody;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};

use crate::{Connection, KubeletError, Timing};

/// The body of a request.
pub(crate) type Outgoing = UnsyncBoxBody<Bytes, BoxError>;
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The maximum number of streams on one connection, which is the limit of kubelets.
const STREAMS: usize = 250;
/// The flow control window of a stream.
const STREAM_WINDOW: u32 = 256 * 1024;
/// The sum of all stream windows, so that stalled readers never block the others.
const CONNECTION_WINDOW: u32 = STREAM_WINDOW * STREAMS as u32;
const FRAME: u32 = 64 * 1024;
/// The read buffer of an HTTP/1.1 connection.
const BUFFER: usize = 128 * 1024;

/// A connection that carries requests.
#[derive(Debug)]
pub(crate) enum HttpConnection {
    /// One exchange at a time.
    Http1(http1::SendRequest<Outgoing>),
    /// Many concurrent exchanges.
    Http2(Http2),
}

impl HttpConnection {
    /// Performs the HTTP handshake.
    pub(crate) async fn open(
        connection: Connection,
        timing: &Timing,
    ) -> Result<Self, KubeletError> {
        let exchange_error = |error: hyper::Error| KubeletError::exchange(&error);
        if connection.is_http2() {
            return Http2::open(connection, timing).await.map(Self::Http2).map_err(exchange_error);
        }
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(BUFFER)
            .handshake(TokioIo::new(connection))
            .await
            .map_err(exchange_error)?;
        // The task ends with its sender; the exchange gets its error.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Self::Http1(sender))
    }
}

/// An HTTP/2 connection.
#[derive(Clone, Debug)]
pub(crate) struct Http2 {
    sender: http2::SendRequest<Outgoing>,
    load: Arc<Load>,
}

/// The number of streams, and their limit.
#[derive(Debug)]
struct Load {
    streams: AtomicUsize,
    max_streams: AtomicUsize,
    idle_since: Mutex<Instant>,
}

impl Http2 {
    async fn open(connection: Connection, timing: &Timing) -> Result<Self, hyper::Error> {
        let (sender, mut connection) = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_frame_size(FRAME)
            .keep_alive_interval(timing.ping)
            .keep_alive_timeout(timing.ping_answer)
            .keep_alive_while_idle(true)
            .handshake(TokioIo::new(connection))
            .await?;
        let load = Arc::new(Load {
            streams: AtomicUsize::new(0),
            max_streams: AtomicUsize::new(connection.current_max_send_streams().min(STREAMS)),
            idle_since: Mutex::new(Instant::now()),
        });
        let shared_load = Arc::clone(&load);
        // The task ends with its senders and streams. Only the driver of the connection knows how
        // many streams the peer allows; a request above that number would wait for the end of
        // another.
        tokio::spawn(poll_fn(move |cx| {
            let done = Pin::new(&mut connection).poll(cx).map(drop);
            if done.is_pending() {
                let max_streams = connection.current_max_send_streams().min(STREAMS);
                shared_load.max_streams.store(max_streams, Ordering::Relaxed);
            }
            done
        }));
        Ok(Self { sender, load })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Whether the connection has been idle for this long.
    pub(crate) fn is_idle_for(&self, idle: Duration) -> bool {
        let since = self.load.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        !self.is_busy() && since.elapsed() >= idle
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.load.streams.load(Ordering::Relaxed) > 0
    }

    /// A stream slot, if there is a free one.
    pub(crate) fn lease(&self) -> Option<Lease> {
        let max_streams = self.load.max_streams.load(Ordering::Relaxed);
        let one_more = |streams: usize| (streams < max_streams).then_some(streams + 1);
        let slot = self.load.streams.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        slot.is_ok().then(|| Lease(Arc::clone(&self.load)))
    }

    pub(crate) fn sender(&self) -> http2::SendRequest<Outgoing> {
        self.sender.clone()
    }
}

/// A stream slot on a connection, released on drop.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Load>);

impl Drop for Lease {
    fn drop(&mut self) {
        *self.0.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The scheme and authority of requests to one peer.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    scheme: Scheme,
    authority: Authority,
    host: HeaderValue,
}

impl Target {
    pub(crate) fn new(scheme: Scheme, authority: &str) -> Result<Self, KubeletError> {
        let invalid = || {
            KubeletError::Exchange(format!("parse {authority:?}: invalid character in host name"))
        };
        Ok(Self {
            scheme,
            host: HeaderValue::from_str(authority).map_err(|_| invalid())?,
            authority: authority.parse().map_err(|_| invalid())?,
        })
    }

    /// Prepares a request for the version of the connection. Its own Host header stays: a backend
    /// behind a proxy builds links from it.
    pub(crate) fn prepare(&self, request: &mut Request<Outgoing>, connection: &HttpConnection) {
        let path = request.uri().path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        match connection {
            HttpConnection::Http1(_) => {
                *request.version_mut() = Version::HTTP_11;
                *request.uri_mut() = Uri::from(path);
                request.headers_mut().entry(HOST).or_insert_with(|| self.host.clone());
            }
            HttpConnection::Http2(_) => {
                *request.version_mut() = Version::HTTP_2;
                let own_host = request.headers_mut().remove(HOST);
                let own_host = own_host.and_then(|host| Authority::try_from(host.as_bytes()).ok());
                let absolute = Uri::builder()
                    .scheme(self.scheme.clone())
                    .authority(own_host.unwrap_or_else(|| self.authority.clone()))
                    .path_and_query(path)
                    .build();
                if let Ok(absolute) = absolute {
                    *request.uri_mut() = absolute;
                }
            }
        }
    }
}
