//! The pace of requests: at most so many a second, and none while the server wants to be left alone.

use std::num::NonZeroU32;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// A limit of requests a second, evenly spread.
pub(crate) struct Pace {
    gap: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    /// A pace of so many requests a second; of any number without one.
    pub(crate) fn new(qps: Option<NonZeroU32>) -> Self {
        let gap = qps.map_or(Duration::ZERO, |qps| Duration::from_secs(1) / qps.get());
        Self { gap, next: Mutex::new(Instant::now()) }
    }

    /// Waits for the turn of the next request.
    pub(crate) async fn wait(&self) {
        let turn = {
            let mut next = self.next.lock().await;
            let turn = (*next).max(Instant::now());
            *next = turn + self.gap;
            turn
        };
        tokio::time::sleep_until(turn).await;
    }

    /// Lets no further request begin for some time.
    pub(crate) async fn hold(&self, time: Duration) {
        let mut next = self.next.lock().await;
        *next = (*next).max(Instant::now() + time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_are_spread_and_held_back() {
        let begin = Instant::now();
        let pace = Pace::new(NonZeroU32::new(4));
        for _ in 0..5 {
            pace.wait().await;
        }
        assert_eq!(begin.elapsed().as_millis(), 1000);
        for pace in [pace, Pace::new(None)] {
            let begin = Instant::now();
            pace.hold(Duration::from_secs(7)).await;
            pace.wait().await;
            assert_eq!(begin.elapsed().as_secs(), 7);
        }
    }
}
