//! The exam that every store must pass: one question a row, each asked of a fresh and empty store.
//!
//! A wrong answer panics, as a failing test does. No runtime is assumed: the futures can be polled by any.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "an exam fails by panicking"
)]

mod commits;
mod forgetting;
mod lists;
mod room;
mod together;
mod watches;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::Store;

/// A question; what it asks is done when the future ends without a panic.
pub type Asking = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One question of the exam.
pub struct Question {
    /// What must be true.
    pub name: &'static str,
    /// Asks it of a store that must be fresh and empty.
    pub ask: fn(Arc<dyn Store>) -> Asking,
}

macro_rules! questions {
    ($($name:literal: $ask:path;)*) => {
        &[$(Question { name: $name, ask: |store| Box::pin($ask(store)) }),*]
    };
}

/// All questions.
pub static QUESTIONS: &[Question] = questions! {
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
    "forgotten revisions are refused": forgetting::refused;
    "what is forgotten leaves the newest values": forgetting::newest;
    "deleted keys stay deleted when forgotten": forgetting::deleted;
    "a key that lives shortly is deleted and told": forgetting::expiry;
    "a key that is written again lives as long as said last": forgetting::renewed;
    "counters count": together::counters;
    "of two creators one wins": together::creators;
    "commits of crossing keys never mix": together::crossing;
};

/// Asks all questions, each of a store of its own.
pub async fn sit<F, Fut>(open: F)
where
    F: Fn() -> Fut,
    Fut: Future<Output = Arc<dyn Store>>,
{
    for question in QUESTIONS {
        room::in_time(question.name, (question.ask)(open().await)).await;
    }
}
