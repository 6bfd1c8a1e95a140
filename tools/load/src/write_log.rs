//! The log of writes during watch churn: when each began, and whether it was acknowledged.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// When writes began and whether they were acknowledged, and how many events were seen.
pub(crate) struct WriteLog {
    begun: Instant,
    /// Microseconds after the beginning, plus one; zero before the write.
    sent: Vec<AtomicU64>,
    acknowledged: Vec<AtomicBool>,
    next: AtomicUsize,
    /// First events of a write, over all watchers.
    received: AtomicUsize,
}

impl WriteLog {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            begun: Instant::now(),
            sent: (0..capacity).map(|_| AtomicU64::new(0)).collect(),
            acknowledged: (0..capacity).map(|_| AtomicBool::new(false)).collect(),
            next: AtomicUsize::new(0),
            received: AtomicUsize::new(0),
        }
    }

    /// Begins a write; nothing is left when the log is full.
    pub(crate) fn begin(&self) -> Option<usize> {
        let sequence = self.next.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(self.begun.elapsed().as_micros()).ok()?;
        self.sent.get(sequence)?.store(micros + 1, Ordering::Release);
        Some(sequence)
    }

    pub(crate) fn acknowledge(&self, sequence: usize) {
        if let Some(acknowledged) = self.acknowledged.get(sequence) {
            acknowledged.store(true, Ordering::Release);
        }
    }

    /// How long ago a write began; nothing if it did not.
    pub(crate) fn lag(&self, sequence: usize) -> Option<Duration> {
        let micros = self.sent.get(sequence)?.load(Ordering::Acquire).checked_sub(1)?;
        Some(self.begun.elapsed().saturating_sub(Duration::from_micros(micros)))
    }

    /// Counts the first event of a write at one watcher.
    pub(crate) fn count_received(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn acknowledged(&self) -> Vec<bool> {
        self.acknowledged.iter().map(|is| is.load(Ordering::Acquire)).collect()
    }

    /// How many first events were seen, over all watchers.
    pub(crate) fn received(&self) -> usize {
        self.received.load(Ordering::Relaxed)
    }

    pub(crate) fn capacity(&self) -> usize {
        self.sent.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_has_a_lag_from_its_beginning_and_a_log_an_end() {
        let log = WriteLog::new(1);
        assert_eq!(log.lag(0), None);
        assert_eq!(log.begin(), Some(0));
        assert!(log.lag(0).is_some());
        assert_eq!(log.lag(1), None);
        assert_eq!(log.begin(), None);
        assert_eq!(log.acknowledged(), [false]);
        log.acknowledge(0);
        log.acknowledge(5);
        assert_eq!(log.acknowledged(), [true]);
    }
}
