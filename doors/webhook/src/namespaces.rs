//! `NamespaceCache`: the labels of namespaces that rules read, followed by a watch, in little memory.

use crate::metrics::{Metrics, number};
use ratchet_cluster::{Cluster, Reflector, ReflectorEvent};
use ratchet_object::Node;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// The labels that anything here reads: modes of rules, and levels of Pod Security. Others are not stored.
const PREFIXES: [&str; 2] = ["ratchet/", "pod-security.kubernetes.io/"];

/// The most labels of one namespace that are stored: more than there are rules, families and levels.
const MAX_LABELS: usize = 128;

/// How long a namespace that the watch has not brought yet is remembered from a live lookup.
const LOOKUP_LIFE: Duration = Duration::from_secs(5);
/// The most namespaces that are remembered from live lookups.
const MAX_LOOKUPS: usize = 1024;

/// The labels of one namespace that rules read, sorted by nothing.
type Labels = Box<[(Box<str>, Box<str>)]>;

/// What live lookups found, and when.
type Lookups = HashMap<Box<str>, (Instant, Option<Labels>)>;

/// The namespaces of a cluster.
pub(crate) struct NamespaceCache {
    namespaces: RwLock<Listed>,
    lookups: Mutex<Lookups>,
    is_synced: AtomicBool,
    failure: Mutex<Option<String>>,
    metrics: Arc<Metrics>,
}

/// What the last list and the watch since then brought.
#[derive(Default)]
struct Listed {
    all: HashMap<Box<str>, Labels>,
    /// What a list that is not complete yet has brought.
    listing: Option<HashMap<Box<str>, Labels>>,
}

impl NamespaceCache {
    /// An empty cache.
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        metrics.watch_connected.with(&["namespaces"]).set(0.0);
        Self {
            namespaces: RwLock::default(),
            lookups: Mutex::default(),
            is_synced: AtomicBool::new(false),
            failure: Mutex::default(),
            metrics,
        }
    }

    /// Follows the namespaces of a cluster, for ever.
    pub(crate) async fn follow(&self, cluster: Cluster) {
        let reflector = Reflector::new(cluster, "/api/v1/namespaces");
        reflector.run(|event| self.handle(event)).await;
    }

    /// Whether the first list is complete.
    pub(crate) fn is_synced(&self) -> bool {
        self.is_synced.load(Ordering::Acquire)
    }

    /// Why there is no watch, if there is none.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A namespace as the rules see it: `None` if it is not known, `Some(None)` if it is known not to exist.
    pub(crate) fn get(&self, name: &str) -> Option<Option<Node<'static>>> {
        let listed = self.namespaces.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(labels) = listed.all.get(name) {
            return Some(Some(namespace(name, labels)));
        }
        drop(listed);
        let lookups = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, labels) = lookups.get(name)?;
        let is_fresh = at.elapsed() < LOOKUP_LIFE;
        is_fresh.then(|| labels.as_ref().map(|labels| namespace(name, labels)))
    }

    /// Remembers for a moment what a live lookup found.
    pub(crate) fn remember(&self, name: &str, found: Option<&Node<'_>>) {
        let mut lookups = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        if lookups.len() >= MAX_LOOKUPS {
            lookups.retain(|_, (at, _)| at.elapsed() < LOOKUP_LIFE);
        }
        if lookups.len() < MAX_LOOKUPS {
            lookups.insert(name.into(), (Instant::now(), found.map(labels_of)));
        }
    }

    fn handle(&self, event: ReflectorEvent) {
        match event {
            ReflectorEvent::Listing => self.change(|listed| listed.listing = Some(HashMap::new())),
            ReflectorEvent::Applied(node) => self.change(|listed| {
                let name = node.text_at(&["metadata", "name"]);
                let target = listed.listing.as_mut().unwrap_or(&mut listed.all);
                target.insert(name.into(), labels_of(&node));
            }),
            ReflectorEvent::Deleted(node) => self.change(|listed| {
                listed.all.remove(node.text_at(&["metadata", "name"]));
            }),
            ReflectorEvent::Synced => {
                self.change(|listed| {
                    if let Some(mut all) = listed.listing.take() {
                        all.shrink_to_fit();
                        listed.all = all;
                    }
                });
                self.is_synced.store(true, Ordering::Release);
            }
            ReflectorEvent::Connected => self.connected(None),
            ReflectorEvent::Failed(error) => {
                self.metrics.watch_errors.with(&[]).inc();
                self.connected(Some(error.to_string()));
            }
        }
    }

    fn change(&self, change: impl FnOnce(&mut Listed)) {
        let mut listed = self.namespaces.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut listed);
        let count = u32::try_from(listed.all.len()).unwrap_or(u32::MAX);
        self.metrics.namespaces.with(&[]).set(count.into());
    }

    fn connected(&self, failure: Option<String>) {
        self.metrics.watch_connected.with(&["namespaces"]).set(number(failure.is_none()));
        let mut last = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = &failure
            && last.is_none()
        {
            tracing::warn!(error, "the watch of namespaces failed, and is tried again");
        }
        *last = failure;
    }
}

