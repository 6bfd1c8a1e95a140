//! The traits of a store and a watch.

use std::future::Future;
use std::pin::Pin;

use crate::past;
use crate::{
    Batch, Commit, Expiring, Health, Page, PastBatch, Query, Record, Revision, StoreError, Write,
};

/// The future of a store operation; boxed, so that stores can be used as `dyn Store`.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Bytes under string keys with one revision counter.
///
/// All operations are linearizable: what was acknowledged before an operation started is visible to
/// it. A commit that was sent happens even if nobody waits for its result.
pub trait Store: Send + Sync + 'static {
    /// The latest revision.
    fn latest(&self) -> Answer<'_, Revision>;

    /// The current record of a key.
    fn get(&self, key: &str) -> Answer<'_, Option<Record>>;

    /// The records of one revision in the order of their keys.
    ///
    /// Fails with [`StoreError::Compacted`] for a revision below the oldest one kept, with
    /// [`StoreError::Future`] above the latest.
    fn list(&self, query: Query) -> Answer<'_, Page>;

    /// Applies all writes at one new revision, or none.
    ///
    /// The guards are checked in order against the state before the commit. If a key is named more
    /// than once, all of its guards must hold and its last act that is not [`crate::Act::Keep`]
    /// counts. A commit that changes nothing makes no revision. [`crate::Commit::Done`] means that
    /// it is on the disk.
    fn commit(&self, writes: Vec<Write>) -> Answer<'_, Commit>;

    /// The number of guarded writes that fit a commit; one with more fails with [`StoreError::Broken`].
    fn max_guards(&self) -> usize {
        usize::MAX
    }

    /// Watches keys with this prefix, from the first event after `after`.
    ///
    /// Fails with [`StoreError::Compacted`] if `after` is below the oldest revision kept, with
    /// [`StoreError::Future`] if it is above the latest.
    fn watch(&self, prefix: &str, after: Revision) -> Answer<'_, Box<dyn Watch>>;

    /// The next events after `after` of keys with this prefix, with what they replaced, as many as fit
    /// a batch. Unlike a watch it does not wait: at the latest revision the batch is empty.
    ///
    /// Fails as [`Store::watch`] does. A store that knows what an event replaced should say so
    /// itself: this reads the whole state at `after`.
    fn past(&self, prefix: &str, after: Revision) -> Answer<'_, PastBatch> {
        let prefix = prefix.to_owned();
        Box::pin(async move { past::from_watch(self, &prefix, after).await })
    }

    /// The latest revision, and the keys that expire as of it: what a copy needs beside the records.
    ///
    /// A store in which values have no time to live need not implement it.
    fn expiring(&self) -> Answer<'_, Expiring> {
        Box::pin(
            async move { Ok(Expiring { revision: self.latest().await?, ..Expiring::default() }) },
        )
    }

    /// Compacts the history before `before`; the state at it, and later events, stay.
    ///
    /// Compacting what is compacted already is no error; a revision above the latest is
    /// [`StoreError::Future`].
    fn compact(&self, before: Revision) -> Answer<'_, ()>;

    /// Whether it is this process that does the work `name` in this round.
    ///
    /// Several processes may use one store. Each asks once a round, and the first one takes the turn from the others;
    /// who asks for the first time may have to wait a round. A store of one process always answers yes.
    fn take_turn(&self, name: &str) -> Answer<'_, bool> {
        let _ = name;
        Box::pin(std::future::ready(Ok(true)))
    }

    /// The size of the store on the disk in bytes.
    fn size(&self) -> Answer<'_, u64>;

    /// The health of the store; never blocks.
    fn health(&self) -> Health;
}

/// Delivers events in order, without duplicates or gaps.
pub trait Watch: Send {
    /// Waits for the next batch.
    ///
    /// The events of one commit are in one batch. A batch without events reports progress only:
    /// keys outside the prefix have changed. Cancelling the wait (dropping the future) loses
    /// nothing. A watch that is so slow that its next events are compacted fails with
    /// [`StoreError::Compacted`].
    fn next(&mut self) -> Answer<'_, Batch>;
}
