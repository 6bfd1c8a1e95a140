//! Delays that double with each failure, up to a limit.

use std::time::Duration;

/// The first delay and the longest one.
#[derive(Clone, Copy)]
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
}

impl Backoff {
    pub(super) const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest }
    }

    /// The delay after so many failures in a row.
    pub(super) fn delay(self, failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failures.saturating_sub(1).min(20));
        self.first.saturating_mul(factor).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_and_end() {
        let backoff = Backoff::new(Duration::from_millis(5), Duration::from_secs(1));
        let delays =
            [1, 2, 3, 8, 9, 100, u32::MAX].map(|failures| backoff.delay(failures).as_millis());
        assert_eq!(delays, [5, 10, 20, 640, 1000, 1000, 1000]);
    }
}
