//! Connections that wait for the next request of exactly the peer that they were made for.

mod entry;
mod held;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use http::{Method, Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Empty};
use tokio::sync::{oneshot, watch};

use crate::line::{Line, Outgoing, Target};
use crate::{Connection, KubeletError, PooledBody, Timing};
use entry::Entry;
use held::Held;

/// How many peers are remembered.
const PEERS: usize = 8192;

/// What a dialler brings: a connection, and the generation of the settings it was made with.
pub(crate) struct Dialled {
    pub(crate) connection: Connection,
    pub(crate) generation: u64,
}

/// Connections by peer. `K` must say everything that a connection was verified for.
#[derive(Debug)]
pub(crate) struct Pool<K> {
    state: Mutex<State<K>>,
    timing: Timing,
}

#[derive(Debug)]
struct State<K> {
    generation: u64,
    peers: HashMap<K, Entry>,
    is_swept: bool,
}

/// How a dial ended, for those who wait for it; None while it goes on.
type Ended = Option<Result<(), KubeletError>>;

/// What a request finds.
enum Found<K> {
    Line(Held<K>),
    /// Somebody else dials already, and perhaps there will be room for us too.
    Wait(watch::Receiver<Ended>),
    /// Nobody dials: we do, and tell the others.
    Lead(watch::Sender<Ended>),
    /// Connections to this peer cannot be shared.
    Alone,
}

impl<K: Clone + Eq + Hash + Send + Sync + 'static> Pool<K> {
    pub(crate) fn new(timing: Timing) -> Arc<Self> {
        let state = State { generation: 1, peers: HashMap::new(), is_swept: false };
        Arc::new(Self { state: Mutex::new(state), timing })
    }

    /// Sends a request on a connection of this peer, or on a new one.
    ///
    /// What was sent on a connection that turns out to be dead is sent once more, on a new one, if it cannot have had
    /// an effect.
    pub(crate) async fn send<D, F>(
        self: &Arc<Self>,
        key: &K,
        target: &Target,
        dial: D,
        request: Request<Outgoing>,
    ) -> Result<Response<PooledBody>, KubeletError>
    where
        D: Fn() -> F,
        F: Future<Output = Result<Dialled, KubeletError>> + Send + 'static,
    {
        let copy = copy(&request);
        let held = self.line(key, &dial).await?;
        let failed = match held.send(request, target).await {
            Ok(response) => return Ok(response),
            Err(failed) => failed,
        };
        let again = if failed.was_stale { failed.unsent.or(copy) } else { None };
        let Some(again) = again else { return Err(failed.error) };
        let held = self.dial(key, dial()).await?;
        held.send(again, target).await.map_err(|failed| failed.error)
    }

    /// A connection, from the pool or new.
    async fn line<D, F>(self: &Arc<Self>, key: &K, dial: &D) -> Result<Held<K>, KubeletError>
    where
        D: Fn() -> F,
        F: Future<Output = Result<Dialled, KubeletError>> + Send + 'static,
    {
        loop {
            match self.find(key) {
                Found::Line(held) => return Ok(held),
                Found::Alone => return self.dial(key, dial()).await,
                Found::Lead(tell) => return self.lead(key, dial(), tell).await,
                Found::Wait(mut ended) => {
                    // An Err here means that whoever dialled is gone without a word: look again.
                    if let Ok(ended) = ended.wait_for(Option::is_some).await
                        && let Some(Err(error)) = &*ended
                    {
                        return Err(error.clone());
                    }
                }
            }
        }
    }

    /// Dials for us and for those who wait. It goes on if we are gone, for then the others still wait.
    async fn lead<F>(
        self: &Arc<Self>,
        key: &K,
        dialling: F,
        tell: watch::Sender<Ended>,
    ) -> Result<Held<K>, KubeletError>
    where
        F: Future<Output = Result<Dialled, KubeletError>> + Send + 'static,
    {
        let (give, given) = oneshot::channel();
        let (pool, key) = (Arc::clone(self), key.clone());
        tokio::spawn(async move {
            let dialled = pool.dial(&key, dialling).await;
            tell.send_replace(Some(dialled.as_ref().map(drop).map_err(Clone::clone)));
            if let Err(Ok(held)) = give.send(dialled) {
                held.keep();
            }
        });
        let gone = || KubeletError::Exchange("context canceled".to_owned());
        given.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn dial<F>(self: &Arc<Self>, key: &K, dialling: F) -> Result<Held<K>, KubeletError>
    where
        F: Future<Output = Result<Dialled, KubeletError>> + Send + 'static,
    {
        let Dialled { connection, generation } = dialling.await?;
        let line = Line::open(connection, &self.timing).await?;
        let mut state = self.lock();
        let is_current = state.generation == generation;
        let entry = state.entry(key);
        entry.is_shared = matches!(line, Line::Many(_));
        let lease = match &line {
            Line::Many(many) => {
                let lease = many.lease();
                if is_current {
                    entry.many.push(many.clone());
                }
                lease
            }
            Line::One(_) => None,
        };
        Ok(Held::new(self, key, generation, line, lease, false))
    }

    fn find(self: &Arc<Self>, key: &K) -> Found<K> {
        let mut state = self.lock();
        // Also for a peer that never answers: it is forgotten like the others.
        self.sweep_from_now_on(&mut state);
        let generation = state.generation;
        let entry = state.entry(key);
        entry.used = Instant::now();
        entry.forget_closed();
        if let Some((many, lease)) = entry.many.iter().find_map(|many| Some((many, many.lease()?)))
        {
            let line = Line::Many(many.clone());
            return Found::Line(Held::new(self, key, generation, line, Some(lease), true));
        }
        if let Some(idle) = entry.one.pop() {
            let line = Line::One(idle.sender);
            return Found::Line(Held::new(self, key, generation, line, None, true));
        }
        if !entry.is_shared {
            return Found::Alone;
        }
        match &entry.dialling {
            Some(ended) => Found::Wait(ended.clone()),
            None => {
                let (tell, ended) = watch::channel(None);
                entry.dialling = Some(ended);
                Found::Lead(tell)
            }
        }
    }

    /// Lets go of every connection of an older generation; what is under way on them goes on.
    pub(crate) fn retire(&self, generation: u64) {
        let mut state = self.lock();
        state.generation = generation;
        state.peers.clear();
    }

    fn sweep_from_now_on(self: &Arc<Self>, state: &mut State<K>) {
        if std::mem::replace(&mut state.is_swept, true) {
            return;
        }
        let pool = Arc::downgrade(self);
        let every = (self.timing.idle / 4).max(Duration::from_millis(10));
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(every).await;
                if pool.upgrade().is_none_or(|pool| pool.sweep()) {
                    return;
                }
            }
        });
    }

    /// Drops what nobody used for long; whether nothing is left.
    fn sweep(&self) -> bool {
        let mut state = self.lock();
        state.peers.retain(|_, entry| entry.sweep(self.timing.idle));
        state.is_swept = !state.peers.is_empty();
        !state.is_swept
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
            self.make_room();
        }
        self.peers.entry(key.clone()).or_insert_with(Entry::new)
    }

    /// Forgets the peer that was not asked for longest, those last that are being read from.
    fn make_room(&mut self) {
        let oldest = self.peers.iter().min_by_key(|(_, entry)| (entry.is_busy(), entry.used));
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            self.peers.remove(&key);
        }
    }
}

