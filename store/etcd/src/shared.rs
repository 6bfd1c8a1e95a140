//! What a store and its watches share: the client, the keys and the state of health.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use ratchet_store::{Health, Revision, State, StoreError};
use tokio::sync::{Notify, watch};

use crate::client::{Client, Repeat};
use crate::grpc::RpcError;
use crate::keys::KeyMap;
use crate::messages::{self, KeyRange, RangeResponse, WatchResponse, method};
use crate::protobuf::{Malformed, Message};

/// The first revision of etcd: that of the empty store, which the contract calls 0.
const FIRST: u64 = 1;

/// etcd's words for the errors that mean something to the store.
const COMPACTED: &str = "etcdserver: mvcc: required revision has been compacted";
const FUTURE: &str = "etcdserver: mvcc: required revision is a future revision";
const NO_SPACE: &str = "etcdserver: mvcc: database space exceeded";
/// What clients of kube-apiserver know as the refusal of a request above `--max-request-bytes`.
const TOO_LARGE: &str = "etcdserver: request is too large";
/// The lease of a put has expired.
pub(crate) const NO_LEASE: &str = "etcdserver: requested lease not found";

/// The state of a store.
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) keys: KeyMap,
    /// Why nothing can be read or written at the moment.
    away: Mutex<Option<String>>,
    /// Why nothing can be written though it can be read.
    full: Mutex<Option<String>>,
    failures: AtomicU64,
    /// The latest revision that a watch has seen.
    pub(crate) watched: watch::Sender<u64>,
    /// The number of watches whose reader is slow.
    pub(crate) blocked: AtomicU64,
    /// Whether a write is under way that only lets watches make progress.
    pub(crate) nudging: AtomicBool,
    /// The latest revision of a write of our own, of which watches are to hear.
    pub(crate) written: AtomicU64,
    /// Told when watches hear nothing of it.
    pub(crate) stalled: Notify,
}

/// The store's revision of an etcd revision.
pub(crate) fn from_etcd(revision: u64) -> Revision {
    Revision(revision.saturating_sub(FIRST))
}

/// The etcd revision of a store's revision.
pub(crate) fn to_etcd(revision: Revision) -> u64 {
    revision.0.saturating_add(FIRST)
}

impl Shared {
    pub(crate) fn new(client: Client, keys: KeyMap) -> Self {
        Self {
            client,
            keys,
            away: Mutex::default(),
            full: Mutex::default(),
            failures: AtomicU64::new(0),
            watched: watch::Sender::new(0),
            blocked: AtomicU64::new(0),
            nudging: AtomicBool::new(false),
            written: AtomicU64::new(0),
            stalled: Notify::new(),
        }
    }

    /// A call, whose result tells of the health of etcd.
    pub(crate) async fn call<T>(
        &self,
        method: &'static str,
        repeat: Repeat,
        message: impl Fn() -> Message,
        parse: impl FnOnce(Bytes) -> Result<T, Malformed>,
    ) -> Result<T, RpcError> {
        let result = self.client.call(method, repeat, message).await;
        self.note(&result);
        parse(result?).map_err(|_| RpcError::Lost("a message that is not etcd's".to_owned()))
    }

    fn note(&self, result: &Result<Bytes, RpcError>) {
        let away = match result {
            Err(error) if error.is_unavailable() => Some(unavailable_text(error)),
            _ => None,
        };
        let full = match result {
            Err(RpcError::Status { message, .. }) if message == NO_SPACE => Some(full_text()),
            _ => None,
        };
        if away.is_some() || full.is_some() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        set(&self.away, away);
        // What takes no room may succeed all the same: only the alarm itself tells when it is over.
        if full.is_some() {
            set(&self.full, full);
        }
    }

