//! Connection pool: idle connections wait for the next request to exactly the peer they were
//! verified for.

mod checkout;
mod entry;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use http::{Method, Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Empty};
use tokio::sync::{oneshot, watch};

use crate::http_connection::{HttpConnection, Outgoing, Target};
use crate::{Connection, KubeletError, PooledBody, Timing};
use checkout::Checkout;
use entry::Entry;

/// The maximum number of tracked peers.
const PEERS: usize = 8192;

/// A new connection, and the generation of the TLS configuration it was made with.
pub(crate) struct DialedConnection {
    pub(crate) connection: Connection,
    pub(crate) generation: u64,
}

/// Connections by peer. `K` must contain everything that a connection was verified for.
#[derive(Debug)]
pub(crate) struct Pool<K> {
    state: Mutex<State<K>>,
    timing: Timing,
}

#[derive(Debug)]
struct State<K> {
    generation: u64,
    peers: HashMap<K, Entry>,
    sweeper_runs: bool,
}

/// The result of a dial, for those who wait for it; `None` while it is in progress.
type DialResult = Option<Result<(), KubeletError>>;

/// What the pool has for a request.
enum Lookup<K> {
    Pooled(Checkout<K>),
    /// Another request dials already, and there may be a slot for this one too.
    Wait(watch::Receiver<DialResult>),
    /// Nobody dials: this request does, and publishes the result.
    Lead(watch::Sender<DialResult>),
    /// Connections to this peer cannot be shared.
    Unshared,
}

impl<K: Clone + Eq + Hash + Send + Sync + 'static> Pool<K> {
    pub(crate) fn new(timing: Timing) -> Arc<Self> {
        let state = State { generation: 1, peers: HashMap::new(), sweeper_runs: false };
        Arc::new(Self { state: Mutex::new(state), timing })
    }

    /// Sends a request on a connection to this peer, or on a new one.
    ///
    /// A request on a connection that turns out to be dead is sent once more, on a new one, if it
    /// cannot have had an effect.
    pub(crate) async fn send<D, F>(
        self: &Arc<Self>,
        key: &K,
        target: &Target,
        dial: D,
        request: Request<Outgoing>,
    ) -> Result<Response<PooledBody>, KubeletError>
    where
        D: Fn() -> F,
        F: Future<Output = Result<DialedConnection, KubeletError>> + Send + 'static,
    {
        let copy = copy(&request);
        let checkout = self.connection(key, &dial).await?;
        let failure = match checkout.send(request, target).await {
            Ok(response) => return Ok(response),
            Err(failure) => failure,
        };
        let retry = if failure.was_stale { failure.unsent.or(copy) } else { None };
        let Some(retry) = retry else { return Err(failure.error) };
        let checkout = self.dial(key, dial()).await?;
        checkout.send(retry, target).await.map_err(|failure| failure.error)
    }

    /// A connection, from the pool or new.
    async fn connection<D, F>(
        self: &Arc<Self>,
        key: &K,
        dial: &D,
    ) -> Result<Checkout<K>, KubeletError>
    where
        D: Fn() -> F,
        F: Future<Output = Result<DialedConnection, KubeletError>> + Send + 'static,
    {
        loop {
            match self.lookup(key) {
                Lookup::Pooled(checkout) => return Ok(checkout),
                Lookup::Unshared => return self.dial(key, dial()).await,
                Lookup::Lead(publish) => return self.lead(key, dial(), publish).await,
                Lookup::Wait(mut result) => {
                    // An `Err` means that the dialing request is gone without a result: look again.
                    if let Ok(result) = result.wait_for(Option::is_some).await
                        && let Some(Err(error)) = &*result
                    {
                        return Err(error.clone());
                    }
                }
            }
        }
    }

    /// Dials for this request and for those who wait. The dial continues if this request is gone,
    /// for the others still wait.
    async fn lead<F>(
        self: &Arc<Self>,
        key: &K,
        dialing: F,
        publish: watch::Sender<DialResult>,
    ) -> Result<Checkout<K>, KubeletError>
    where
        F: Future<Output = Result<DialedConnection, KubeletError>> + Send + 'static,
    {
        let (send_result, result) = oneshot::channel();
        let (pool, key) = (Arc::clone(self), key.clone());
        tokio::spawn(async move {
            let dialed = pool.dial(&key, dialing).await;
            publish.send_replace(Some(dialed.as_ref().map(drop).map_err(Clone::clone)));
            if let Err(Ok(checkout)) = send_result.send(dialed) {
                checkout.put_back();
            }
        });
        let canceled = || KubeletError::Exchange("context canceled".to_owned());
        result.await.unwrap_or_else(|_| Err(canceled()))
    }

    async fn dial<F>(self: &Arc<Self>, key: &K, dialing: F) -> Result<Checkout<K>, KubeletError>
    where
        F: Future<Output = Result<DialedConnection, KubeletError>> + Send + 'static,
    {
        let DialedConnection { connection, generation } = dialing.await?;
        let connection = HttpConnection::open(connection, &self.timing).await?;
        let mut state = self.lock();
        let is_current = state.generation == generation;
        let entry = state.entry(key);
        entry.is_shared = matches!(connection, HttpConnection::Http2(_));
        let lease = match &connection {
            HttpConnection::Http2(http2) => {
                let lease = http2.lease();
                if is_current {
                    entry.http2.push(http2.clone());
                }
                lease
            }
            HttpConnection::Http1(_) => None,
        };
        Ok(Checkout::new(self, key, generation, connection, lease, false))
    }

    fn lookup(self: &Arc<Self>, key: &K) -> Lookup<K> {
        let mut state = self.lock();
        // Also for a peer that never responds: it is evicted like the others.
        self.ensure_sweeper(&mut state);
        let generation = state.generation;
        let entry = state.entry(key);
        entry.used = Instant::now();
        entry.remove_closed();
        if let Some((http2, lease)) =
            entry.http2.iter().find_map(|http2| Some((http2, http2.lease()?)))
        {
            let connection = HttpConnection::Http2(http2.clone());
            return Lookup::Pooled(Checkout::new(
                self,
                key,
                generation,
                connection,
                Some(lease),
                true,
            ));
        }
        if let Some(idle) = entry.http1.pop() {
            let connection = HttpConnection::Http1(idle.sender);
            return Lookup::Pooled(Checkout::new(self, key, generation, connection, None, true));
        }
        if !entry.is_shared {
            return Lookup::Unshared;
        }
        match &entry.dialing {
            Some(result) => Lookup::Wait(result.clone()),
            None => {
                let (publish, result) = watch::channel(None);
                entry.dialing = Some(result);
                Lookup::Lead(publish)
            }
        }
    }

    /// Drops all connections of older generations; exchanges in progress continue.
    pub(crate) fn retire(&self, generation: u64) {
        let mut state = self.lock();
        state.generation = generation;
        state.peers.clear();
    }

    fn ensure_sweeper(self: &Arc<Self>, state: &mut State<K>) {
        if std::mem::replace(&mut state.sweeper_runs, true) {
            return;
        }
        let pool = Arc::downgrade(self);
        let interval = (self.timing.idle / 4).max(Duration::from_millis(10));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(interval).await;
                if pool.upgrade().is_none_or(|pool| pool.sweep()) {
                    return;
                }
            }
        });
    }

    /// Drops unused connections, and returns whether none is left.
    fn sweep(&self) -> bool {
        let mut state = self.lock();
        state.peers.retain(|_, entry| entry.sweep(self.timing.idle));
        state.sweeper_runs = !state.peers.is_empty();
        !state.sweeper_runs
    }
}

