//! What authentication must know about stored objects, answered from memory.

use crate::cache::{Cache, ResourceCache};
use crate::lifecycle::metadata;
use jiff::Timestamp;
use ratchet_identity::{Bindable, Cluster};
use ratchet_object::Node;
use std::sync::Arc;

/// The shelves that tokens speak about.
pub(crate) struct ClusterView {
    accounts: Arc<ResourceCache>,
    pods: Arc<ResourceCache>,
    secrets: Arc<ResourceCache>,
    nodes: Arc<ResourceCache>,
}

impl ClusterView {
    /// Looks at the shelves of a cache.
    pub(crate) fn new(cache: &Cache) -> Self {
        let resource_cache = |name: &str| cache.resource_cache(name).unwrap_or_default();
        Self {
            accounts: resource_cache("serviceaccounts"),
            pods: resource_cache("pods"),
            secrets: resource_cache("secrets"),
            nodes: resource_cache("nodes"),
        }
    }
}

/// Whether an object is on its way out for longer than a minute.
fn is_past(node: &Node<'_>) -> bool {
    let Ok(at) = node.text_at(&["metadata", "deletionTimestamp"]).parse::<Timestamp>() else {
        return false;
    };
    Timestamp::now().as_second() - at.as_second() > 60
}

impl Cluster for ClusterView {
    fn uid(&self, kind: Bindable, namespace: &str, name: &str) -> Option<String> {
        let within = format!("{namespace}/{name}");
        let item = match kind {
            Bindable::ServiceAccount => self.accounts.get(&within),
            Bindable::Pod => self.pods.get(&within),
            Bindable::Secret => self.secrets.get(&within),
            Bindable::Node => self.nodes.get(name),
        };
        let node = item?.node();
        (!is_past(&node)).then(|| node.text_at(&["metadata", "uid"]).to_owned())
    }

    fn secret(&self, namespace: &str, name: &str) -> Option<Node<'static>> {
        let node = self.secrets.get(&format!("{namespace}/{name}"))?.node();
        (!metadata::is_terminating(&node)).then_some(node)
    }

    fn account(&self, namespace: &str, name: &str) -> Option<Node<'static>> {
        Some(self.accounts.get(&format!("{namespace}/{name}"))?.node())
    }
}
