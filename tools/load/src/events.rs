//! The account of watch events: which writes each watcher has seen, and how long after they began.

use crate::latencies::Latencies;
use std::time::Duration;

/// What one watcher has received.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventLedger {
    seen: Vec<bool>,
    lags: Latencies,
    repeated: u64,
    stray: u64,
}

/// What all watchers together have received of what was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivery {
    /// Acknowledged writes, once for each watcher.
    pub(crate) expected: u64,
    /// Of these, how many came.
    pub(crate) delivered: u64,
    /// Of these, how many did not come.
    pub(crate) lost: u64,
    /// Events that came again.
    pub(crate) repeated: u64,
    /// Events of no known write.
    pub(crate) stray: u64,
    /// Watches that ended and went on from the last event.
    pub(crate) resumed: u64,
    pub(crate) lags: Latencies,
}

impl EventLedger {
    /// A ledger for so many writes at most.
    pub(crate) fn new(writes: usize) -> Self {
        Self { seen: vec![false; writes], ..Self::default() }
    }

    /// Notes an event; returns whether it is the first of its write.
    pub(crate) fn record(&mut self, sequence: usize, lag: Duration) -> bool {
        let Some(seen) = self.seen.get_mut(sequence) else {
            self.stray += 1;
            return false;
        };
        if std::mem::replace(seen, true) {
            self.repeated += 1;
            return false;
        }
        self.lags.add(lag);
        true
    }
}

impl Delivery {
    /// Adds a watcher's ledger; only an acknowledged write must have come.
    pub(crate) fn add(&mut self, ledger: EventLedger, acknowledged: &[bool]) {
        for (sequence, _) in acknowledged.iter().enumerate().filter(|(_, is)| **is) {
            self.expected += 1;
            match ledger.seen.get(sequence) {
                Some(true) => self.delivered += 1,
                _ => self.lost += 1,
            }
        }
        self.repeated += ledger.repeated;
        self.stray += ledger.stray;
        self.lags.merge(ledger.lags);
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.expected += other.expected;
        self.delivered += other.delivered;
        self.lost += other.lost;
        self.repeated += other.repeated;
        self.stray += other.stray;
        self.resumed += other.resumed;
        self.lags.merge(other.lags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAG: Duration = Duration::from_millis(3);

    #[test]
    fn a_write_that_was_acknowledged_and_not_seen_is_lost() {
        let mut ledger = EventLedger::new(4);
        assert!(ledger.record(0, LAG) && ledger.record(2, LAG));
        let mut delivery = Delivery::default();
        delivery.add(ledger, &[true, true, true, false]);
        assert_eq!((delivery.expected, delivery.delivered, delivery.lost), (3, 2, 1));
        assert_eq!(delivery.lags.count(), 2);
    }

    #[test]
    fn a_write_that_failed_may_be_seen_or_not() {
        let mut seen = EventLedger::new(2);
        seen.record(0, LAG);
        seen.record(1, LAG);
        let mut unseen = EventLedger::new(2);
        unseen.record(0, LAG);
        let mut delivery = Delivery::default();
        for ledger in [seen, unseen] {
            delivery.add(ledger, &[true, false]);
        }
        assert_eq!((delivery.expected, delivery.delivered, delivery.lost), (2, 2, 0));
    }

    #[test]
    fn an_event_that_comes_again_or_from_nowhere_is_no_delivery() {
        let mut ledger = EventLedger::new(1);
        assert!(ledger.record(0, LAG));
        assert!(!ledger.record(0, LAG));
        assert!(!ledger.record(7, LAG));
        let mut delivery = Delivery::default();
        delivery.add(ledger, &[true]);
        assert_eq!((delivery.delivered, delivery.repeated, delivery.stray), (1, 1, 1));
        assert_eq!(delivery.lags.count(), 1);
    }

    #[test]
    fn a_watcher_that_received_nothing_lost_everything() {
        let mut delivery = Delivery::default();
        delivery.add(EventLedger::new(3), &[true; 3]);
        delivery.add(EventLedger::new(3), &[true; 3]);
        assert_eq!((delivery.expected, delivery.lost), (6, 6));
    }
}
