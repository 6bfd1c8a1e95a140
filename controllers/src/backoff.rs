//! Exponential backoff with jitter.

use std::time::Duration;

/// Delays that double from `first` up to `longest`.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    failures: u32,
}

impl Backoff {
    /// Starts with `first` as the next delay.
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, failures: 0 }
    }

    /// The next delay, with up to half of it added, so that many clients that lost the same server
    /// do not reconnect at the same time.
    pub fn next_delay(&mut self) -> Duration {
        let delay = doubled(self.first, self.failures, self.longest);
        self.failures = self.failures.saturating_add(1);
        delay.mul_f64(1.0 + fastrand::f64() / 2.0)
    }

    /// Starts over with the first delay, after a success.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// `first` doubled `times` times, but never more than `longest`.
pub(crate) fn doubled(first: Duration, times: u32, longest: Duration) -> Duration {
    first.saturating_mul(1u32.checked_shl(times).unwrap_or(u32::MAX)).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_longest() {
        let (first, longest) = (Duration::from_millis(5), Duration::from_secs(30));
        assert_eq!(doubled(first, 0, longest), first);
        assert_eq!(doubled(first, 3, longest), Duration::from_millis(40));
        for times in [13, 31, 32, u32::MAX] {
            assert_eq!(doubled(first, times, longest), longest, "{times}");
        }
    }

    #[test]
    fn delays_have_a_bounded_part_of_chance_and_begin_anew() {
        let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
        for expected in [100, 200, 400, 800, 1000, 1000] {
            let delay = backoff.next_delay().as_millis();
            assert!((expected..=expected * 3 / 2).contains(&delay), "{delay} for {expected}");
        }
        backoff.reset();
        assert!(backoff.next_delay().as_millis() <= 150);
    }
}
