//! `Clock`: nanoseconds since the start, and the times that they stand for.

use jiff::Timestamp;
use std::time::{Duration, Instant};

/// Nanoseconds since it was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began: Instant,
    at: Timestamp,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), at: Timestamp::now() }
    }

    pub(super) fn now(self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    pub(super) fn time(self, nanoseconds: u64) -> Timestamp {
        self.at.checked_add(Duration::from_nanos(nanoseconds)).unwrap_or(Timestamp::MAX)
    }
}
