//! `ApiServices`: the APIServices of the cluster as routes, each read once.

use crate::app::service_resolver::ServiceReference;
use crate::storage::cache::{Cache, Item, ResourceCache};
use arc_swap::ArcSwap;
use ratchet_kubelet::ExtensionTrust;
use ratchet_object::{Node, decode_base64};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The API group of APIServices themselves, which never is one.
pub(crate) const GROUP: &str = "apiregistration.k8s.io";
/// The storage name of APIServices.
pub(crate) const STORAGE: &str = "apiservices.apiregistration.k8s.io";
/// The label of the APIServices that this server makes for what it serves itself.
pub(crate) const MANAGED: &str = "kube-aggregator.kubernetes.io/automanaged";

/// The port of a Service that names none.
const DEFAULT_PORT: u16 = 443;

/// One APIService, as it was stored at a revision.
#[derive(Debug)]
pub(crate) struct ApiService {
    /// `version.group`.
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) group_priority: i64,
    pub(crate) version_priority: i64,
    /// The extension server; none if this server serves the version itself.
    pub(crate) remote: Option<Remote>,
    /// Whether the condition `Available` is true.
    pub(crate) is_available: bool,
    /// A digest of the spec: the status changes without it.
    pub(crate) spec: u64,
    pub(crate) revision: u64,
}

/// Where an extension server is, and which certificates of it are accepted.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub(crate) service: ServiceReference,
    /// An error says why the bundle cannot be used.
    pub(crate) trust: Result<Arc<ExtensionTrust>, String>,
    /// What the trust was made from.
    source: (String, bool),
}

impl ApiService {
    fn read(item: &Item, before: Option<&Self>) -> Self {
        item.read(|node| {
            let text = |names: &[&str]| node.text_at(names).to_owned();
            let number = |name| node.find(&["spec", name]).and_then(Node::as_int).unwrap_or(0);
            Self {
                name: text(&["metadata", "name"]),
                group: text(&["spec", "group"]),
                version: text(&["spec", "version"]),
                group_priority: number("groupPriorityMinimum"),
                version_priority: number("versionPriority"),
                remote: Remote::read(node, before.and_then(|before| before.remote.as_ref())),
                is_available: available(node).is_some_and(|one| one.text_at(&["status"]) == "True"),
                spec: digest(&node.get("spec").map(Node::to_json).unwrap_or_default()),
                revision: item.revision,
            }
        })
    }
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The condition `Available` of an APIService.
pub(crate) fn available<'n, 't>(node: &'n Node<'t>) -> Option<&'n Node<'t>> {
    let conditions = node.find(&["status", "conditions"]).map(Node::items).unwrap_or_default();
    conditions.iter().find(|one| one.text_at(&["type"]) == "Available")
}

impl Remote {
    fn read(node: &Node<'_>, before: Option<&Self>) -> Option<Self> {
        let service = node.find(&["spec", "service"]).filter(|service| !service.is_null())?;
        let port = service.get("port").and_then(Node::as_int);
        let service = ServiceReference {
            namespace: service.text_at(&["namespace"]).to_owned(),
            name: service.text_at(&["name"]).to_owned(),
            port: port.and_then(|port| u16::try_from(port).ok()).unwrap_or(DEFAULT_PORT),
        };
        let is_insecure = node.find(&["spec", "insecureSkipTLSVerify"]).and_then(Node::as_bool);
        let bundle = node.text_at(&["spec", "caBundle"]).to_owned();
        let source = (bundle, is_insecure == Some(true));
        // A change of the status is no reason to read certificates again.
        let trust = match before.filter(|before| before.source == source) {
            Some(before) => before.trust.clone(),
            None => {
                let bytes = decode_base64(&source.0).unwrap_or_default();
                ExtensionTrust::new(&bytes, source.1).map(Arc::new)
            }
        };
        Some(Self { service, trust, source })
    }
}

/// All APIServices at a revision.
#[derive(Debug, Default)]
pub(crate) struct ApiServiceSet {
    revision: Option<u64>,
    by_name: HashMap<Arc<str>, Arc<ApiService>>,
    has_remote: bool,
}

impl ApiServiceSet {
    /// Whether any version is served by an extension server.
    pub(crate) fn has_remote(&self) -> bool {
        self.has_remote
    }

