//! Tracking of HTTP/2 responses that wait for their client to read.
//!
//! An HTTP/2 client grants a window to each response by itself, so that the socket may be read
//! while a response is not. The sender polls for the next chunk when the client has granted a
//! window: as long as it does not poll, the client does not read.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// Responses whose last chunk was sent and whose next has not been polled.
#[derive(Debug, Default)]
pub(crate) struct UnreadResponses {
    since: Mutex<HashMap<u64, Instant>>,
    next: AtomicU64,
}

impl UnreadResponses {
    /// A mark for one more response.
    pub(crate) fn mark(self: &Arc<Self>) -> ResponseMark {
        ResponseMark { of: self.clone(), number: self.next.fetch_add(1, Ordering::Relaxed) }
    }

    fn since(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes when a response has waited for `limit`; never, if that is zero.
    pub(crate) async fn stalled(&self, limit: Duration) {
        if limit.is_zero() {
            return std::future::pending().await;
        }
        loop {
            let now = Instant::now();
            let oldest = self.since().values().min().copied();
            // Without a waiting response, an occasional check is enough.
            let deadline = oldest.map_or(now + limit / 2, |oldest| oldest + limit);
            if oldest.is_some() && deadline <= now {
                return;
            }
            sleep_until(deadline).await;
        }
    }
}

/// One response among the others of its connection.
#[derive(Debug)]
pub(crate) struct ResponseMark {
    of: Arc<UnreadResponses>,
    number: u64,
}

impl ResponseMark {
    /// A chunk was sent; it waits for the client from now on.
    pub(crate) fn sent(&self) {
        self.of.since().insert(self.number, Instant::now());
    }

    /// Everything was read, and there is nothing to send.
    pub(crate) fn taken(&self) {
        self.of.since().remove(&self.number);
    }
}

impl Drop for ResponseMark {
    fn drop(&mut self) {
        self.taken();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{sleep, timeout};

    const LIMIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn what_was_given_and_not_taken_is_noticed() {
        let unread = Arc::new(UnreadResponses::default());
        let (quiet, busy) = (unread.mark(), unread.mark());
        assert!(timeout(LIMIT * 9, unread.stalled(LIMIT)).await.is_err(), "nothing was given");
        quiet.sent();
        quiet.taken();
        assert!(timeout(LIMIT * 9, unread.stalled(LIMIT)).await.is_err(), "it was taken");
        let start = Instant::now();
        busy.sent();
        unread.stalled(LIMIT).await;
        assert_eq!(start.elapsed(), LIMIT);
        drop(busy);
        assert!(timeout(LIMIT * 9, unread.stalled(LIMIT)).await.is_err(), "it is over");
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_goes_on_is_not() {
        let unread = Arc::new(UnreadResponses::default());
        let mark = unread.mark();
        let goes_on = async {
            for _ in 0..20 {
                mark.sent();
                sleep(LIMIT * 9 / 10).await;
            }
        };
        tokio::select! {
            () = goes_on => {}
            () = unread.stalled(LIMIT) => panic!("pieces were taken all the time"),
        }
        assert!(timeout(LIMIT * 9, unread.stalled(Duration::ZERO)).await.is_err(), "no limit");
    }
}
