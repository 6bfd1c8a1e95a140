//! Tells of certificates that bear a wrong name: every node's, but none too often.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ratchet_certificate::{NameFault, NodeName};

use crate::NameCheck;

/// How many nodes are remembered; more than this many at once share one turn.
const NODES: usize = 1024;

/// When each node was told of.
#[derive(Debug)]
pub(crate) struct Notices {
    every: Duration,
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    nodes: HashMap<NodeName, Turn>,
    others: Turn,
}

/// When it was last told, and how often it was not since then.
#[derive(Debug, Default)]
struct Turn {
    last: Option<Instant>,
    suppressed: u64,
}

impl Turn {
    /// Whether it may be told now; then, how often it was not.
    fn take(&mut self, now: Instant, every: Duration) -> Option<u64> {
        if self.is_recent(now, every) {
            self.suppressed += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.suppressed))
    }

    fn is_recent(&self, now: Instant, every: Duration) -> bool {
        self.last.is_some_and(|last| now.duration_since(last) < every)
    }
}

impl Notices {
    pub(crate) fn new(every: Duration) -> Self {
        Self { every, told: Mutex::default() }
    }

    /// Writes one line, unless this node had one a moment ago.
    pub(crate) fn tell(&self, node: &NodeName, fault: &NameFault, mode: NameCheck) {
        let Some(suppressed) = self.turn(node, Instant::now()) else { return };
        tracing::error!(
            node = node.as_str(),
            expected = fault.expected,
            presented = fault.presented(),
            mode = mode.word(),
            suppressed,
            "the certificate of a kubelet does not bear the name of its node"
        );
    }

    fn turn(&self, node: &NodeName, now: Instant) -> Option<u64> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let told = &mut *told;
        if !told.nodes.contains_key(node) && told.nodes.len() >= NODES {
            told.nodes.retain(|_, turn| turn.is_recent(now, self.every));
        }
        let has_room = told.nodes.len() < NODES || told.nodes.contains_key(node);
        let turn =
            if has_room { told.nodes.entry(node.clone()).or_default() } else { &mut told.others };
        turn.take(now, self.every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_has_its_turn_and_memory_is_bounded() {
        let every = Duration::from_secs(10);
        let notices = Notices::new(every);
        let node = |number: usize| NodeName::new(&format!("node-{number}")).unwrap();
        let begin = Instant::now();
        assert_eq!(notices.turn(&node(1), begin), Some(0));
        assert_eq!(notices.turn(&node(1), begin), None);
        assert_eq!(notices.turn(&node(1), begin + every / 2), None);
        assert_eq!(notices.turn(&node(2), begin), Some(0), "another node is not held back");
        assert_eq!(notices.turn(&node(1), begin + every), Some(2));
        let loud = (0..5_000).filter(|n| notices.turn(&node(*n), begin + every).is_some());
        assert!(loud.count() <= NODES + 1);
        assert!(notices.told.lock().unwrap().nodes.len() <= NODES);
        assert_eq!(notices.turn(&node(200_000), begin + every * 3), Some(0), "room again");
    }
}
