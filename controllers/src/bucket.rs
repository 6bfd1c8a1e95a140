//! How many keys may be tried again in all: a bucket that fills slowly.

use std::time::Duration;
use tokio::time::Instant;

/// So many can be taken at once.
const ROOM: f64 = 100.0;

/// So many come back in a second.
const A_SECOND: f64 = 10.0;

/// The bucket; it starts full and may owe.
#[derive(Default)]
pub(crate) struct Bucket {
    taken: f64,
    since: Option<Instant>,
}

impl Bucket {
    /// Takes one out, and says after which time it may be used.
    pub(crate) fn take(&mut self, now: Instant) -> Duration {
        let passed =
            self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        self.since = Some(now);
        self.taken = (self.taken - passed.as_secs_f64() * A_SECOND).max(0.0) + 1.0;
        Duration::from_secs_f64(((self.taken - ROOM) / A_SECOND).max(0.0))
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