fn labels_of(namespace: &Node<'_>) -> Labels {
    let labels = namespace.find(&["metadata", "labels"]).map(Node::entries).unwrap_or_default();
    let read = labels.iter().filter(|entry| PREFIXES.iter().any(|own| entry.key.starts_with(own)));
    let pair = |entry: &ratchet_object::Entry<'_>| {
        (Box::from(&*entry.key), Box::from(entry.node.text().unwrap_or_default()))
    };
    read.take(MAX_LABELS).map(pair).collect()
}

/// A namespace with its name and these labels.
fn namespace(name: &str, labels: &Labels) -> Node<'static> {
    let labels =
        labels.iter().map(|(key, value)| (key.to_string(), Node::string(value.to_string())));
    let labels = Node::map(labels);
    let name = Node::string(name.to_owned());
    Node::map([("metadata", Node::map([("name", name), ("labels", labels)]))])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, labels: &[(&str, &str)]) -> Node<'static> {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Node::string((*value).to_owned())));
        let metadata = [("name", Node::string(name.to_owned())), ("labels", Node::map(labels))];
        Node::map([("metadata", Node::map(metadata))])
    }

    fn mode(cache: &NamespaceCache, name: &str) -> Option<Option<String>> {
        let found = cache.get(name)?;
        Some(found.map(|node| node.text_at(&["metadata", "labels", "ratchet/mode"]).to_owned()))
    }

    #[test]
    fn lists_replace_and_watches_change() {
        let cache = NamespaceCache::new(Arc::new(Metrics::new()));
        assert_eq!((cache.get("a").is_none(), cache.is_synced()), (true, false));
        for event in [
            ReflectorEvent::Listing,
            ReflectorEvent::Applied(node("a", &[("ratchet/mode", "warn"), ("team", "blue")])),
            ReflectorEvent::Applied(node("b", &[])),
            ReflectorEvent::Synced,
            ReflectorEvent::Connected,
            ReflectorEvent::Deleted(node("b", &[])),
        ] {
            cache.handle(event);
        }
        assert_eq!(mode(&cache, "a"), Some(Some("warn".into())));
        assert!(!format!("{:?}", cache.get("a")).contains("blue"), "what nobody reads is dropped");
        assert!(cache.get("b").is_none() && cache.is_synced() && cache.failure().is_none());
        // A list that is under way hides nothing, and drops what it does not name when it is complete.
        cache.handle(ReflectorEvent::Listing);
        assert_eq!(mode(&cache, "a"), Some(Some("warn".into())));
        cache.handle(ReflectorEvent::Applied(node("c", &[("ratchet/mode", "off")])));
        cache.handle(ReflectorEvent::Synced);
        assert_eq!((mode(&cache, "a"), mode(&cache, "c")), (None, Some(Some("off".into()))));
    }

    /// Bytes that an allocation takes beside those that were asked for.
    const OVERHEAD: usize = 16;

    /// An upper bound of the memory of a table: its buckets, and what they point to.
    fn heap_bytes(table: &HashMap<Box<str>, Labels>) -> usize {
        let allocated = |bytes: usize| bytes + OVERHEAD;
        // A table has a power of two of buckets, of which an eighth stays free, and a byte more for each.
        let buckets = (table.capacity() * 8 / 7 + 1).next_power_of_two();
        let buckets = buckets * (size_of::<(Box<str>, Labels)>() + 1);
        let entries = table.iter().map(|(name, labels)| {
            let texts =
                labels.iter().map(|(key, value)| allocated(key.len()) + allocated(value.len()));
            allocated(name.len()) + allocated(size_of_val(&**labels)) + texts.sum::<usize>()
        });
        allocated(buckets) + entries.sum::<usize>()
    }

    /// A namespace with every label of Pod Security, two of ours, and much that nobody reads.
    fn labelled(number: usize) -> Node<'static> {
        let name = format!("team-{number:05}-production-environment");
        let mut labels: Vec<(String, &str)> = ["enforce", "audit", "warn"]
            .iter()
            .flat_map(|mode| {
                [((*mode).to_owned(), "restricted"), (format!("{mode}-version"), "v1.36")]
            })
            .map(|(mode, value)| (format!("pod-security.kubernetes.io/{mode}"), value))
            .collect();
        labels.push(("ratchet/mode".into(), "enforce"));
        labels.push(("ratchet/RTC-IP-001".into(), "warn"));
        labels.push(("kubernetes.io/metadata.name".into(), "x"));
        labels.extend(
            (0..20).map(|other| (format!("example.com/label-{other}"), "of somebody else")),
        );
        let labels: Vec<(&str, &str)> =
            labels.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        node(&name, &labels)
    }

    #[test]
    fn ten_thousand_namespaces_have_thirty_megabytes_also_while_they_are_listed_again() {
        const LIMIT: usize = 30_000_000;
        let cache = NamespaceCache::new(Arc::new(Metrics::new()));
        for _ in 0..2 {
            cache.handle(ReflectorEvent::Listing);
            (0..10_000).for_each(|number| cache.handle(ReflectorEvent::Applied(labelled(number))));
            let listed = cache.namespaces.read().unwrap();
            let both = heap_bytes(&listed.all) + listed.listing.as_ref().map_or(0, heap_bytes);
            assert!(both < LIMIT, "{both} bytes during a list");
            drop(listed);
            cache.handle(ReflectorEvent::Synced);
        }
        let listed = cache.namespaces.read().unwrap();
        let one = heap_bytes(&listed.all);
        assert!(listed.all.len() == 10_000 && (1_000_000..LIMIT / 2).contains(&one), "{one} bytes");
        assert!(
            listed.all.values().all(|labels| labels.len() == 8),
            "what nobody reads is dropped"
        );
    }

    #[test]
    fn one_namespace_cannot_take_all_the_memory() {
        let labels: Vec<String> = (0..10_000).map(|number| format!("ratchet/x{number}")).collect();
        let labels: Vec<(&str, &str)> = labels.iter().map(|key| (key.as_str(), "off")).collect();
        assert_eq!(labels_of(&node("a", &labels)).len(), MAX_LABELS);
    }

    #[test]
    fn lookups_are_remembered_for_a_moment_and_their_number_is_bounded() {
        let cache = NamespaceCache::new(Arc::new(Metrics::new()));
        cache.remember("new", Some(&node("new", &[("ratchet/mode", "audit")])));
        cache.remember("gone", None);
        assert_eq!(mode(&cache, "new"), Some(Some("audit".into())));
        assert_eq!(mode(&cache, "gone"), Some(None));
        for number in 0..2 * MAX_LOOKUPS {
            cache.remember(&number.to_string(), None);
        }
        // Fewer on a machine so slow that the first ones are forgotten before the last.
        let count = cache.lookups.lock().unwrap().len();
        assert!((1..=MAX_LOOKUPS).contains(&count), "{count}");
    }
}
