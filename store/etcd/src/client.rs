//! `Client`: calls to whichever member answers, with attempts at the others and a backoff between rounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::config::{ConnectError, EtcdConfig};
use crate::endpoint::Endpoint;
use crate::grpc::{Answers, Connection, RpcError};
use crate::messages::method;
use crate::protobuf::Message;
use crate::tls::ReloadingTls;

/// The waits between attempts, doubled from the first to the last, with up to half of it by chance.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Whether a call may be sent again when it is unknown whether it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It reads, or happens once however often it is sent.
    Safe,
    /// It writes: only a call that was certainly not sent is tried again.
    Unsafe,
}

/// The members of etcd, and a connection to one of them.
pub(crate) struct Client {
    endpoints: Vec<Endpoint>,
    tls: Option<Arc<ReloadingTls>>,
    timeout: Duration,
    /// The member to try next.
    next: AtomicUsize,
    current: Mutex<Option<Connection>>,
}

impl Client {
    pub(crate) fn new(config: &EtcdConfig) -> Result<Self, ConnectError> {
        let endpoints = config.parse_endpoints()?;
        let tls = endpoints.iter().any(|endpoint| endpoint.tls);
        let tls = tls.then(|| ReloadingTls::open(config).map(Arc::new)).transpose()?;
        // Servers that start together do not all choose the same member.
        let next = AtomicUsize::new(fastrand::usize(..endpoints.len().max(1)));
        Ok(Self { endpoints, tls, timeout: config.timeout, next, current: Mutex::new(None) })
    }

    /// A call with one answer. `message` makes the message anew for each attempt.
    pub(crate) async fn call(
        &self,
        method: &'static str,
        repeat: Repeat,
        message: impl Fn() -> Message,
    ) -> Result<Bytes, RpcError> {
        // What can be repeated does not wait long for one member.
        let (all, each) = match repeat {
            Repeat::Safe => (self.timeout / 2, self.timeout / 4),
            Repeat::Unsafe => (self.timeout, self.timeout),
        };
        let deadline = Instant::now() + all;
        let mut backoff = Backoff::default();
        loop {
            let error = match self.connection().await {
                Ok(connection) => match connection.unary(method, message(), each).await {
                    Ok(answer) => return Ok(answer),
                    Err(error) if !error.is_unavailable() => return Err(error),
                    Err(error) => {
                        self.leave(&connection).await;
                        error
                    }
                },
                Err(error) => error,
            };
            let repeatable = repeat == Repeat::Safe || matches!(error, RpcError::NotSent(_));
            let wait = backoff.next_wait();
            if !repeatable || Instant::now() + wait >= deadline {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            // It may be the certificates that no member accepts.
            self.reload_tls().await;
        }
    }

    /// A watch on a connection of its own: a reader that is slow must not hold up the calls of others.
    pub(crate) async fn watch(&self, message: Message) -> Result<Answers, RpcError> {
        let opened = self.dial(self.next.load(Ordering::Relaxed)).await;
        let result = match opened {
            Ok(connection) => connection.stream(method::WATCH, message).await,
            Err(error) => Err(error),
        };
        result.inspect_err(|_| self.advance())
    }

    /// The open connection, or one to the first member that accepts one.
    async fn connection(&self) -> Result<Connection, RpcError> {
        let mut current = self.current.lock().await;
        if let Some(open) = current.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(open.clone());
        }
        let first = self.next.load(Ordering::Relaxed);
        let mut failures = Vec::new();
        for index in 0..self.endpoints.len() {
            match self.dial(first + index).await {
                Ok(connection) => {
                    self.next.store(first + index, Ordering::Relaxed);
                    *current = Some(connection.clone());
                    return Ok(connection);
                }
                Err(error) => failures.push(error.to_string()),
            }
        }
        Err(RpcError::NotSent(failures.join("; ")))
    }

    async fn dial(&self, index: usize) -> Result<Connection, RpcError> {
        let index = index.checked_rem(self.endpoints.len()).unwrap_or_default();
        let endpoint = self.endpoints.get(index);
        let endpoint = endpoint.ok_or_else(|| RpcError::NotSent("no member".to_owned()))?;
        let tls = self.tls.as_ref().map(|tls| tls.get());
        Connection::open(endpoint, tls.as_ref()).await
    }

    /// Reads the files of certificates again. Calls then go over a new connection, watches when theirs ends.
    pub(crate) async fn reload_tls(&self) {
        let Some(tls) = self.tls.clone() else { return };
        let has_changed = tokio::task::spawn_blocking(move || tls.reload()).await;
        if has_changed.unwrap_or_default() {
            *self.current.lock().await = None;
        }
    }

    /// Turns to the next member.
    fn advance(&self) {
        self.next.fetch_add(1, Ordering::Relaxed);
    }

    /// Gives up a connection, unless another call has done so already.
    async fn leave(&self, failed: &Connection) {
        let mut current = self.current.lock().await;
        if current.as_ref().is_some_and(|connection| connection.is_same(failed)) {
            *current = None;
            self.advance();
        }
    }
}

/// Waits that grow from attempt to attempt.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

impl Default for Backoff {
    fn default() -> Self {
        Self(FIRST_WAIT)
    }
}

impl Backoff {
    pub(crate) fn next_wait(&mut self) -> Duration {
        let wait = self.0;
        self.0 = (wait * 2).min(LAST_WAIT);
        wait.mul_f64(1.0 + fastrand::f64() / 2.0)
    }
}
