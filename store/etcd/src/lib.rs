//! Store on etcd, for several servers: one etcd is one store, whoever writes to it.
//!
//! A commit is a transaction, a guard a comparison in it, a time to live a lease. Revision 0 of the store is etcd's
//! revision 1, that of an empty etcd. Everything lies below one prefix; what others write outside of it counts as
//! revisions, but not as events.
//!
//! ```no_run
//! use ratchet_etcd::{EtcdConfig, EtcdStore};
//! use ratchet_store::{Guard, Store, Write};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let store = EtcdStore::connect(EtcdConfig::new(["http://127.0.0.1:2379"])).await?;
//! store.commit(vec![Write::put("/registry/pods/web", Guard::Absent, "{}")]).await?;
//! assert!(store.get("/registry/pods/web").await?.is_some());
//! # Ok(())
//! # }
//! ```

mod client;
mod config;
mod endpoint;
mod expiring;
mod grpc;
mod keys;
mod latest;
mod leases;
mod members;
mod messages;
mod progress;
mod protobuf;
mod reads;
mod records;
mod shared;
mod tls;
mod turns;
mod txn;
mod watcher;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ratchet_store::{
    Answer, Commit, Expiring, Health, Page, PastBatch, Query, Record, Revision, Store, StoreError,
    Watch, Write,
};
use tokio::task::JoinHandle;

pub use config::{ConnectError, EtcdConfig};

use client::{Client, Repeat};
use grpc::RpcError;
use keys::KeyMap;
use latest::Latest;
use leases::Leases;
use messages::{KeyRange, TxnResponse, method};
use records::record;
use shared::{NO_LEASE, Shared, failure, to_etcd};
use turns::Turns;
use txn::Transaction;
use watcher::Watcher;

/// The interval at which etcd is asked whether it is there.
const PROBE: Duration = Duration::from_secs(1);
/// The time that a read of the past waits for events before it asks for a sign of progress.
const PAST_PATIENCE: Duration = Duration::from_millis(500);

/// A store on etcd.
pub struct EtcdStore {
    shared: Arc<Shared>,
    latest: Latest,
    leases: Arc<Leases>,
    turns: Turns,
    tasks: [JoinHandle<()>; 2],
}

impl EtcdStore {
    /// Connects to the first member that answers; fails if none does in time.
    ///
    /// Must be called on a Tokio runtime, which the store needs as long as it is used.
    pub async fn connect(config: EtcdConfig) -> Result<Self, ConnectError> {
        let keys = KeyMap::new(&config.root, &config.prefix);
        let shared = Arc::new(Shared::new(Client::new(&config)?, keys));
        shared.latest().await?;
        let probed = Arc::clone(&shared);
        let probe = tokio::spawn(async move {
            loop {
                tokio::time::sleep(PROBE).await;
                probed.client.members.reload_tls().await;
                // The result is noted where the call is made.
                let _ = probed.latest().await;
                probed.check_alarm().await;
            }
        });
        let tasks = [probe, tokio::spawn(progress::look_after_watches(Arc::clone(&shared)))];
        let latest = Latest::new(Arc::clone(&shared));
        Ok(Self { latest, leases: Arc::default(), turns: Turns::default(), tasks, shared })
    }
}

impl Drop for EtcdStore {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl fmt::Debug for EtcdStore {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("EtcdStore").field("health", &self.shared.health()).finish()
    }
}