impl<K> Pool<K> {
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Clone + Eq + Hash> State<K> {
    fn entry(&mut self, key: &K) -> &mut Entry {
        if self.peers.len() >= PEERS && !self.peers.contains_key(key) {
            self.evict_oldest();
        }
        self.peers.entry(key.clone()).or_insert_with(Entry::new)
    }

    /// Evicts the least recently used peer, busy ones last.
    fn evict_oldest(&mut self) {
        let oldest = self.peers.iter().min_by_key(|(_, entry)| (entry.is_busy(), entry.used));
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            self.peers.remove(&key);
        }
    }
}

/// A copy of the request, if it has no body and a safe method.
fn copy(request: &Request<Outgoing>) -> Option<Request<Outgoing>> {
    let is_safe = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    if !is_safe || !request.body().is_end_stream() {
        return None;
    }
    let mut copy = Request::new(Empty::new().map_err(|never| match never {}).boxed_unsync());
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}

/// A pool that may be gone when a connection is returned to it.
type WeakPool<K> = Weak<Pool<K>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn peers_are_bounded_and_forgotten() {
        let timing = Timing { idle: Duration::from_millis(40), ..Timing::default() };
        let pool = Pool::<usize>::new(timing);
        let begin = Instant::now();
        for key in 0..PEERS + 10 {
            assert!(matches!(pool.lookup(&key), Lookup::Lead(_)));
            pool.lock().entry(&key).used = begin + Duration::from_nanos(key as u64);
        }
        assert_eq!(pool.lock().peers.len(), PEERS);
        assert!(!pool.lock().peers.contains_key(&0), "the oldest went first");
        // The dialing requests are gone, so that nothing retains the peers.
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            if pool.lock().peers.is_empty() {
                return;
            }
        }
        panic!("{} peers are left", pool.lock().peers.len());
    }

    #[tokio::test]
    async fn one_dials_and_the_others_wait_until_it_is_told() {
        let pool = Pool::<usize>::new(Timing::default());
        let Lookup::Lead(publish) = pool.lookup(&1) else { panic!("nobody dials yet") };
        assert!(matches!(pool.lookup(&1), Lookup::Wait(_)));
        assert!(matches!(pool.lookup(&2), Lookup::Lead(_)), "another peer is another matter");
        publish.send_replace(Some(Err(KubeletError::Exchange("EOF".to_owned()))));
        assert!(matches!(pool.lookup(&1), Lookup::Lead(_)), "told: the next one tries again");
        assert!(matches!(pool.lookup(&1), Lookup::Lead(_)), "gone without a word: the same");
    }
}
