//! A connection checked out of the pool, and its return.

use std::hash::Hash;
use std::sync::Arc;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1};

use super::{Pool, WeakPool};
use crate::http_connection::{HttpConnection, Lease, Outgoing, Target};
use crate::{KubeletError, PooledBody};

/// A connection for one exchange.
pub(super) struct Checkout<K> {
    pool: WeakPool<K>,
    key: K,
    generation: u64,
    connection: HttpConnection,
    lease: Option<Lease>,
    was_used: bool,
}

/// An exchange without a response.
pub(super) struct SendFailure {
    pub(super) error: KubeletError,
    /// The request, if it was never sent.
    pub(super) unsent: Option<Request<Outgoing>>,
    /// Whether the connection had been used before and broke before any response: then it was
    /// probably dead already.
    pub(super) was_stale: bool,
}

impl<K: Clone + Eq + Hash + Send + Sync + 'static> Checkout<K> {
    pub(super) fn new(
        pool: &Arc<Pool<K>>,
        key: &K,
        generation: u64,
        connection: HttpConnection,
        lease: Option<Lease>,
        was_used: bool,
    ) -> Self {
        Self {
            pool: Arc::downgrade(pool),
            key: key.clone(),
            generation,
            connection,
            lease,
            was_used,
        }
    }

    pub(super) async fn send(
        self,
        mut request: Request<Outgoing>,
        target: &Target,
    ) -> Result<Response<PooledBody>, SendFailure> {
        target.prepare(&mut request, &self.connection);
        let Self { pool, key, generation, connection, lease, was_used } = self;
        match connection {
            HttpConnection::Http2(http2) => {
                let result = http2.sender().try_send_request(request).await;
                let response = result.map_err(|error| SendFailure::new(error, was_used))?;
                Ok(response.map(|body| PooledBody::new(body, lease)))
            }
            HttpConnection::Http1(mut sender) => {
                let result = sender.try_send_request(request).await;
                let response = result.map_err(|error| SendFailure::new(error, was_used))?;
                return_when_read(pool, key, generation, sender, &response);
                Ok(response.map(|body| PooledBody::new(body, None)))
            }
        }
    }

    /// Returns an unused connection.
    pub(super) fn put_back(self) {
        if let HttpConnection::Http1(sender) = self.connection {
            put_back(&self.pool, &self.key, self.generation, sender);
        }
    }
}

/// Returns a connection when its response has been read; if that never happens, the connection is
/// closed instead.
fn return_when_read<K: Clone + Eq + Hash + Send + Sync + 'static>(
    pool: WeakPool<K>,
    key: K,
    generation: u64,
    mut sender: http1::SendRequest<Outgoing>,
    response: &Response<Incoming>,
) {
    if response.body().is_end_stream() && sender.is_ready() {
        return put_back(&pool, &key, generation, sender);
    }
    tokio::spawn(async move {
        if sender.ready().await.is_ok() {
            put_back(&pool, &key, generation, sender);
        }
    });
}

fn put_back<K: Clone + Eq + Hash + Send + Sync + 'static>(
    pool: &WeakPool<K>,
    key: &K,
    generation: u64,
    sender: http1::SendRequest<Outgoing>,
) {
    let Some(pool) = pool.upgrade() else { return };
    let mut state = pool.lock();
    if state.generation == generation {
        let entry = state.entry(key);
        entry.is_shared = false;
        entry.put_back(sender);
        pool.ensure_sweeper(&mut state);
    }
}

impl SendFailure {
    fn new(mut error: TrySendError<Request<Outgoing>>, was_used: bool) -> Self {
        let unsent = error.take_message();
        let error = error.error();
        let is_broken = error.is_incomplete_message() || error.is_canceled() || error.is_closed();
        let was_stale = was_used && (unsent.is_some() || is_broken || is_io(error));
        Self { error: KubeletError::exchange(error), unsent, was_stale }
    }
}

fn is_io(error: &hyper::Error) -> bool {
    std::error::Error::source(error)
        .and_then(<dyn std::error::Error>::downcast_ref::<std::io::Error>)
        .is_some()
}