/// The request again, if it has no body and asks for nothing but an answer.
fn copy(request: &Request<Outgoing>) -> Option<Request<Outgoing>> {
    let harmless = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    if !harmless || !request.body().is_end_stream() {
        return None;
    }
    let mut copy = Request::new(Empty::new().map_err(|never| match never {}).boxed_unsync());
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}

/// A pool that may be gone when a connection comes back to it.
type Home<K> = Weak<Pool<K>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn peers_are_bounded_and_forgotten() {
        let timing = Timing { idle: Duration::from_millis(40), ..Timing::default() };
        let pool = Pool::<usize>::new(timing);
        let begin = Instant::now();
        for key in 0..PEERS + 10 {
            assert!(matches!(pool.find(&key), Found::Lead(_)));
            pool.lock().entry(&key).used = begin + Duration::from_nanos(key as u64);
        }
        assert_eq!(pool.lock().peers.len(), PEERS);
        assert!(!pool.lock().peers.contains_key(&0), "the oldest went first");
        // Whoever would have dialled is gone, so that nothing keeps them.
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
        let Found::Lead(tell) = pool.find(&1) else { panic!("nobody dials yet") };
        assert!(matches!(pool.find(&1), Found::Wait(_)));
        assert!(matches!(pool.find(&2), Found::Lead(_)), "another peer is another matter");
        tell.send_replace(Some(Err(KubeletError::Exchange("EOF".to_owned()))));
        assert!(matches!(pool.find(&1), Found::Lead(_)), "told: the next one tries again");
        assert!(matches!(pool.find(&1), Found::Lead(_)), "gone without a word: the same");
    }
}
