//! `ServiceAllocator`: cluster IPs and node ports, allocated in the commit that stores the Service.

use crate::registry::{Registry, ServedResource, Strategy, clock, metadata};
use crate::status::StatusError;
use crate::storage::cache::{Cache, NODE_PORTS, ROOT, ResourceCache, storable};
use ratchet_allocation::{AllocationError, Plan, Ranges, Taken, ip_address, ip_name, plan};
use ratchet_object::Node;
use ratchet_store::{Guard, Revision, Write};
use std::net::IpAddr;
use std::sync::Arc;

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
        let ranges = match dry_run {
            true => &self.ranges.for_dry_run(),
            false => self.ranges,
        };
        let planned = plan(new, old, ranges, &Allocations::of(self.cache), &mut |below| {
            fastrand::u64(..below.max(1))
        });
        let planned = planned.map_err(|error| match error {
            AllocationError::Invalid(causes) => StatusError::invalid_object(
                "Service",
                "",
                new.text_at(&["metadata", "name"]),
                causes,
            ),
            AllocationError::Internal(text) => StatusError::internal(text),
            AllocationError::Unclassified(text) => StatusError::unclassified(text),
        })?;
        self.writes(&planned, new)
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
            Ok(Write::put(&address_key(ip), Guard::Absent, storable(object)?.bytes()))
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
            let value = storable(Node::map([("metadata", owner)]))?;
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
