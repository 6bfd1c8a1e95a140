//! Token bucket that limits the retries of all keys of a queue together.

use std::time::Duration;
use tokio::time::Instant;

/// The capacity of the bucket.
const BURST: f64 = 100.0;

/// Tokens refilled per second.
const QPS: f64 = 10.0;

/// A token bucket that starts full and may go into debt.
#[derive(Default)]
pub(crate) struct Bucket {
    taken: f64,
    since: Option<Instant>,
}

impl Bucket {
    /// Takes a token and returns the delay after which it may be used.
    pub(crate) fn take(&mut self, now: Instant) -> Duration {
        let elapsed =
            self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        self.since = Some(now);
        self.taken = (self.taken - elapsed.as_secs_f64() * QPS).max(0.0) + 1.0;
        Duration::from_secs_f64(((self.taken - BURST) / QPS).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_at_once_then_ten_a_second() {
        let (mut bucket, start) = (Bucket::default(), Instant::now());
        let waits: Vec<_> = (0..120).map(|_| bucket.take(start).as_millis()).collect();
        assert!(waits.iter().take(100).all(|wait| *wait == 0));
        assert_eq!((waits[100], waits[119]), (100, 2000));
        let later = start + Duration::from_secs(60);
        assert_eq!(bucket.take(later), Duration::ZERO);
    }
}
