//! `RevisionLine`: one store behind the cache, and the revision up to which its changes are applied.

use crate::status::StatusError;
use ratchet_store::{Query, Revision, State, Store, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The time that a reader waits for a revision that is not reached yet.
pub(crate) const WAIT_LIMIT: Duration = Duration::from_secs(3);

/// A store with its own counter of revisions. Revisions of resources in different stores cannot be compared.
pub(crate) struct RevisionLine {
    store: Arc<dyn Store>,
    /// All changes up to this revision are applied.
    reached: watch::Sender<u64>,
}

impl RevisionLine {
    pub(super) fn new(store: Arc<dyn Store>, reached: u64) -> Self {
        Self { store, reached: watch::Sender::new(reached) }
    }

    /// The store, with the keys of this line only.
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The revision up to which all changes are applied.
    pub(crate) fn reached(&self) -> u64 {
        *self.reached.borrow()
    }

    /// Says that all changes up to a revision are applied.
    pub(super) fn reach(&self, revision: u64) {
        self.reached.send_replace(revision);
    }

    /// Whether the store cannot be reached at the moment.
    pub(super) fn is_away(&self) -> bool {
        matches!(self.store.health().state, State::Broken(_))
    }

    /// Fails if the store has compacted a revision, or has not reached it.
    pub(crate) async fn check_revision(&self, revision: u64) -> Result<(), StoreError> {
        // No key begins like this: nothing is read but the state of the store.
        let query =
            Query { prefix: "\0".into(), limit: 1, at: Some(Revision(revision)), after: None };
        self.store.list(query).await.map(drop)
    }

    /// Waits until every write that was acknowledged before this call is applied; returns its revision.
    pub(crate) async fn fresh(&self) -> Result<u64, StatusError> {
        self.fresh_within(WAIT_LIMIT).await
    }

    /// The same with a limit of the caller's.
    pub(crate) async fn fresh_within(&self, limit: Duration) -> Result<u64, StatusError> {
        let latest = self.store.latest().await?.0;
        self.wait_within(latest, limit).await?;
        Ok(latest)
    }

    /// Waits until `revision` is reached, or fails with `Timeout`.
    pub(crate) async fn wait_for(&self, revision: u64) -> Result<(), StatusError> {
        self.wait_within(revision, WAIT_LIMIT).await
    }

    /// The same with a limit of the caller's.
    pub(crate) async fn wait_within(
        &self,
        revision: u64,
        limit: Duration,
    ) -> Result<(), StatusError> {
        if self.reached() >= revision {
            return Ok(());
        }
        let mut progress = self.reached.subscribe();
        let reached = progress.wait_for(|reached| *reached >= revision);
        match tokio::time::timeout(limit, reached).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(StatusError::too_large_version(revision, self.reached())),
        }
    }
}
