//! `TokenGetter`: the stored objects that authentication needs, from the cache.

use crate::registry::metadata;
use crate::storage::cache::{Cache, ResourceCache};
use jiff::Timestamp;
use ratchet_identity::{Bindable, Cluster};
use ratchet_object::Node;
use std::sync::Arc;

/// The caches of objects that tokens refer to.
pub(crate) struct TokenGetter {
    accounts: Arc<ResourceCache>,
    pods: Arc<ResourceCache>,
    secrets: Arc<ResourceCache>,
    nodes: Arc<ResourceCache>,
}

impl TokenGetter {
    /// Uses the resource caches of a cache.
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

/// Whether an object has been terminating for more than a minute.
fn is_long_terminating(node: &Node<'_>) -> bool {
    let Ok(at) = node.text_at(&["metadata", "deletionTimestamp"]).parse::<Timestamp>() else {
        return false;
    };
    Timestamp::now().as_second() - at.as_second() > 60
}

impl Cluster for TokenGetter {
    fn uid(&self, kind: Bindable, namespace: &str, name: &str) -> Option<String> {
        let key = format!("{namespace}/{name}");
        let item = match kind {
            Bindable::ServiceAccount => self.accounts.get(&key),
            Bindable::Pod => self.pods.get(&key),
            Bindable::Secret => self.secrets.get(&key),
            Bindable::Node => self.nodes.get(name),
        };
        let node = item?.node();
        (!is_long_terminating(&node)).then(|| node.text_at(&["metadata", "uid"]).to_owned())
    }

    fn secret(&self, namespace: &str, name: &str) -> Option<Node<'static>> {
        let node = self.secrets.get(&format!("{namespace}/{name}"))?.node();
        (!metadata::is_terminating(&node)).then_some(node)
    }

    fn account(&self, namespace: &str, name: &str) -> Option<Node<'static>> {
        Some(self.accounts.get(&format!("{namespace}/{name}"))?.node())
    }
}
