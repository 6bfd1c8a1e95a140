//! The parts of a Service that the endpoint controllers need.

use crate::addresses::{Address, parse_family};
use crate::labels::{annotations, labels, string_entries};
use jiff::Timestamp;
use ratchet_net::Family;
use ratchet_object::{Node, Value};
use std::collections::BTreeMap;

/// The label of slices whose Service is headless.
pub(crate) const HEADLESS: &str = "service.kubernetes.io/headless";

/// Annotations that ask for topology-aware hints; the first present one counts.
const TOPOLOGY: [&str; 2] =
    ["service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"];

/// A parsed Service.
#[derive(Clone, Debug)]
pub(crate) struct Service<'n> {
    pub(crate) namespace: &'n str,
    pub(crate) name: &'n str,
    pub(crate) uid: &'n str,
    pub(crate) cluster_ip: &'n str,
    pub(crate) is_external_name: bool,
    pub(crate) is_deleted: bool,
    /// Whether pods that are not ready are published like ready ones.
    pub(crate) publishes_all: bool,
    /// The labels of its pods; empty if others maintain its endpoints.
    pub(crate) selector: Vec<(&'n str, &'n str)>,
    pub(crate) ports: Vec<ServicePort<'n>>,
    families: Vec<Family>,
    pub(crate) labels: BTreeMap<&'n str, &'n str>,
    /// Whether topology-aware hints are requested.
    pub(crate) wants_topology_hints: bool,
    pub(crate) distribution: Distribution,
    pub(crate) created: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ServicePort<'n> {
    pub(crate) name: &'n str,
    pub(crate) protocol: &'n str,
    pub(crate) app_protocol: Option<&'n str>,
    pub(crate) target: Target<'n>,
}

/// The target port in a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target<'n> {
    Number(i64),
    Name(&'n str),
}

/// `trafficDistribution`: the endpoints that clients prefer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distribution {
    Anywhere,
    SameZone,
    SameNode,
}

const DISTRIBUTIONS: [(&str, Distribution); 3] = [
    ("PreferClose", Distribution::SameZone),
    ("PreferSameZone", Distribution::SameZone),
    ("PreferSameNode", Distribution::SameNode),
];

impl<'n> Service<'n> {
    pub(crate) fn from_node(node: &'n Node<'_>) -> Self {
        let spec = |name: &str| node.text_at(&["spec", name]);
        let flag = |name: &str| node.find(&["spec", name]).and_then(Node::as_bool);
        let items = |name: &str| node.find(&["spec", name]).map(Node::items).unwrap_or_default();
        let traffic_distribution = spec("trafficDistribution");
        let distribution = DISTRIBUTIONS.iter().find(|(name, _)| *name == traffic_distribution);
        let families = items("ipFamilies").iter().filter_map(Node::text);
        Self {
            namespace: node.metadata().namespace(),
            name: node.metadata().name(),
            uid: node.metadata().uid(),
            cluster_ip: node.text_at(&["spec", "clusterIP"]),
            is_external_name: spec("type") == "ExternalName",
            is_deleted: !node.metadata().deletion_timestamp().is_empty(),
            publishes_all: flag("publishNotReadyAddresses").unwrap_or_default(),
            selector: selector(node).collect(),
            ports: items("ports").iter().map(ServicePort::from_node).collect(),
            families: families.filter_map(parse_family).collect(),
            labels: labels(node).collect(),
            wants_topology_hints: wants_topology_hints(node),
            distribution: distribution
                .map_or(Distribution::Anywhere, |(_, distribution)| *distribution),
            created: node.metadata().creation_timestamp().parse().ok(),
        }
    }

    /// Whether its endpoints come from pods.
    pub(crate) fn selects(&self) -> bool {
        !self.selector.is_empty() && !self.is_external_name
    }

    /// Whether it has no cluster IP.
    pub(crate) fn is_headless(&self) -> bool {
        matches!(self.cluster_ip, "" | "None")
    }

    /// The families of its endpoints, in the order of the Service. A Service without `ipFamilies`
    /// has the family of its cluster IP, or both.
    pub(crate) fn families(&self) -> Vec<Family> {
        let mut families = self.families.clone();
        families.dedup();
        match families.is_empty() {
            false => families,
            true if self.is_headless() => vec![Family::V4, Family::V6],
            true => vec![self.family_of_address()],
        }
    }

    /// The single family of its Endpoints.
    pub(crate) fn first_family(&self, of_pod: Option<Family>) -> Family {
        match self.families.first() {
            Some(first) => *first,
            None if !self.is_headless() => self.family_of_address(),
            None => of_pod.unwrap_or(Family::V4),
        }
    }

    fn family_of_address(&self) -> Family {
        Address::parse(self.cluster_ip).map_or(Family::V4, |address| address.family())
    }
}

pub(crate) fn selector<'n>(service: &'n Node<'_>) -> impl Iterator<Item = (&'n str, &'n str)> {
    string_entries(service.find(&["spec", "selector"]))
}

/// Whether topology-aware hints are requested for a Service.
pub(crate) fn wants_topology_hints(service: &Node<'_>) -> bool {
    let annotation =
        |annotation_name: &&str| annotations(service).find(|(name, _)| name == annotation_name);
    TOPOLOGY.iter().find_map(annotation).is_some_and(|(_, value)| matches!(value, "Auto" | "auto"))
}

impl<'n> ServicePort<'n> {
    fn from_node(node: &'n Node<'_>) -> Self {
        let number = |name: &str| node.get(name).and_then(Node::as_int);
        let target = match node.get("targetPort").map(|target| &target.value) {
            Some(Value::Text(name)) if !name.is_empty() => Target::Name(name),
            Some(Value::Int(number)) if *number != 0 => Target::Number(*number),
            _ => Target::Number(number("port").unwrap_or_default()),
        };
        Self {
            name: node.text_at(&["name"]),
            protocol: protocol(node),
            app_protocol: node.get("appProtocol").and_then(Node::text),
            target,
        }
    }
}

/// The protocol of a port, TCP by default.
pub(crate) fn protocol<'n>(port: &'n Node<'_>) -> &'n str {
    match port.text_at(&["protocol"]) {
        "" => "TCP",
        named => named,
    }
}