    /// Notices that etcd has room again. Alarms are asked for only while there is one, for each question is an entry of
    /// etcd's log.
    pub(crate) async fn check_alarm(&self) {
        if self.full.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
            return;
        }
        let message = Message::default;
        let is_full = self.call(method::ALARM, Repeat::Safe, message, messages::parse_no_space);
        if let Ok(false) = is_full.await {
            set(&self.full, None);
        }
    }

    pub(crate) fn health(&self) -> Health {
        let get = |text: &Mutex<Option<String>>| {
            text.lock().unwrap_or_else(PoisonError::into_inner).clone()
        };
        let state = match (get(&self.away), get(&self.full)) {
            (Some(why), _) => State::Broken(why),
            (None, Some(why)) => State::Full(why),
            (None, None) => State::Sound,
        };
        Health { state, failures: self.failures.load(Ordering::Relaxed) }
    }

    /// Reads keys.
    pub(crate) async fn range(
        &self,
        keys: &KeyRange,
        limit: u64,
        at: Option<Revision>,
    ) -> Result<RangeResponse, StoreError> {
        let revision = at.map_or(0, to_etcd);
        let message = || messages::range(keys, limit, revision);
        match self.call(method::RANGE, Repeat::Safe, message, RangeResponse::parse).await {
            Ok(found) => Ok(found),
            Err(error) => Err(self.explain(error).await),
        }
    }

    /// The latest revision of etcd.
    pub(crate) async fn latest(&self) -> Result<Revision, StoreError> {
        let keys = KeyRange::one(self.keys.own("nothing"));
        let message = || messages::count(&keys);
        let found = self.call(method::RANGE, Repeat::Safe, message, RangeResponse::parse).await;
        found.map(|found| from_etcd(found.revision)).map_err(|error| failure(&error))
    }

    /// Fails if etcd has compacted a revision, or has not reached it.
    pub(crate) async fn check_revision(&self, revision: Revision) -> Result<(), StoreError> {
        let keys = KeyRange::one(self.keys.own("nothing"));
        self.range(&keys, 1, Some(revision)).await.map(drop)
    }

    /// The oldest revision that is kept: a watch of what is forgotten tells it.
    pub(crate) async fn oldest(&self) -> Result<Revision, StoreError> {
        let keys = KeyRange::one(self.keys.own("nothing"));
        let mut answers = self
            .client
            .watch(messages::watch_create(&keys, FIRST, false))
            .await
            .map_err(|error| failure(&error))?
            .answers;
        while let Some(answer) = answers.next().await.map_err(|error| failure(&error))? {
            let answer = WatchResponse::parse(answer)
                .map_err(|_| StoreError::Broken("a message that is not etcd's".to_owned()))?;
            if answer.compact_revision > 0 {
                return Ok(from_etcd(answer.compact_revision));
            }
            if !answer.created || answer.canceled {
                break;
            }
        }
        Ok(Revision(0))
    }

    /// The store's error for an error of etcd.
    pub(crate) async fn explain(&self, error: RpcError) -> StoreError {
        let RpcError::Status { message, .. } = &error else { return failure(&error) };
        let explained = match message.as_str() {
            COMPACTED => self.oldest().await.map(|oldest| StoreError::Compacted { oldest }),
            FUTURE => self.latest().await.map(|latest| StoreError::Future { latest }),
            NO_SPACE => Ok(StoreError::Quota(full_text())),
            _ if error.is_too_large() => Ok(StoreError::TooLarge(TOO_LARGE.to_owned())),
            _ => Ok(failure(&error)),
        };
        explained.unwrap_or_else(|error| error)
    }
}

fn set(slot: &Mutex<Option<String>>, value: Option<String>) {
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = value;
}

fn unavailable_text(error: &RpcError) -> String {
    format!("etcd does not answer ({error}): look at its members and the network")
}

fn full_text() -> String {
    "etcd has raised the alarm NOSPACE (mvcc: database space exceeded): nothing was written, and reads go on; \
     compact and defragment etcd, or raise its --quota-backend-bytes, then disarm the alarm (etcdctl alarm disarm)"
        .to_owned()
}

/// An error that is none of the contract's.
pub(crate) fn failure(error: &RpcError) -> StoreError {
    StoreError::Broken(match error {
        RpcError::Status { message, .. } if !error.is_unavailable() => {
            format!("etcd refuses: {message}")
        }
        _ => unavailable_text(error),
    })
}
