//! Allocation of cluster IPs and node ports, in the commit that stores the Service.

use crate::app::App;
use crate::cache::{NODE_PORTS, ROOT, ResourceCache, storable};
use crate::lifecycle::metadata;
use crate::status::StatusError;
use ratchet_allocation::{Fault, Plan, Taken, ip_address, ip_name, plan, service_cidr};
use ratchet_object::{Kind, Node};
use ratchet_store::{Guard, Revision, Write};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

fn is_service(kind: &Kind<'_>) -> bool {
    (kind.group, kind.name) == ("", "Service")
}

/// The current allocations.
struct Allocations {
    addresses: Arc<ResourceCache>,
    ports: Arc<ResourceCache>,
}

impl Allocations {
    fn of(app: &App) -> Self {
        let resource_cache = |name: &str| app.cache.resource_cache(name).unwrap_or_default();
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

/// Fills in allocated fields that an update omits.
pub(crate) fn prepare(app: &App, kind: &Kind<'_>, new: &mut Node<'static>, old: Option<&Node<'_>>) {
    if is_service(kind) {
        ratchet_allocation::prepare(new, old, &app.ranges);
    }
}

/// Allocates addresses and ports for a Service and returns the writes that claim them.
pub(crate) fn claim(
    app: &App,
    kind: &Kind<'_>,
    new: &mut Node<'static>,
    old: Option<&Node<'_>>,
) -> Result<Vec<Write>, StatusError> {
    if !is_service(kind) {
        return Ok(Vec::new());
    }
    let planned = plan(new, old, &app.ranges, &Allocations::of(app), &mut |below| {
        fastrand::u64(..below.max(1))
    });
    let planned = planned.map_err(|fault| match fault {
        Fault::Invalid(causes) => {
            StatusError::invalid_object("Service", "", new.text_at(&["metadata", "name"]), causes)
        }
        Fault::Internal(text) => StatusError::internal(text),
        Fault::Unclassified(text) => StatusError::unclassified(text),
    })?;
    writes(app, &planned, new)
}

/// Returns the writes that release the allocations of a deleted Service.
pub(crate) fn release(
    app: &App,
    kind: &Kind<'_>,
    old: &Node<'_>,
) -> Result<Vec<Write>, StatusError> {
    if !is_service(kind) {
        return Ok(Vec::new());
    }
    writes(app, &ratchet_allocation::release(old), old)
}

fn writes(app: &App, plan: &Plan, service: &Node<'_>) -> Result<Vec<Write>, StatusError> {
    let (namespace, name) =
        (service.text_at(&["metadata", "namespace"]), service.text_at(&["metadata", "name"]));
    let Some(addresses) = app.registry.find("networking.k8s.io", "v1", "ipaddresses") else {
        return Ok(Vec::new());
    };
    let address_key = |ip: &IpAddr| addresses.key("", &ip_name(*ip));
    let port_key = |port: &u16| format!("{ROOT}{NODE_PORTS}/{port}");
    let taken = plan.take_addresses.iter().map(|ip| {
        let mut object = ip_address(*ip, namespace, name);
        metadata::fill_system_fields(&mut object, addresses.strategy, app.new_uid(), app.now());
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
    let numbers = app.cache.resource_cache(NODE_PORTS).unwrap_or_default();
    let released_ports = plan.give_numbers.iter().filter_map(|port| {
        let item = numbers.get(&port.to_string())?;
        let own = item.node().get("metadata").is_some_and(owns);
        own.then(|| Ok(Write::delete(&port_key(port), Guard::At(Revision(item.revision)))))
    });
    taken.chain(released).chain(ports).chain(released_ports).collect()
}

/// The `kubernetes` Service and the default ServiceCIDR.
pub(crate) fn bootstrap_objects(app: &App) -> Vec<Node<'static>> {
    let mut objects = vec![service_cidr(&app.ranges, &app.now())];
    if let Some(first) = app.ranges.first_address() {
        objects.push(kubernetes_service(app, first));
    }
    objects
}

fn kubernetes_service(app: &App, first: IpAddr) -> Node<'static> {
    let port = app.address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).unwrap_or(6443);
    let labels = Node::map([
        ("component", Node::string("apiserver")),
        ("provider", Node::string("kubernetes")),
    ]);
    let text = Node::string(ip_name(first));
    let family = if first.is_ipv4() { "IPv4" } else { "IPv6" };
    let ports = Node::map([
        ("name", Node::string("https")),
        ("port", Node::int(443)),
        ("protocol", Node::string("TCP")),
        ("targetPort", Node::int(port)),
    ]);
    let spec = Node::map([
        ("type", Node::string("ClusterIP")),
        ("clusterIP", text.clone()),
        ("clusterIPs", Node::list(vec![text])),
        ("ipFamilies", Node::list(vec![Node::string(family)])),
        ("ipFamilyPolicy", Node::string("SingleStack")),
        ("sessionAffinity", Node::string("None")),
        ("internalTrafficPolicy", Node::string("Cluster")),
        ("ports", Node::list(vec![ports])),
    ]);
    let metadata = Node::map([
        ("name", Node::string("kubernetes")),
        ("namespace", Node::string("default")),
        ("labels", labels),
    ]);
    Node::map([
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string("Service")),
        ("metadata", metadata),
        ("spec", spec),
        ("status", Node::map([("loadBalancer", Node::empty_map())])),
    ])
}

