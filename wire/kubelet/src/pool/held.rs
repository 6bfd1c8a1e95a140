//! A connection in somebody's hands, and its way back into the pool.

use std::hash::Hash;
use std::sync::Arc;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::client::conn::{TrySendError, http1};

use super::{Home, Pool};
use crate::line::{Lease, Line, Outgoing, Target};
use crate::{KubeletError, PooledBody};

/// A connection for one exchange.
pub(super) struct Held<K> {
    home: Home<K>,
    key: K,
    generation: u64,
    line: Line,
    lease: Option<Lease>,
    was_used: bool,
}

/// An exchange without an answer.
pub(super) struct Failed {
    pub(super) error: KubeletError,
    /// The request, if it never left.
    pub(super) unsent: Option<Request<Outgoing>>,
    /// Whether the connection had been used before and broke before any answer: then it was probably dead already.
    pub(super) was_stale: bool,
}

impl<K: Clone + Eq + Hash + Send + Sync + 'static> Held<K> {
    pub(super) fn new(
        home: &Arc<Pool<K>>,
        key: &K,
        generation: u64,
        line: Line,
        lease: Option<Lease>,
        was_used: bool,
    ) -> Self {
        Self { home: Arc::downgrade(home), key: key.clone(), generation, line, lease, was_used }
    }

    pub(super) async fn send(
        self,
        mut request: Request<Outgoing>,
        target: &Target,
    ) -> Result<Response<PooledBody>, Failed> {
        target.address(&mut request, &self.line);
        let Self { home, key, generation, line, lease, was_used } = self;
        match line {
            Line::Many(many) => {
                let sent = many.sender().try_send_request(request).await;
                let response = sent.map_err(|error| Failed::new(error, was_used))?;
                Ok(response.map(|body| PooledBody::new(body, lease)))
            }
            Line::One(mut sender) => {
                let sent = sender.try_send_request(request).await;
                let response = sent.map_err(|error| Failed::new(error, was_used))?;
                come_back(home, key, generation, sender, &response);
                Ok(response.map(|body| PooledBody::new(body, None)))
            }
        }
    }

    /// Puts back what was not used after all.
    pub(super) fn keep(self) {
        if let Line::One(sender) = self.line {
            keep(&self.home, &self.key, self.generation, sender);
        }
    }
}

/// Puts a connection back when its answer has been read; if it is not read to its end, the connection ends instead.
fn come_back<K: Clone + Eq + Hash + Send + Sync + 'static>(
    home: Home<K>,
    key: K,
    generation: u64,
    mut sender: http1::SendRequest<Outgoing>,
    response: &Response<Incoming>,
) {
    if response.body().is_end_stream() && sender.is_ready() {
        return keep(&home, &key, generation, sender);
    }
    tokio::spawn(async move {
        if sender.ready().await.is_ok() {
            keep(&home, &key, generation, sender);
        }
    });
}

fn keep<K: Clone + Eq + Hash + Send + Sync + 'static>(
    home: &Home<K>,
    key: &K,
    generation: u64,
    sender: http1::SendRequest<Outgoing>,
) {
    let Some(pool) = home.upgrade() else { return };
    let mut state = pool.lock();
    if state.generation == generation {
        let entry = state.entry(key);
        entry.is_shared = false;
        entry.keep(sender);
        pool.sweep_from_now_on(&mut state);
    }
}

impl Failed {
    fn new(mut failed: TrySendError<Request<Outgoing>>, was_used: bool) -> Self {
        let unsent = failed.take_message();
        let error = failed.error();
        let broke = error.is_incomplete_message() || error.is_canceled() || error.is_closed();
        let was_stale = was_used && (unsent.is_some() || broke || is_io(error));
        Self { error: KubeletError::exchange(error), unsent, was_stale }
    }
}

fn is_io(error: &hyper::Error) -> bool {
    std::error::Error::source(error)
        .and_then(<dyn std::error::Error>::downcast_ref::<std::io::Error>)
        .is_some()
}
