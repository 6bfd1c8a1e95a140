//! Definitions of custom resources: when one comes, changes or goes, discovery is due.

use crate::reflector::Follower;
use ratchet_object::Node;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

/// Where definitions are listed.
pub(super) const PATH: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Definitions often come in numbers: one discovery is enough for all of them.
const DELAY: Duration = Duration::from_millis(500);

/// The definitions by name, with their generations: a new status is no reason to look.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    known: Mutex<BTreeMap<String, i64>>,
    changed: Notify,
}

impl Definitions {
    /// Waits until definitions have changed, or for the longest time.
    pub(super) async fn wait(&self, longest: Duration) {
        if timeout(longest, self.changed.notified()).await.is_ok() {
            sleep(DELAY).await;
        }
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, i64>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follower for Definitions {
    type Key = String;

    fn keys(&self) -> HashSet<String> {
        self.known().keys().cloned().collect()
    }

    fn key_of(&self, node: &Node<'_>) -> String {
        node.metadata().name().to_owned()
    }

    fn set(&self, node: Node<'_>) {
        let generation = node.metadata().generation().unwrap_or_default();
        if self.known().insert(self.key_of(&node), generation) != Some(generation) {
            self.changed.notify_one();
        }
    }

    fn remove(&self, name: &String) {
        self.known().remove(name);
        self.changed.notify_one();
    }

    fn synced(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(name: &'static str, generation: i64) -> Node<'static> {
        let metadata =
            Node::map([("name", Node::string(name)), ("generation", Node::int(generation))]);
        Node::map([("metadata", metadata)])
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_generation_is_a_change_and_a_new_status_is_none() {
        let definitions = Definitions::default();
        let is_woken = async || {
            let before = tokio::time::Instant::now();
            definitions.wait(Duration::from_secs(30)).await;
            before.elapsed() < Duration::from_secs(30)
        };
        definitions.synced();
        assert!(!is_woken().await);
        definitions.set(definition("a", 1));
        assert!(is_woken().await);
        definitions.set(definition("a", 1));
        assert!(!is_woken().await);
        definitions.set(definition("a", 2));
        assert!(is_woken().await);
        definitions.remove(&"a".to_owned());
        assert!(is_woken().await);
    }
}
