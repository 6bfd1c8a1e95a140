//! Which answers of an HTTP/2 connection wait for their client, and since when.
//!
//! A client of HTTP/2 grants room to each answer by itself, so that the socket may be read while an answer is not. Whoever
//! sends an answer asks for its next piece when the client has made room for it: as long as it does not, nobody reads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The answers whose last piece was handed over and whose next has not been asked for.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    since: Mutex<HashMap<u64, Instant>>,
    next: AtomicU64,
}

impl Unread {
    /// A mark for one more answer.
    pub(crate) fn mark(self: &Arc<Self>) -> Mark {
        Mark { of: self.clone(), number: self.next.fetch_add(1, Ordering::Relaxed) }
    }

    fn since(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when an answer has waited for so long; never, if that is zero.
    pub(crate) async fn lasts(&self, limit: Duration) {
        if limit.is_zero() {
            return std::future::pending().await;
        }
        loop {
            let now = Instant::now();
            let oldest = self.since().values().min().copied();
            // Where none waits, it is enough to look again now and then.
            let until = oldest.map_or(now + limit / 2, |oldest| oldest + limit);
            if oldest.is_some() && until <= now {
                return;
            }
            sleep_until(until).await;
        }
    }
}

/// One answer among the others of its connection.
#[derive(Debug)]
pub(crate) struct Mark {
    of: Arc<Unread>,
    number: u64,
}

impl Mark {
    /// A piece was handed over; it waits for the client from now on.
    pub(crate) fn given(&self) {
        self.of.since().insert(self.number, Instant::now());
    }

    /// Everything was taken, and there is nothing to send.
    pub(crate) fn taken(&self) {
        self.of.since().remove(&self.number);
    }
}

impl Drop for Mark {
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
        let unread = Arc::new(Unread::default());
        let (quiet, busy) = (unread.mark(), unread.mark());
        assert!(timeout(LIMIT * 9, unread.lasts(LIMIT)).await.is_err(), "nothing was given");
        quiet.given();
        quiet.taken();
        assert!(timeout(LIMIT * 9, unread.lasts(LIMIT)).await.is_err(), "it was taken");
        let began = Instant::now();
        busy.given();
        unread.lasts(LIMIT).await;
        assert_eq!(began.elapsed(), LIMIT);
        drop(busy);
        assert!(timeout(LIMIT * 9, unread.lasts(LIMIT)).await.is_err(), "it is over");
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_goes_on_is_not() {
        let unread = Arc::new(Unread::default());
        let mark = unread.mark();
        let goes_on = async {
            for _ in 0..20 {
                mark.given();
                sleep(LIMIT * 9 / 10).await;
            }
        };
        tokio::select! {
            () = goes_on => {}
            () = unread.lasts(LIMIT) => panic!("pieces were taken all the time"),
        }
        assert!(timeout(LIMIT * 9, unread.lasts(Duration::ZERO)).await.is_err(), "no limit");
    }
}
