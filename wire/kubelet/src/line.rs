//! A connection that speaks HTTP: one exchange at a time, or many.

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

/// What is sent.
pub(crate) type Outgoing = UnsyncBoxBody<Bytes, BoxError>;
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The most streams on one connection, as many as kubelets allow.
const STREAMS: usize = 250;
/// What may be on its way on one stream before its reader takes it.
const STREAM_WINDOW: u32 = 256 * 1024;
/// As much for every stream, so that readers who stand still never hold up the others.
const CONNECTION_WINDOW: u32 = STREAM_WINDOW * STREAMS as u32;
const FRAME: u32 = 64 * 1024;
/// The most that is read ahead on a connection of one exchange.
const BUFFER: usize = 128 * 1024;

/// A connection that carries requests.
#[derive(Debug)]
pub(crate) enum Line {
    /// HTTP/1.1.
    One(http1::SendRequest<Outgoing>),
    /// HTTP/2.
    Many(Many),
}

impl Line {
    /// Begins to speak HTTP.
    pub(crate) async fn open(
        connection: Connection,
        timing: &Timing,
    ) -> Result<Self, KubeletError> {
        let told = |error: hyper::Error| KubeletError::exchange(&error);
        if connection.speaks_http2() {
            return Many::open(connection, timing).await.map(Self::Many).map_err(told);
        }
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(BUFFER)
            .handshake(TokioIo::new(connection))
            .await
            .map_err(told)?;
        // It ends with its sender; what it fails with, the exchange is told.
        tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Self::One(sender))
    }
}

/// A connection of many exchanges.
#[derive(Clone, Debug)]
pub(crate) struct Many {
    sender: http2::SendRequest<Outgoing>,
    load: Arc<Load>,
}

/// How many streams there are and may be.
#[derive(Debug)]
struct Load {
    streams: AtomicUsize,
    most: AtomicUsize,
    idle_since: Mutex<Instant>,
}

impl Many {
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
            most: AtomicUsize::new(connection.current_max_send_streams().min(STREAMS)),
            idle_since: Mutex::new(Instant::now()),
        });
        let watched = Arc::clone(&load);
        // It ends with its senders and streams. How many streams the other side allows is known only to the one who
        // drives the connection; a request above that number would wait for another's end.
        tokio::spawn(poll_fn(move |cx| {
            let done = Pin::new(&mut connection).poll(cx).map(drop);
            if done.is_pending() {
                let most = connection.current_max_send_streams().min(STREAMS);
                watched.most.store(most, Ordering::Relaxed);
            }
            done
        }));
        Ok(Self { sender, load })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Whether nothing has gone over it for so long.
    pub(crate) fn is_idle_for(&self, idle: Duration) -> bool {
        let since = self.load.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
        !self.is_busy() && since.elapsed() >= idle
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.load.streams.load(Ordering::Relaxed) > 0
    }

    /// A place on it, if there is one.
    pub(crate) fn lease(&self) -> Option<Lease> {
        let most = self.load.most.load(Ordering::Relaxed);
        let one_more = |streams: usize| (streams < most).then_some(streams + 1);
        let got = self.load.streams.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
        got.is_ok().then(|| Lease(Arc::clone(&self.load)))
    }

    pub(crate) fn sender(&self) -> http2::SendRequest<Outgoing> {
        self.sender.clone()
    }
}

/// One stream's place on a connection.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Load>);

impl Drop for Lease {
    fn drop(&mut self) {
        *self.0.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where requests go, as they themselves say it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    scheme: Scheme,
    authority: Authority,
    host: HeaderValue,
}

impl Target {
    pub(crate) fn new(scheme: Scheme, authority: &str) -> Result<Self, KubeletError> {
        let bad = || {
            KubeletError::Exchange(format!("parse {authority:?}: invalid character in host name"))
        };
        Ok(Self {
            scheme,
            host: HeaderValue::from_str(authority).map_err(|_| bad())?,
            authority: authority.parse().map_err(|_| bad())?,
        })
    }

    /// Makes a request fit for this sort of connection. A host that it names itself stays: whoever is asked through a
    /// proxy makes links of it.
    pub(crate) fn address(&self, request: &mut Request<Outgoing>, line: &Line) {
        let path = request.uri().path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        match line {
            Line::One(_) => {
                *request.version_mut() = Version::HTTP_11;
                *request.uri_mut() = Uri::from(path);
                request.headers_mut().entry(HOST).or_insert_with(|| self.host.clone());
            }
            Line::Many(_) => {
                *request.version_mut() = Version::HTTP_2;
                let named = request.headers_mut().remove(HOST);
                let named = named.and_then(|host| Authority::try_from(host.as_bytes()).ok());
                let whole = Uri::builder()
                    .scheme(self.scheme.clone())
                    .authority(named.unwrap_or_else(|| self.authority.clone()))
                    .path_and_query(path)
                    .build();
                if let Ok(whole) = whole {
                    *request.uri_mut() = whole;
                }
            }
        }
    }
}
