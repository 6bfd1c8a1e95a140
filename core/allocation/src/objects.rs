//! The IPAddress and ServiceCIDR objects that publish allocations.

use crate::ranges::{Ranges, family_name};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use core::net::IpAddr;
use ratchet_net::{Canonical, Family};
use ratchet_object::Node;

const API_VERSION: &str = "networking.k8s.io/v1";

/// The name of the IPAddress object of an address: its canonical form.
pub fn ip_name(ip: IpAddr) -> String {
    Canonical::of(ip).to_string()
}

/// The IPAddress object of a Service's address.
pub fn ip_address(ip: IpAddr, namespace: &str, name: &str) -> Node<'static> {
    let family = family_name(Family::of(ip.to_canonical()));
    let labels = Node::map([
        ("ipaddress.kubernetes.io/ip-family", Node::string(family)),
        ("ipaddress.kubernetes.io/managed-by", Node::string("ipallocator.k8s.io")),
    ]);
    // The group of Services is empty, and therefore omitted.
    let parent = Node::map([
        ("name", Node::string(name.to_owned())),
        ("namespace", Node::string(namespace.to_owned())),
        ("resource", Node::string("services")),
    ]);
    Node::map([
        ("apiVersion", Node::string(API_VERSION)),
        ("kind", Node::string("IPAddress")),
        ("metadata", Node::map([("labels", labels), ("name", Node::string(ip_name(ip)))])),
        ("spec", Node::map([("parentRef", parent)])),
    ])
}

/// The default ServiceCIDR, with the networks of the server's flags, ready since `now`.
pub fn service_cidr(ranges: &Ranges, now: &str) -> Node<'static> {
    let cidrs = ranges.cidrs().into_iter().map(Node::string).collect();
    let ready = Node::map([
        ("lastTransitionTime", Node::string(now.to_owned())),
        ("message", Node::string("Kubernetes default Service CIDR is ready")),
        ("reason", Node::string("")),
        ("status", Node::string("True")),
        ("type", Node::string("Ready")),
    ]);
    Node::map([
        ("apiVersion", Node::string(API_VERSION)),
        ("kind", Node::string("ServiceCIDR")),
        ("metadata", Node::map([("name", Node::string("kubernetes"))])),
        ("spec", Node::map([("cidrs", Node::list(cidrs))])),
        ("status", Node::map([("conditions", Node::list([ready].into()))])),
    ])
}
