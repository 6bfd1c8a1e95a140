//! `RetryAfter`: for how many seconds clients of an overloaded priority level are sent away.

use alloc::collections::VecDeque;

/// The longest time.
const MAX_SECONDS: u64 = 32;

/// Doubles while many requests are rejected in that time, and falls one by one when few are.
#[derive(Clone, Debug)]
pub struct RetryAfter {
    seconds: u64,
    doubled_at: u64,
    /// The second of the last rejection, and the number of rejections in it.
    current: (u64, u64),
    /// The same of earlier seconds, oldest first.
    history: VecDeque<(u64, u64)>,
}

impl Default for RetryAfter {
    fn default() -> Self {
        Self { seconds: 1, doubled_at: 0, current: (0, 0), history: VecDeque::new() }
    }
}

impl RetryAfter {
    /// Counts a rejection at a time in seconds, and returns what its client is told.
    pub fn reject(&mut self, now: u64) -> u64 {
        if self.current.0 == now {
            self.current.1 += 1;
            return self.seconds;
        }
        let window = (2 * self.seconds).min(MAX_SECONDS);
        self.history.push_back(self.current);
        let last = self.current.0;
        while self.history.front().is_some_and(|(second, _)| last.saturating_sub(*second) > window)
        {
            self.history.pop_front();
        }
        self.current = (now, 1);
        self.adapt(now);
        self.seconds
    }

    fn adapt(&mut self, now: u64) {
        let is_recent = |second: u64| second < now && now - second <= self.seconds;
        let recent = self.history.iter().filter(|(second, _)| is_recent(*second));
        let rejected: u64 = recent.map(|(_, count)| count).sum();
        if now.saturating_sub(self.doubled_at) >= self.seconds && rejected >= 3 * self.seconds {
            self.seconds = (self.seconds * 2).min(MAX_SECONDS);
            self.doubled_at = now;
        } else if rejected < self.seconds && self.seconds > 1 {
            self.seconds -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles_under_load_and_falls_afterwards() {
        let mut retry = RetryAfter::default();
        assert_eq!(retry.reject(1000), 1);
        let mut highest = 0;
        for second in 1000..1200 {
            for _ in 0..200 {
                highest = highest.max(retry.reject(second));
            }
        }
        assert_eq!(highest, MAX_SECONDS);
        let mut last = highest;
        for second in (1300..1300 + 40 * 60).step_by(60) {
            last = retry.reject(second);
        }
        assert_eq!(last, 1);
    }
}
