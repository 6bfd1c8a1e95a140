//! The part of a Service's spec that allocation uses, parsed and written.

use crate::ranges::{Ranges, family_name};
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::{Family, IpText};
use ratchet_object::Node;

/// The `clusterIP` of a headless Service.
const NONE: &str = "None";

/// The fields of `spec` that matter here; empty strings, empty lists and zeros are absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(crate) kind: String,
    pub(crate) cluster_ip: String,
    pub(crate) cluster_ips: Vec<String>,
    pub(crate) families: Vec<String>,
    pub(crate) policy: String,
    /// Whether the policy is given and empty.
    pub(crate) is_policy_empty: bool,
    pub(crate) has_selector: bool,
    pub(crate) has_external_ips: bool,
    pub(crate) ports: Vec<Port>,
    pub(crate) allocates_ports: Option<bool>,
    pub(crate) health_port: i64,
    pub(crate) traffic: String,
    pub(crate) class: Option<String>,
}

/// An item of `spec.ports`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) protocol: String,
    pub(crate) port: i64,
    pub(crate) node_port: i64,
}

impl Spec {
    /// Parses the spec of a Service.
    pub(crate) fn from_service(service: &Node<'_>) -> Self {
        let spec = service.get("spec");
        let text = |name: &str| spec.map(|spec| spec.text_at(&[name])).unwrap_or_default();
        let items =
            |name: &str| spec.and_then(|spec| spec.get(name)).map(Node::items).unwrap_or_default();
        let texts =
            |name: &str| items(name).iter().map(|item| item.text().unwrap_or_default().to_owned());
        let of = |name: &str| spec.and_then(|spec| spec.get(name));
        Self {
            kind: or(text("type"), "ClusterIP"),
            cluster_ip: text("clusterIP").to_owned(),
            cluster_ips: texts("clusterIPs").collect(),
            families: texts("ipFamilies").collect(),
            policy: text("ipFamilyPolicy").to_owned(),
            is_policy_empty: of("ipFamilyPolicy").and_then(Node::text) == Some(""),
            has_selector: of("selector").is_some_and(|selector| !selector.entries().is_empty()),
            has_external_ips: !items("externalIPs").is_empty(),
            ports: items("ports").iter().map(Port::from_node).collect(),
            allocates_ports: of("allocateLoadBalancerNodePorts").and_then(Node::as_bool),
            health_port: of("healthCheckNodePort").and_then(Node::as_int).unwrap_or_default(),
            traffic: text("externalTrafficPolicy").to_owned(),
            class: of("loadBalancerClass").and_then(Node::text).map(ToOwned::to_owned),
        }
    }

    /// Parses the spec of a stored Service, completed where an older server has left something out.
    pub(crate) fn stored(service: &Node<'_>, ranges: &Ranges) -> Self {
        let mut spec = Self::from_service(service);
        spec.follow_single();
        if spec.is_external_name() || !spec.families.is_empty() {
            return spec;
        }
        let primary = ranges.primary_family();
        let is_bare = spec.is_headless() && !spec.has_selector;
        spec.families = match spec.is_headless() {
            true if is_bare => {
                [primary, other(primary)].map(|family| family_name(family).into()).into()
            }
            true => [family_name(primary).to_string()].into(),
            false => spec.cluster_ips.iter().map(|ip| family_of(ip).to_owned()).collect(),
        };
        match spec.families.len() {
            1 => spec.policy = "SingleStack".into(),
            2 => spec.policy = "RequireDualStack".into(),
            _ => {}
        }
        spec
    }

    /// Writes addresses, families and ports into a Service, and removes absent ones.
    pub(crate) fn write(&self, service: &mut Node<'static>) {
        let spec = service.map_mut("spec");
        put(spec, "clusterIP", text(&self.cluster_ip));
        put(spec, "clusterIPs", texts(&self.cluster_ips));
        put(spec, "ipFamilies", texts(&self.families));
        // A policy that is given and empty is left to validation, which refuses it.
        if !self.is_policy_empty {
            put(spec, "ipFamilyPolicy", text(&self.policy));
        }
        put(spec, "healthCheckNodePort", number(self.health_port));
        let ports = spec.get_mut("ports").and_then(Node::items_mut);
        for (node, port) in ports.into_iter().flatten().zip(&self.ports) {
            put(node, "nodePort", number(port.node_port));
        }
    }

    /// An old client knows only the single field: the list follows it.
    pub(crate) fn follow_single(&mut self) {
        if !self.cluster_ip.is_empty() && self.cluster_ips.is_empty() {
            self.cluster_ips = [self.cluster_ip.clone()].into();
        }
    }

    pub(crate) fn is_external_name(&self) -> bool {
        self.kind == "ExternalName"
    }

    pub(crate) fn is_balancer(&self) -> bool {
        self.kind == "LoadBalancer"
    }

    /// Whether the Service is headless.
    pub(crate) fn is_headless(&self) -> bool {
        self.cluster_ip == NONE || self.cluster_ips.first().is_some_and(|ip| ip == NONE)
    }

    /// Whether the type has node ports.
    pub(crate) fn may_have_node_ports(&self) -> bool {
        self.kind == "NodePort" || self.is_balancer()
    }

    /// Whether a port without a node port gets one.
    pub(crate) fn wants_node_ports(&self) -> bool {
        self.kind == "NodePort" || (self.is_balancer() && self.allocates_ports != Some(false))
    }

    /// Whether load balancers have a health check port.
    pub(crate) fn has_health_port(&self) -> bool {
        self.is_balancer() && self.traffic == "Local"
    }

    /// Whether it is reachable from outside the cluster.
    pub(crate) fn is_reachable_from_outside(&self) -> bool {
        self.may_have_node_ports() || (self.kind == "ClusterIP" && self.has_external_ips)
    }

    /// The node ports that are set.
    pub(crate) fn node_ports(&self) -> impl Iterator<Item = i64> {
        self.ports.iter().map(|port| port.node_port).filter(|number| *number != 0)
    }
}

impl Port {
    fn from_node(node: &Node<'_>) -> Self {
        let number = |name: &str| node.get(name).and_then(Node::as_int).unwrap_or_default();
        Self {
            name: node.text_at(&["name"]).to_owned(),
            protocol: or(node.text_at(&["protocol"]), "TCP"),
            port: number("port"),
            node_port: number("nodePort"),
        }
    }
}

/// The family of a named address, however it is spelled.
pub(crate) fn family_of(ip: &str) -> &'static str {
    IpText::parse(ip).map_or("unknown", |ip| family_name(ip.family()))
}

/// The other family.
pub(crate) fn other(family: Family) -> Family {
    match family {
        Family::V4 => Family::V6,
        Family::V6 => Family::V4,
    }
}

fn or(text: &str, otherwise: &str) -> String {
    if text.is_empty() { otherwise.to_owned() } else { text.to_owned() }
}

fn text(text: &str) -> Option<Node<'static>> {
    (!text.is_empty()).then(|| Node::string(text.to_owned()))
}

fn texts(texts: &[String]) -> Option<Node<'static>> {
    (!texts.is_empty())
        .then(|| Node::list(texts.iter().map(|text| Node::string(text.clone())).collect()))
}

fn number(number: i64) -> Option<Node<'static>> {
    (number != 0).then(|| Node::int(number))
}

fn put(node: &mut Node<'static>, name: &'static str, value: Option<Node<'static>>) {
    match value {
        Some(value) => node.set(name, value),
        None => {
            node.remove(name);
        }
    }
}
