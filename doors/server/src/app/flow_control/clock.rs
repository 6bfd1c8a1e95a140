//! `Clock`: nanoseconds since the start, and the times that they stand for.

use jiff::Timestamp;
use std::time::{Duration, Instant};

/// Nanoseconds since it was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began: Instant,
    began_at: Timestamp,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), began_at: Timestamp::now() }
    }

    pub(super) fn now(self) -> u64 {
        self.at(Instant::now())
    }

    /// The nanoseconds at a moment.
    pub(super) fn at(self, moment: Instant) -> u64 {
        let since = moment.saturating_duration_since(self.began);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    pub(super) fn time(self, nanoseconds: u64) -> Timestamp {
        self.began_at.checked_add(Duration::from_nanos(nanoseconds)).unwrap_or(Timestamp::MAX)
    }
}