    /// All of them, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<ApiService>> {
        self.by_name.values()
    }

    /// Those of extension servers, in no order.
    pub(crate) fn remote(&self) -> impl Iterator<Item = &Arc<ApiService>> {
        self.all().filter(|service| service.remote.is_some())
    }

    /// The APIService of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<ApiService>> {
        self.by_name.get(name)
    }

    /// The APIService of a version that an extension server serves.
    pub(crate) fn remote_version(&self, group: &str, version: &str) -> Option<&Arc<ApiService>> {
        if !self.has_remote {
            return None;
        }
        self.get(&format!("{version}.{group}")).filter(|service| service.remote.is_some())
    }
}

/// The APIServices as of the last change of one.
pub(crate) struct ApiServices {
    pub(crate) cache: Arc<ResourceCache>,
    now: ArcSwap<ApiServiceSet>,
}

impl ApiServices {
    pub(crate) fn new(cache: &Cache) -> Self {
        let cache = cache.resource_cache(STORAGE);
        Self { cache, now: ArcSwap::default() }
    }

    /// The current ones, including every acknowledged one.
    pub(crate) fn now(&self) -> Arc<ApiServiceSet> {
        let snapshot = self.cache.now();
        let known = self.now.load_full();
        if known.revision == Some(snapshot.revision) {
            return known;
        }
        let one = |item: &Arc<Item>| {
            let before = known.by_name.get(&item.key);
            let service = match before {
                Some(before) if before.revision == item.revision => before.clone(),
                _ => Arc::new(ApiService::read(item, before.map(Arc::as_ref))),
            };
            (item.key.clone(), service)
        };
        let by_name: HashMap<_, _> = snapshot.items.values().map(one).collect();
        let has_remote = by_name.values().any(|service| service.remote.is_some());
        let set = ApiServiceSet { revision: Some(snapshot.revision), by_name, has_remote };
        let set = Arc::new(set);
        self.now.store(set.clone());
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::cache::ObjectState;

    fn put(cache: &ResourceCache, revision: u64, name: &str, value: &str) {
        let item = Item::stored(name.into(), revision, value.as_bytes()).unwrap();
        cache.apply(vec![(revision, name.into(), ObjectState::Item(item))]);
    }

    #[test]
    fn routes_follow_the_objects() {
        let cache = Arc::new(ResourceCache::default());
        let services = ApiServices { cache: cache.clone(), now: ArcSwap::default() };
        assert!(!services.now().has_remote());
        put(
            &cache,
            2,
            "v1.a",
            r#"{"metadata":{"name":"v1.a"},"spec":{"group":"a","version":"v1"}}"#,
        );
        assert!(!services.now().has_remote(), "it is local");
        let remote = r#"{"metadata":{"name":"v1.b"},"spec":{"group":"b","version":"v1",
            "service":{"namespace":"n","name":"s"},"insecureSkipTLSVerify":true},
            "status":{"conditions":[{"type":"Available","status":"True"}]}}"#;
        put(&cache, 3, "v1.b", remote);
        let set = services.now();
        assert!(set.remote_version("a", "v1").is_none());
        let found = set.remote_version("b", "v1").unwrap();
        let reference = &found.remote.as_ref().unwrap().service;
        assert_eq!((reference.port, found.is_available), (443, true));
        put(&cache, 4, "v1.b", &remote.replace("\"True\"", "\"False\""));
        let later = services.now();
        let later = later.remote_version("b", "v1").unwrap();
        assert!(!later.is_available);
        let trust = |service: &ApiService| service.remote.clone().unwrap().trust.unwrap();
        assert!(Arc::ptr_eq(&trust(found), &trust(later)), "certificates are read once");
        cache.apply(vec![(5, "v1.b".into(), ObjectState::Deleted)]);
        assert!(!services.now().has_remote());
    }
}
