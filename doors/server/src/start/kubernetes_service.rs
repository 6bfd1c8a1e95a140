//! The objects of the `kubernetes` Service: ServiceCIDR, Service, Endpoints and EndpointSlice.

use crate::app::App;
use ratchet_allocation::{ip_name, service_cidr};
use ratchet_object::Node;
use std::net::{IpAddr, SocketAddr};

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
