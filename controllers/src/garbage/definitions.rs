//! Definitions of custom resources: when one comes, changes or goes, discovery is due.

use crate::reflector::Follower;
use ratchet_object::Node;
use std::collections::BTreeMap;
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
    type Retained = (String, i64);

    fn retain(&self, node: Node<'_>) -> (String, i64) {
        let metadata = node.metadata();
        (metadata.name().to_owned(), metadata.generation().unwrap_or_default())
    }

    fn replace(&self, all: Vec<(String, i64)>) {
        let all: BTreeMap<String, i64> = all.into_iter().collect();
        let mut known = self.known();
        if *known != all {
            *known = all;
            self.changed.notify_one();
        }
    }

    fn set(&self, node: Node<'_>) {
        let (name, generation) = self.retain(node);
        if self.known().insert(name, generation) != Some(generation) {
            self.changed.notify_one();
        }
    }

    fn remove(&self, node: Node<'_>) {
        self.known().remove(node.metadata().name());
        self.changed.notify_one();
    }
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
        definitions.replace(Vec::new());
        assert!(!is_woken().await);
        definitions.set(definition("a", 1));
        assert!(is_woken().await);
        definitions.set(definition("a", 1));
        assert!(!is_woken().await);
        definitions.set(definition("a", 2));
        assert!(is_woken().await);
        definitions.remove(definition("a", 2));
        assert!(is_woken().await);
    }
}
