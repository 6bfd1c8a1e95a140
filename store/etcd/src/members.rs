//! `Members`: the members of etcd, the one to try next, and the open connection to one of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::config::{ConnectError, EtcdConfig};
use crate::endpoint::Endpoint;
use crate::grpc::{Connection, RpcError};
use crate::tls::ReloadingTls;

/// A connection, and the index of the member that it leads to.
#[derive(Clone)]
pub(crate) struct Dialed {
    pub(crate) member: usize,
    pub(crate) connection: Connection,
}

/// The members of etcd, and a connection to one of them.
pub(crate) struct Members {
    endpoints: Vec<Endpoint>,
    tls: Option<Arc<ReloadingTls>>,
    /// The member to try next.
    next: AtomicUsize,
    current: Mutex<Option<Dialed>>,
    /// Held by the one who dials.
    dialing: Arc<tokio::sync::Mutex<()>>,
}

impl Members {
    pub(crate) fn new(config: &EtcdConfig) -> Result<Self, ConnectError> {
        let endpoints = config.parse_endpoints()?;
        let tls = endpoints.iter().any(|endpoint| endpoint.tls);
        let tls = tls.then(|| ReloadingTls::open(config).map(Arc::new)).transpose()?;
        // Servers that start together do not all choose the same member.
        let next = AtomicUsize::new(fastrand::usize(..endpoints.len().max(1)));
        Ok(Self { endpoints, tls, next, current: Mutex::default(), dialing: Arc::default() })
    }

    /// The open connection, or one to the first member that accepts one.
    pub(crate) async fn connection(self: &Arc<Self>) -> Result<Dialed, RpcError> {
        if let Some(open) = self.open() {
            return Ok(open);
        }
        // Who stops waiting here leaves the queue.
        let turn = Arc::clone(&self.dialing).lock_owned().await;
        if let Some(open) = self.open() {
            return Ok(open);
        }
        // It goes on for the others if this caller has no more time: each would begin with the same member again.
        let members = Arc::clone(self);
        let dialed = tokio::spawn(async move {
            let _turn = turn;
            members.dial_any().await
        });
        dialed.await.unwrap_or_else(|why| Err(RpcError::NotSent(why.to_string())))
    }

    fn open(&self) -> Option<Dialed> {
        self.current().clone().filter(|open| !open.connection.is_closed())
    }

    async fn dial_any(&self) -> Result<Dialed, RpcError> {
        let first = self.next.load(Ordering::Relaxed);
        let mut failures = Vec::new();
        for offset in 0..self.endpoints.len() {
            let member = self.index(first + offset);
            match self.dial(member).await {
                Ok(connection) => {
                    let dialed = Dialed { member, connection };
                    self.next.store(member, Ordering::Relaxed);
                    *self.current() = Some(dialed.clone());
                    return Ok(dialed);
                }
                Err(error) => failures.push(error.to_string()),
            }
        }
        Err(RpcError::NotSent(failures.join("; ")))
    }

    /// A connection of its own to the member that is next.
    pub(crate) async fn dial_next(&self) -> Result<Dialed, RpcError> {
        let member = self.next.load(Ordering::Relaxed);
        let dialed = self.dial(member).await.map(|connection| Dialed { member, connection });
        dialed.inspect_err(|_| self.turn_from(member))
    }

    async fn dial(&self, member: usize) -> Result<Connection, RpcError> {
        let endpoint = self.endpoints.get(member);
        let endpoint = endpoint.ok_or_else(|| RpcError::NotSent("no member".to_owned()))?;
        let tls = self.tls.as_ref().map(|tls| tls.get());
        Connection::open(endpoint, tls.as_ref()).await
    }

    /// Turns to the member after this one, unless somebody has done so already: two who fail on the same member must not
    /// pass over the one behind it.
    pub(crate) fn turn_from(&self, member: usize) {
        let after = self.index(member + 1);
        let (seen, unseen) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = self.next.compare_exchange(member, after, seen, unseen);
    }

    fn index(&self, number: usize) -> usize {
        number.checked_rem(self.endpoints.len()).unwrap_or_default()
    }

    /// Gives up a connection, unless another call has done so already.
    pub(crate) fn leave(&self, failed: &Dialed) {
        let mut current = self.current();
        if current.as_ref().is_some_and(|open| open.connection.is_same(&failed.connection)) {
            *current = None;
            self.turn_from(failed.member);
        }
    }

    /// Reads the files of certificates again. Calls then go over a new connection, watches when theirs ends.
    pub(crate) async fn reload_tls(&self) {
        let Some(tls) = self.tls.clone() else { return };
        let has_changed = tokio::task::spawn_blocking(move || tls.reload()).await;
        if has_changed.unwrap_or_default() {
            *self.current() = None;
        }
    }

    fn current(&self) -> MutexGuard<'_, Option<Dialed>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
