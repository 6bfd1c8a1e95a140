//! Rate-limited log of certificates with a wrong node name.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ratchet_certificate::{NameFault, NodeName};

use crate::NameCheck;

/// How many nodes are tracked; further ones share one rate limit.
const NODES: usize = 1024;

/// The time of the last log line for each node.
#[derive(Debug)]
pub(crate) struct Notices {
    interval: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    nodes: HashMap<NodeName, RateLimit>,
    others: RateLimit,
}

/// The time of the last log line, and how many were suppressed since.
#[derive(Debug, Default)]
struct RateLimit {
    last: Option<Instant>,
    suppressed: u64,
}

impl RateLimit {
    /// The number of suppressed lines, if a line may be logged now.
    fn take(&mut self, now: Instant, interval: Duration) -> Option<u64> {
        if self.is_recent(now, interval) {
            self.suppressed += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.suppressed))
    }

    fn is_recent(&self, now: Instant, interval: Duration) -> bool {
        self.last.is_some_and(|last| now.duration_since(last) < interval)
    }
}

impl Notices {
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, state: Mutex::default() }
    }

    /// Logs one line, unless this node had one a moment ago.
    pub(crate) fn report(&self, node: &NodeName, fault: &NameFault, mode: NameCheck) {
        let Some(suppressed) = self.suppressed_if_due(node, Instant::now()) else { return };
        tracing::error!(
            node = node.as_str(),
            expected = fault.expected,
            presented = fault.presented(),
            mode = mode.as_str(),
            suppressed,
            "the certificate of a kubelet does not bear the name of its node"
        );
    }

    fn suppressed_if_due(&self, node: &NodeName, now: Instant) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        if !state.nodes.contains_key(node) && state.nodes.len() >= NODES {
            state.nodes.retain(|_, limit| limit.is_recent(now, self.interval));
        }
        let has_room = state.nodes.len() < NODES || state.nodes.contains_key(node);
        let limit =
            if has_room { state.nodes.entry(node.clone()).or_default() } else { &mut state.others };
        limit.take(now, self.interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_has_its_turn_and_memory_is_bounded() {
        let interval = Duration::from_secs(10);
        let notices = Notices::new(interval);
        let node = |number: usize| NodeName::new(&format!("node-{number}")).unwrap();
        let begin = Instant::now();
        assert_eq!(notices.suppressed_if_due(&node(1), begin), Some(0));
        assert_eq!(notices.suppressed_if_due(&node(1), begin), None);
        assert_eq!(notices.suppressed_if_due(&node(1), begin + interval / 2), None);
        assert_eq!(
            notices.suppressed_if_due(&node(2), begin),
            Some(0),
            "another node is not held back"
        );
        assert_eq!(notices.suppressed_if_due(&node(1), begin + interval), Some(2));
        let logged =
            (0..5_000).filter(|n| notices.suppressed_if_due(&node(*n), begin + interval).is_some());
        assert!(logged.count() <= NODES + 1);
        assert!(notices.state.lock().unwrap().nodes.len() <= NODES);
        assert_eq!(
            notices.suppressed_if_due(&node(200_000), begin + interval * 3),
            Some(0),
            "room again"
        );
    }
}