impl Store for EtcdStore {
    fn latest(&self) -> Answer<'_, Revision> {
        Box::pin(self.latest.get())
    }

    fn get(&self, key: &str) -> Answer<'_, Option<Record>> {
        let there = self.shared.keys.to_etcd(key);
        Box::pin(async move {
            let Some(there) = there else { return Ok(None) };
            let found = self.shared.range(&KeyRange::one(there), 0, None).await?;
            Ok(found.kvs.into_iter().next().and_then(|kv| record(&self.shared.keys, kv)))
        })
    }

    fn list(&self, query: Query) -> Answer<'_, Page> {
        Box::pin(async move { reads::list(&self.shared, &query).await })
    }

    fn commit(&self, writes: Vec<Write>) -> Answer<'_, Commit> {
        Box::pin(async move {
            let transaction = Transaction::new(&self.shared.keys, writes)?;
            let (shared, leases) = (Arc::clone(&self.shared), Arc::clone(&self.leases));
            // It happens even if nobody waits for it.
            let task = tokio::spawn(async move { commit(&shared, &leases, &transaction).await });
            task.await.unwrap_or(Err(StoreError::Closed))
        })
    }

    fn max_guards(&self) -> usize {
        txn::NESTED
    }

    fn watch(&self, prefix: &str, after: Revision) -> Answer<'_, Box<dyn Watch>> {
        let prefix = prefix.to_owned();
        Box::pin(async move {
            match self.shared.check_revision(after).await {
                // A watch waits for an etcd that is away.
                Ok(()) | Err(StoreError::Broken(_)) => {}
                Err(error) => return Err(error),
            }
            let watcher = Watcher::start(&self.shared, &prefix, after, false);
            Ok(Box::new(watcher) as Box<dyn Watch>)
        })
    }

    fn past(&self, prefix: &str, after: Revision) -> Answer<'_, PastBatch> {
        let prefix = prefix.to_owned();
        Box::pin(async move { self.read_past(&prefix, after).await })
    }

    fn expiring(&self) -> Answer<'_, Expiring> {
        Box::pin(expiring::expiring(&self.shared))
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        Box::pin(async move {
            let message = || messages::compaction(to_etcd(before));
            let done = self.shared.call(method::COMPACT, Repeat::Safe, message, Ok).await;
            match done {
                Ok(_) => Ok(()),
                Err(error) => match self.shared.explain(error).await {
                    StoreError::Compacted { .. } => Ok(()),
                    other => Err(other),
                },
            }
        })
    }

    fn take_turn(&self, name: &str) -> Answer<'_, bool> {
        let name = name.to_owned();
        Box::pin(async move { self.turns.take(&self.shared, &name).await })
    }

    fn size(&self) -> Answer<'_, u64> {
        Box::pin(async move {
            let message = protobuf::Message::default;
            let size =
                self.shared.call(method::STATUS, Repeat::Safe, message, messages::parse_size);
            size.await.map_err(|error| failure(&error))
        })
    }

    fn health(&self) -> Health {
        self.shared.health()
    }
}

impl EtcdStore {
    async fn read_past(&self, prefix: &str, after: Revision) -> Result<PastBatch, StoreError> {
        self.shared.check_revision(after).await?;
        let latest = self.latest.get().await?;
        if latest <= after {
            return Ok(PastBatch { events: Vec::new(), upto: after });
        }
        let mut watcher = Watcher::start(&self.shared, prefix, after, true);
        loop {
            match tokio::time::timeout(PAST_PATIENCE, watcher.next_batch()).await {
                Ok(batch) => {
                    let batch = batch?;
                    return Ok(PastBatch { events: batch.events, upto: batch.upto });
                }
                // All that happened since may be outside of the prefix, or etcd may be away.
                Err(_) => self.shared.nudge(self.latest.get().await?).await,
            }
        }
    }
}

/// Sends a commit, with leases for what lives for a while.
async fn commit(
    shared: &Shared,
    leases: &Leases,
    transaction: &Transaction,
) -> Result<Commit, StoreError> {
    let mut retries = 1;
    loop {
        let mut granted = Vec::new();
        for lives in transaction.lives() {
            // It may wait for others who ask for one.
            let lease = leases.lasting(shared, lives);
            let lease = match tokio::time::timeout(shared.client.patience(), lease).await {
                Ok(lease) => lease,
                Err(_) => Err(RpcError::NotSent("no lease is granted in time".to_owned())),
            };
            match lease {
                Ok(lease) => granted.push(lease),
                Err(error) => return Err(shared.explain(error).await),
            }
        }
        let message = || transaction.message(&granted);
        match shared.call(method::TXN, Repeat::Unsafe, message, TxnResponse::parse).await {
            Ok(response) => {
                if response.succeeded {
                    shared.note_written(response.revision);
                }
                return transaction.result(&shared.keys, response);
            }
            Err(RpcError::Status { message, .. }) if message == NO_LEASE && retries > 0 => {
                retries -= 1;
                leases.forget().await;
            }
            Err(error) => return Err(shared.explain(error).await),
        }
    }
}
