//! `ServiceAllocator`: cluster IPs and node ports, allocated in the commit that stores the Service.

use crate::registry::{Registry, ServedResource, Strategy, clock, metadata};
use crate::status::StatusError;
use crate::storage::cache::{Cache, NODE_PORTS, ROOT, ResourceCache, storable};
use ratchet_allocation::{AllocationError, Plan, Ranges, Taken, draft, ip_address, ip_name, plan};
use ratchet_engine::{ApiConfig, Change};
use ratchet_object::{Node, Object};
use ratchet_store::{Guard, Revision, Write};
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

/// Whether validation finds nothing wrong with the addresses that a Service names.
fn is_allocatable(new: &Node<'static>, old: Option<&Node<'static>>, config: &ApiConfig) -> bool {
    let new = Object::new(new.clone());
    let old = old.map(|old| Object::new(old.clone()));
    let change = match &old {
        Some(old) => Change::update(old, &new),
        None => Change::create(&new),
    };
    change.is_none_or(|change| ratchet_engine::is_allocatable(&change, config))
}

fn random(below: u64) -> u64 {
    fastrand::u64(..below.max(1))
}

/// The answer to a Service that gets no addresses or ports.
fn status_of(error: AllocationError, service: &Node<'_>) -> StatusError {
    match error {
        AllocationError::Invalid(causes) => {
            let name = service.text_at(&["metadata", "name"]);
            StatusError::invalid_object("Service", "", name, causes)
        }
        AllocationError::Internal(text) => StatusError::internal(text),
        AllocationError::Unclassified(text) => StatusError::unclassified(text),
    }
}

/// The current allocations.
struct Allocations {
    addresses: Arc<ResourceCache>,
    ports: Arc<ResourceCache>,
}

impl Allocations {
    fn of(cache: &Cache) -> Self {
        let resource_cache = |name: &str| cache.resource_cache(name);
        Self {
            addresses: resource_cache("ipaddresses.networking.k8s.io"),
            ports: resource_cache(NODE_PORTS),
        }
    }
}

impl Taken for Allocations {
    fn address(&self, ip: IpAddr) -> bool {
        self.addresses.get(&ip_name(ip)).is_some()
    }

    fn port(&self, port: u16, _: &str) -> bool {
        self.ports.get(&port.to_string()).is_some()
    }
}

/// Allocates for Services from the ranges of a server.
#[derive(Clone, Copy)]
pub(crate) struct ServiceAllocator<'a> {
    /// The served resources, IPAddresses among them.
    pub(crate) registry: &'a Registry,
    /// The watch cache of what is allocated.
    pub(crate) cache: &'a Cache,
    /// The ranges of cluster IPs and node ports.
    pub(crate) ranges: &'a Ranges,
}

