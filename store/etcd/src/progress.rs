//! Progress of watches: those that cannot hear of a revision are helped to it, those that do not are turned elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratchet_store::Revision;

use crate::client::Repeat;
use crate::messages::{self, TxnResponse, method};
use crate::shared::{Shared, from_etcd};

/// The time for watches to reach a revision of somebody else by themselves.
const PATIENCE: Duration = Duration::from_millis(100);
/// The interval at which watches are looked after.
const LOOK: Duration = Duration::from_millis(500);
/// A watch that hears nothing of our own writes for so many intervals is at a member that hangs, or lags behind. Pings
/// tell it much later: etcd closes connections on which there are many.
const SILENT: u32 = 2;

impl Shared {
    /// Remembers a revision of etcd that is a write of our own.
    pub(crate) fn note_written(&self, revision: u64) {
        self.written.fetch_max(from_etcd(revision).0, Ordering::Relaxed);
    }

    /// Lets watches reach a revision that somebody else made outside of the prefix, and that they would never hear
    /// of: a key of our own is written if none has reached it after a while. Progress that is asked for on the stream
    /// of a watch overtakes events in etcd before 3.4.25 and 3.5.8.
    pub(crate) async fn nudge(&self, revision: Revision) {
        let is_behind = || *self.watched.borrow() < revision.0;
        if self.watched.receiver_count() == 0
            || !is_behind()
            || self.nudging.swap(true, Ordering::Relaxed)
        {
            return;
        }
        // It ends with the caller, too.
        let _nudging = Nudging(&self.nudging);
        tokio::time::sleep(PATIENCE).await;
        if is_behind() && self.blocked.load(Ordering::Relaxed) == 0 {
            let key = self.keys.own("progress");
            let put = || vec![messages::RequestOp::Put(messages::put(&key, b"", 0))];
            let message = || messages::txn(Vec::new(), put(), Vec::new());
            match self.call(method::TXN, Repeat::Safe, message, TxnResponse::parse).await {
                Ok(response) => self.note_written(response.revision),
                Err(error) => {
                    tracing::debug!(%error, "watches cannot be told the progress of etcd");
                }
            }
        }
    }

    /// The revision that watches should have heard of, if they have not.
    fn unheard(&self) -> Option<u64> {
        let written = self.written.load(Ordering::Relaxed);
        let is_behind = *self.watched.borrow() < written
            && self.watched.receiver_count() > 0
            && self.blocked.load(Ordering::Relaxed) == 0;
        is_behind.then_some(written)
    }
}

/// A write for progress that is under way.
struct Nudging<'a>(&'a AtomicBool);

impl Drop for Nudging<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Turns watches elsewhere that hear nothing of what was written.
pub(crate) async fn look_after_watches(shared: Arc<Shared>) {
    let (mut silent, mut heard, mut last) = (0, 0, 0);
    loop {
        tokio::time::sleep(LOOK).await;
        let before = std::mem::replace(&mut heard, *shared.watched.borrow());
        silent = match shared.unheard() {
            // Once for each revision: a commit that changes nothing has one that nobody hears of.
            Some(written) if heard == before && written > last => silent + 1,
            _ => 0,
        };
        if silent > SILENT {
            (silent, last) = (0, shared.written.load(Ordering::Relaxed));
            shared.stalled.notify_waiters();
        }
    }
}
