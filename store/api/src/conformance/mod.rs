//! Conformance suite for stores: one check per row, each run on a fresh and empty store.
//!
//! A failed check panics, like a test. No runtime is assumed: the futures can be polled by any.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "an exam fails by panicking"
)]

mod commits;
mod compaction;
mod concurrency;
mod lists;
mod past;
mod steps;
mod watches;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::Store;

/// A running check; it has passed when the future completes without a panic.
pub type CheckFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One check of the suite.
pub struct Check {
    /// The property that must hold.
    pub name: &'static str,
    /// Runs the check on a fresh and empty store.
    pub run: fn(Arc<dyn Store>) -> CheckFuture,
}

macro_rules! checks {
    ($($name:literal: $run:path;)*) => {
        &[$(Check { name: $name, run: |store| Box::pin($run(store)) }),*]
    };
}

/// All checks.
pub static CHECKS: &[Check] = checks! {
    "an empty store is at revision 0": commits::empty;
    "a guard that fails refuses, and tells what is there": commits::guards;
    "what changes nothing makes no revision": commits::nothing;
    "a commit of many keys happens whole or not at all": commits::atomic;
    "a key named twice: all guards hold, the last act counts": commits::twice;
    "created and modified are kept": commits::born;
    "any bytes are kept as they are": commits::bytes;
    "a list is in the order of keys and ends with its prefix": lists::prefixes;
    "pages meet without gap or overlap": lists::pages;
    "an old revision is listed as it was": lists::past;
    "pages of one moment ignore what happens between them": lists::steady;
    "a long list and a long history are complete": lists::long;
    "a revision to come is refused": lists::future;
    "a watch tells what happened before it": watches::replay;
    "a watch tells what happens": watches::live;
    "a watch tells its prefix only, and progress": watches::prefix;
    "a commit is told in one batch": watches::whole;
    "giving up waiting loses nothing": watches::patience;
    "watches see every event once, in order, while writers write": watches::busy;
    "the past is told with what it replaced": past::replaced;
    "the past is told in batches that meet": past::batches;
    "a past that is forgotten is refused": past::forgotten;
    "forgotten revisions are refused": compaction::refused;
    "what is forgotten leaves the newest values": compaction::newest;
    "deleted keys stay deleted when forgotten": compaction::deleted;
    "a key that lives shortly is deleted and told": compaction::expiry;
    "a key that is written again lives as long as said last": compaction::renewed;
    "what expires is named with the time that is left": compaction::expiring;
    "counters count": concurrency::counters;
    "of two creators one wins": concurrency::creators;
    "commits of crossing keys never mix": concurrency::crossing;
};

/// Runs all checks, each on a store of its own.
pub async fn run_all<F, Fut>(open: F)
where
    F: Fn() -> Fut,
    Fut: Future<Output = Arc<dyn Store>>,
{
    for check in CHECKS {
        steps::with_timeout(check.name, (check.run)(open().await)).await;
    }
}
