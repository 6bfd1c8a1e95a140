//! What a store can do.

use std::future::Future;
use std::pin::Pin;

use crate::{Batch, Commit, Health, Page, Query, Record, Revision, StoreError, Write};

/// What a store answers later; boxed, so that stores can stand behind `dyn Store`.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Bytes under text keys with one revision counter.
///
/// All answers are linearizable: what was acknowledged before a question was asked is seen by it. A commit that was sent
/// happens even if nobody waits for its answer.
pub trait Store: Send + Sync + 'static {
    /// The newest revision.
    fn latest(&self) -> Answer<'_, Revision>;

    /// What a key holds now.
    fn get(&self, key: &str) -> Answer<'_, Option<Record>>;

    /// Records of one moment in the order of their keys.
    ///
    /// Fails with [`StoreError::Compacted`] for a revision below the oldest one kept, with [`StoreError::Future`] above
    /// the latest.
    fn list(&self, query: Query) -> Answer<'_, Page>;

    /// Does all writes at one new revision, or none.
    ///
    /// The guards are judged in order against what was there before the commit. If a key is named more than once, all of
    /// its guards must hold and its last act that is not [`crate::Act::Keep`] counts. A commit that changes nothing makes
    /// no revision. [`crate::Commit::Done`] means that it is on the disk.
    fn commit(&self, writes: Vec<Write>) -> Answer<'_, Commit>;

    /// Tells what happens, from the first event after `after`, to keys that begin with `prefix`.
    ///
    /// Fails with [`StoreError::Compacted`] if `after` is below the oldest revision kept, with [`StoreError::Future`] if
    /// it is above the latest.
    fn watch(&self, prefix: &str, after: Revision) -> Answer<'_, Box<dyn Watch>>;

    /// Forgets what was before `before`; what keys held at it, and what happened after it, stays.
    ///
    /// Forgetting what is forgotten already is no error; a revision above the latest is [`StoreError::Future`].
    fn compact(&self, before: Revision) -> Answer<'_, ()>;

    /// How many bytes the store takes on the disk.
    fn size(&self) -> Answer<'_, u64>;

    /// How the store fares; answered at once, whatever it is doing.
    fn health(&self) -> Health;
}

/// Tells what happens, in order, nothing twice and nothing left out.
pub trait Watch: Send {
    /// Waits for the next batch.
    ///
    /// The events of one commit are in one batch. A batch without events tells progress only: others' keys have changed.
    /// Giving up waiting (dropping the future) loses nothing. A watch that is so slow that what it has yet to tell is
    /// compacted away fails with [`StoreError::Compacted`].
    fn next(&mut self) -> Answer<'_, Batch>;
}
