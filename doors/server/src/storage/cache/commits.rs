//! Commits through the cache, which has what they wrote when they return.

use super::{Cache, Stored, WAIT_LIMIT};
use crate::status::StatusError;
use crate::storage::parts::commit_parts;
use ratchet_store::{Commit, StoreError, Write};
use std::time::Duration;

impl Cache {
    /// Commits writes, and waits until the first of them is in the cache; the revision is that of its store.
    pub(crate) async fn commit(&self, writes: Vec<Write>) -> Result<Commit, StatusError> {
        let line = writes.first().map(|write| self.split.line_of(&write.key)).unwrap_or_default();
        let commit = self.send(writes).await?;
        if let Commit::Done(revision) = commit {
            self.line(line).wait_for(revision.0).await?;
        }
        Ok(commit)
    }

    /// The same for writes of which one puts this value.
    pub(crate) async fn commit_value(
        &self,
        value: &Stored,
        writes: Vec<Write>,
    ) -> Result<Commit, StatusError> {
        let _commitment = self.underway.announce(value);
        self.commit(writes).await
    }

    /// Commits groups of writes as [`commit_parts`] does, and waits for all of them.
    pub(crate) async fn commit_parts(
        &self,
        groups: impl IntoIterator<Item = Vec<Write>>,
        limit: Duration,
    ) -> Result<Commit, StatusError> {
        let commit = commit_parts(self.store.as_ref(), groups).await?;
        if let Commit::Done(revision) = commit {
            match self.others.is_empty() {
                true => self.main.wait_within(revision.0, limit).await?,
                // The parts may be in different stores.
                false => self.fresh_within(limit).await?,
            }
        }
        Ok(commit)
    }

    /// Sends a commit. One of several stores goes on to its end, whether somebody waits for it or not.
    async fn send(&self, writes: Vec<Write>) -> Result<Commit, StoreError> {
        if self.others.is_empty() {
            return self.store.commit(writes).await;
        }
        let store = self.store.clone();
        let task = tokio::spawn(async move { store.commit(writes).await });
        task.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Waits until every write that was acknowledged before this call is applied, of all stores. One beside the main
    /// store that is away holds up nobody but those who read its objects.
    pub(crate) async fn fresh(&self) -> Result<(), StatusError> {
        self.fresh_within(WAIT_LIMIT).await
    }

    /// The same with a limit of the caller's.
    pub(crate) async fn fresh_within(&self, limit: Duration) -> Result<(), StatusError> {
        self.main.fresh_within(limit).await?;
        for line in self.others.iter().filter(|line| !line.is_away()) {
            match line.fresh_within(limit).await {
                Err(_) if line.is_away() => {}
                result => drop(result?),
            }
        }
        Ok(())
    }
}