/// The writes that claim the address of the bootstrap Service.
pub(crate) fn bootstrap_claims(app: &App, node: &Node<'_>) -> Result<Vec<Write>, StatusError> {
    if node.text_at(&["kind"]) != "Service" {
        return Ok(Vec::new());
    }
    let release = ratchet_allocation::release(node);
    let plan = Plan { take_addresses: release.give_addresses, ..Plan::default() };
    writes(app, &plan, node)
}

/// The endpoints of the `kubernetes` Service; none if the server listens on a loopback address.
pub(crate) fn own_endpoints(app: &App) -> Vec<Node<'static>> {
    let Ok(address) = app.address.parse::<SocketAddr>() else { return Vec::new() };
    if address.ip().is_loopback() || address.ip().is_unspecified() {
        return Vec::new();
    }
    let ip = ip_name(address.ip());
    let port = |number: u16| {
        Node::map([
            ("name", Node::string("https")),
            ("port", Node::int(i64::from(number))),
            ("protocol", Node::string("TCP")),
        ])
    };
    let metadata = |labels: Vec<(&'static str, &'static str)>| {
        let labels = labels.into_iter().map(|(name, value)| (name, Node::string(value)));
        Node::map([
            ("name", Node::string("kubernetes")),
            ("namespace", Node::string("default")),
            ("labels", Node::map(labels)),
        ])
    };
    let skip = ("endpointslice.kubernetes.io/skip-mirror", "true");
    let subset = Node::map([
        ("addresses", Node::list(vec![Node::map([("ip", Node::string(ip.clone()))])])),
        ("ports", Node::list(vec![port(address.port())])),
    ]);
    let endpoints = Node::map([
        ("apiVersion", Node::string("v1")),
        ("kind", Node::string("Endpoints")),
        ("metadata", metadata(vec![skip])),
        ("subsets", Node::list(vec![subset])),
    ]);
    let endpoint = Node::map([
        ("addresses", Node::list(vec![Node::string(ip)])),
        ("conditions", Node::map([("ready", Node::bool(true))])),
    ]);
    let family = if address.is_ipv4() { "IPv4" } else { "IPv6" };
    let slice = Node::map([
        ("apiVersion", Node::string("discovery.k8s.io/v1")),
        ("kind", Node::string("EndpointSlice")),
        ("metadata", metadata(vec![("kubernetes.io/service-name", "kubernetes")])),
        ("addressType", Node::string(family)),
        ("endpoints", Node::list(vec![endpoint])),
        ("ports", Node::list(vec![port(address.port())])),
    ]);
    vec![endpoints, slice]
}
