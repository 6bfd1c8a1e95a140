//! `ServiceLocator`: where the Services of webhooks and of extension API servers are, from the watch cache.

mod addresses;

use self::addresses::Addresses;
pub(crate) use self::addresses::{is_ready, service_port, slice_port};
use crate::storage::cache::{Cache, Item, ResourceCache};
use ratchet_kubelet::ServiceResolver;
use ratchet_net::Quoted;
use ratchet_object::Node;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

const SERVICE_NAME: &str = "kubernetes.io/service-name";
/// The most Services whose addresses are kept.
const MAX_KNOWN: usize = 256;

/// Which address of a Service is dialed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ServiceRouting {
    /// A ready endpoint if there is one, which is where kube-proxy sends what is for a cluster IP; otherwise the
    /// cluster IP.
    #[default]
    Automatic,
    /// `--enable-aggregator-routing=false`: the cluster IP, whatever routes it.
    ClusterIp,
    /// `--enable-aggregator-routing`: an endpoint, also in URLs.
    Endpoint,
}

/// A Service, as webhooks and APIServices name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ServiceReference {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) port: u16,
}

/// A host and a port.
pub(crate) type HostPort = (String, u16);

/// Where a Service is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// Host and port of its URLs.
    pub(crate) url: HostPort,
    /// The endpoint that is dialed in their place.
    pub(crate) endpoint: Option<HostPort>,
}

/// Locates Services.
pub(crate) struct ServiceLocator {
    pub(crate) services: Arc<ResourceCache>,
    pub(crate) slices: Arc<ResourceCache>,
    routing: ServiceRouting,
    /// This server itself, which the Service `kubernetes` stands for.
    own: HostPort,
    /// Requests are many, and changes of endpoints are few.
    known: Mutex<HashMap<ServiceReference, Known>>,
}

/// Addresses, and the revisions of the Service and of EndpointSlices that they were read at.
struct Known {
    state: (u64, u64),
    addresses: Result<Arc<Addresses>, String>,
}

impl ServiceLocator {
    pub(crate) fn new(cache: &Cache, routing: ServiceRouting, own: HostPort) -> Self {
        let services = cache.resource_cache("services");
        let slices = cache.resource_cache("endpointslices.discovery.k8s.io");
        Self { services, slices, routing, own, known: Mutex::default() }
    }

    /// The stored Service.
    pub(crate) fn service(&self, reference: &ServiceReference) -> Option<Arc<Item>> {
        self.services.get(&key(reference))
    }

    /// The EndpointSlices of a Service.
    pub(crate) fn slices(&self, reference: &ServiceReference) -> Vec<Arc<Item>> {
        let prefix = format!("{}/", reference.namespace);
        let snapshot = self.slices.now();
        let is_own = |item: &&Arc<Item>| {
            item.read(|node| node.text_at(&["metadata", "labels", SERVICE_NAME]) == reference.name)
        };
        snapshot.within(&prefix).filter(is_own).cloned().collect()
    }

    /// Where a Service is now; the error is that of the reference.
    pub(crate) fn locate(&self, reference: &ServiceReference) -> Result<Location, String> {
        let ServiceReference { namespace, name, port } = reference;
        if (namespace.as_str(), name.as_str(), *port) == ("default", "kubernetes", 443) {
            return Ok(Location { url: self.own.clone(), endpoint: None });
        }
        let service = match self.services.find(&key(reference)) {
            Ok(Some(item)) => item,
            Ok(None) => return Err(format!("service {} not found", Quoted(name))),
            Err(_) => return Err(format!("service {} cannot be read", Quoted(name))),
        };
        self.addresses(reference, &service).map(|addresses| addresses.choose())
    }

    fn addresses(
        &self,
        reference: &ServiceReference,
        service: &Item,
    ) -> Result<Arc<Addresses>, String> {
        let state = (service.revision, self.slices.now().revision);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(reference).filter(|known| known.state == state) {
            return known.addresses.clone();
        }
        let slices: Vec<Node<'static>> =
            self.slices(reference).iter().map(|item| item.node()).collect();
        let addresses = Addresses::of(self.routing, &service.node(), reference.port, &slices);
        let addresses = addresses.map(Arc::new);
        let mut known = known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(reference.clone(), Known { state, addresses: addresses.clone() });
        addresses
    }
}

impl ServiceResolver for ServiceLocator {
    fn resolve(&self, namespace: &str, name: &str, port: u16) -> Result<HostPort, String> {
        let reference =
            ServiceReference { namespace: namespace.to_owned(), name: name.to_owned(), port };
        self.locate(&reference).map(|location| location.endpoint.unwrap_or(location.url))
    }
}

fn key(reference: &ServiceReference) -> String {
    format!("{}/{}", reference.namespace, reference.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::cache::ObjectState;

    fn put(cache: &ResourceCache, revision: u64, key: &str, value: &str) {
        let item = Item::stored(key.into(), revision, value.as_bytes()).unwrap();
        cache.apply(vec![(revision, key.into(), ObjectState::Item(item))]);
    }

    #[test]
    fn addresses_follow_what_is_stored() {
        let (services, slices) = (Arc::<ResourceCache>::default(), Arc::<ResourceCache>::default());
        let locator = ServiceLocator {
            services: services.clone(),
            slices: slices.clone(),
            routing: ServiceRouting::Automatic,
            own: ("127.0.0.1".into(), 6443),
            known: Mutex::default(),
        };
        let resolve = |name: &str, port| locator.resolve("n", name, port);
        assert_eq!(locator.resolve("default", "kubernetes", 443), Ok(("127.0.0.1".into(), 6443)));
        assert_eq!(resolve("s", 443), Err("service \"s\" not found".into()));
        let service = r#"{"metadata":{"name":"s"},"spec":{"type":"ClusterIP","clusterIP":"10.0.0.9","ports":[{"port":443}]}}"#;
        put(&services, 2, "n/s", service);
        assert_eq!(resolve("s", 443), Ok(("10.0.0.9".into(), 443)));
        let slice = |address: &str| {
            format!(
                r#"{{"metadata":{{"name":"s-1","labels":{{"{SERVICE_NAME}":"s"}}}},"addressType":"IPv4",
                "endpoints":[{{"addresses":["{address}"]}}],"ports":[{{"name":"","port":8443}}]}}"#
            )
        };
        put(&slices, 3, "n/s-1", &slice("10.1.0.1"));
        assert_eq!(resolve("s", 443), Ok(("10.1.0.1".into(), 8443)));
        let reference = ServiceReference { namespace: "n".into(), name: "s".into(), port: 443 };
        let location = locator.locate(&reference).unwrap();
        assert_eq!(location.url, ("10.0.0.9".into(), 443), "URLs have the cluster IP");
        put(&slices, 4, "n/s-1", &slice("10.1.0.2"));
        assert_eq!(resolve("s", 443), Ok(("10.1.0.2".into(), 8443)));
        slices.apply(vec![(5, "n/s-1".into(), ObjectState::Deleted)]);
        assert_eq!(resolve("s", 443), Ok(("10.0.0.9".into(), 443)));
        services.apply(vec![(6, "n/s".into(), ObjectState::Deleted)]);
        assert_eq!(resolve("s", 443), Err("service \"s\" not found".into()));
        for number in 0..300 {
            put(&services, 7 + number, &format!("n/s{number}"), service);
            assert!(resolve(&format!("s{number}"), 443).is_ok());
        }
        assert!(locator.known.lock().unwrap().len() <= MAX_KNOWN);
    }
}