impl ServiceAllocator<'_> {
    /// Fills in allocated fields that an update omits.
    pub(crate) fn prepare(
        &self,
        strategy: &Strategy,
        new: &mut Node<'static>,
        old: Option<&Node<'_>>,
    ) {
        if strategy.allocates {
            ratchet_allocation::prepare(new, old, self.ranges);
        }
    }

    /// Allocates addresses and ports for a Service and returns the writes that claim them.
    pub(crate) fn claim(
        &self,
        strategy: &Strategy,
        new: &mut Node<'static>,
        old: Option<&Node<'_>>,
        dry_run: bool,
    ) -> Result<Vec<Write>, StatusError> {
        if !strategy.allocates {
            return Ok(Vec::new());
        }
        let planned =
            plan(new, old, &self.ranges_of(dry_run), &Allocations::of(self.cache), &mut random);
        let planned = planned.map_err(|error| status_of(error, new))?;
        self.writes(&planned, new)
    }

    /// Allocates for a Service before it is validated, so that validation and admission see what it gets. Returns the
    /// Service without what was chosen for it: that may be taken before it is stored.
    pub(crate) fn draft(
        &self,
        strategy: &Strategy,
        new: &mut Node<'static>,
        old: Option<&Node<'static>>,
        dry_run: bool,
        config: &ApiConfig,
    ) -> Result<Option<Node<'static>>, StatusError> {
        if !strategy.allocates {
            return Ok(None);
        }
        // What is wrong with the addresses that it names is all that validation is to tell.
        if !is_allocatable(new, old, config) {
            return Ok(None);
        }
        let sent = new.clone();
        let taken = Allocations::of(self.cache);
        draft(new, old, &self.ranges_of(dry_run), &taken, &mut random)
            .map_err(|error| status_of(error, &sent))?;
        Ok((*new != sent).then_some(sent))
    }

    fn ranges_of(&self, dry_run: bool) -> Cow<'_, Ranges> {
        match dry_run {
            true => Cow::Owned(self.ranges.for_dry_run()),
            false => Cow::Borrowed(self.ranges),
        }
    }

    /// Returns the writes that release the allocations of a deleted Service.
    pub(crate) fn release(
        &self,
        strategy: &Strategy,
        old: &Node<'_>,
    ) -> Result<Vec<Write>, StatusError> {
        if !strategy.allocates {
            return Ok(Vec::new());
        }
        self.writes(&ratchet_allocation::release(old), old)
    }

    fn writes(&self, plan: &Plan, service: &Node<'_>) -> Result<Vec<Write>, StatusError> {
        let (namespace, name) =
            (service.text_at(&["metadata", "namespace"]), service.text_at(&["metadata", "name"]));
        let Some(addresses) = self.registry.find("networking.k8s.io", "v1", "ipaddresses") else {
            return Ok(Vec::new());
        };
        let address_key = |ip: &IpAddr| addresses.key("", &ip_name(*ip));
        let port_key = |port: &u16| format!("{ROOT}{NODE_PORTS}/{port}");
        let taken = plan.take_addresses.iter().map(|ip| {
            let mut object = ip_address(*ip, namespace, name);
            metadata::fill_system_fields(
                &mut object,
                addresses.strategy(),
                clock::new_uid(),
                clock::now(),
            );
            Ok(Write::put(&address_key(ip), Guard::Absent, storable(&object)?.bytes()))
        });
        // Only its own allocations are released: an address that was freed by hand may belong to another Service by now.
        let owns = |owner: &Node<'_>| {
            (owner.text_at(&["namespace"]), owner.text_at(&["name"])) == (namespace, name)
        };
        let released = plan.give_addresses.iter().filter_map(|ip| {
            let item = addresses.cache.get(&ip_name(*ip))?;
            let own = item.node().find(&["spec", "parentRef"]).is_some_and(owns);
            own.then(|| Ok(Write::delete(&address_key(ip), Guard::At(Revision(item.revision)))))
        });
        // A port number belongs to one Service, whatever its protocols.
        let ports = plan.take_numbers.iter().map(|port| {
            let owner =
                Node::map([("namespace", Node::string(namespace)), ("name", Node::string(name))]);
            let value = storable(&Node::map([("metadata", owner)]))?;
            Ok(Write::put(&port_key(port), Guard::Absent, value.bytes()))
        });
        let numbers = self.cache.resource_cache(NODE_PORTS);
        let released_ports = plan.give_numbers.iter().filter_map(|port| {
            let item = numbers.get(&port.to_string())?;
            let own = item.node().get("metadata").is_some_and(owns);
            own.then(|| Ok(Write::delete(&port_key(port), Guard::At(Revision(item.revision)))))
        });
        taken.chain(released).chain(ports).chain(released_ports).collect()
    }

    /// The writes that claim the address of the bootstrap Service.
    pub(crate) fn bootstrap_claims(
        &self,
        resource: &ServedResource,
        node: &Node<'_>,
    ) -> Result<Vec<Write>, StatusError> {
        if !resource.strategy().allocates {
            return Ok(Vec::new());
        }
        let release = ratchet_allocation::release(node);
        let plan = Plan { take_addresses: release.give_addresses, ..Plan::default() };
        self.writes(&plan, node)
    }
}
