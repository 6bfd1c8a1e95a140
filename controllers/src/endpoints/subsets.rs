//! Subsets of Endpoints: addresses grouped by the ports they offer, in canonical order.

use crate::slices::{Port, Reference};
use ratchet_object::Node;
use std::collections::BTreeMap;

/// One address of a subset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndpointAddress {
    pub(crate) ip: String,
    pub(crate) hostname: String,
    pub(crate) node_name: Option<String>,
    pub(crate) target: Option<Reference>,
}

/// Addresses that offer the same ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subset {
    pub(crate) ready: Vec<EndpointAddress>,
    pub(crate) unready: Vec<EndpointAddress>,
    pub(crate) ports: Vec<Port>,
}

/// The identity of an address: several pods may share one, if they use the network of their node.
type AddressKey = (String, String);

impl EndpointAddress {
    fn key(&self) -> AddressKey {
        let uid = self.target.as_ref().map(|target| target.get("uid").to_owned());
        (self.ip.clone(), uid.unwrap_or_default())
    }

    pub(crate) fn from_node(node: &Node<'_>) -> Self {
        let node_name = node.get("nodeName").and_then(Node::text).map(str::to_owned);
        Self {
            ip: node.text_at(&["ip"]).to_owned(),
            hostname: node.text_at(&["hostname"]).to_owned(),
            node_name: node_name.filter(|name| !name.is_empty()),
            target: Reference::from_node(node.get("targetRef")),
        }
    }

    fn to_node(&self) -> Node<'static> {
        let mut node = Node::map([("ip", Node::string(self.ip.clone()))]);
        if !self.hostname.is_empty() {
            node.set("hostname", Node::string(self.hostname.clone()));
        }
        if let Some(name) = &self.node_name {
            node.set("nodeName", Node::string(name.clone()));
        }
        if let Some(target) = &self.target {
            node.set("targetRef", target.to_node());
        }
        node
    }
}

impl Subset {
    /// The subsets of an Endpoints object, in their order.
    pub(crate) fn all_from_node(endpoints: &Node<'_>) -> Vec<Self> {
        let subsets = endpoints.get("subsets").map(Node::items).unwrap_or_default();
        let parse = |subset: &Node<'_>| {
            let list = |name: &str| {
                let items = subset.get(name).map(Node::items).unwrap_or_default();
                items.iter().map(EndpointAddress::from_node).collect()
            };
            let (ready, unready) = (list("addresses"), list("notReadyAddresses"));
            Self { ready, unready, ports: Port::all_from_node(subset) }
        };
        subsets.iter().map(parse).collect()
    }

    pub(crate) fn to_node(&self) -> Node<'static> {
        let mut node = Node::empty_map();
        for (name, list) in [("addresses", &self.ready), ("notReadyAddresses", &self.unready)] {
            if !list.is_empty() {
                node.set(name, Node::list(list.iter().map(EndpointAddress::to_node).collect()));
            }
        }
        if !self.ports.is_empty() {
            node.set("ports", Node::list(self.ports.iter().map(Port::to_subset_node).collect()));
        }
        node
    }

    pub(crate) fn len(&self) -> usize {
        self.ready.len() + self.unready.len()
    }
}

/// The canonical form of these subsets, which is equal for equivalent inputs: every set of
/// addresses once, with all its ports; an address that is not ready in one subset is not ready.
pub(crate) fn repacked(subsets: Vec<Subset>) -> Vec<Subset> {
    let mut addresses_by_key: BTreeMap<AddressKey, EndpointAddress> = BTreeMap::new();
    let mut by_port: BTreeMap<Option<Port>, BTreeMap<AddressKey, bool>> = BTreeMap::new();
    for Subset { ready, unready, ports } in subsets {
        let ports: Vec<_> = match ports.is_empty() {
            // Addresses without ports are kept.
            true => vec![None],
            false => ports.into_iter().map(Some).collect(),
        };
        let ready = ready.into_iter().map(|address| (address, true));
        for (address, is_ready) in ready.chain(unready.into_iter().map(|address| (address, false)))
        {
            let key = address.key();
            addresses_by_key.entry(key.clone()).or_insert(address);
            for port in &ports {
                let readiness = by_port.entry(port.clone()).or_default();
                *readiness.entry(key.clone()).or_insert(true) &= is_ready;
            }
        }
    }
    let mut by_addresses: BTreeMap<BTreeMap<AddressKey, bool>, Vec<Port>> = BTreeMap::new();
    for (port, addresses) in by_port {
        by_addresses.entry(addresses).or_default().extend(port);
    }
    let subset = |(addresses, ports): (BTreeMap<AddressKey, bool>, Vec<Port>)| {
        let list = |wanted: bool| {
            let keys = addresses.iter().filter(|(_, is_ready)| **is_ready == wanted);
            keys.filter_map(|(key, _)| addresses_by_key.get(key).cloned()).collect()
        };
        Subset { ready: list(true), unready: list(false), ports }
    };
    let mut subsets: Vec<_> = by_addresses.into_iter().map(subset).collect();
    subsets.sort_by(|a, b| a.ports.cmp(&b.ports));
    subsets
}

/// Removes addresses until at most `most` remain, not-ready ones first and from each subset in
/// proportion; returns whether any was removed.
pub(crate) fn truncate(subsets: &mut [Subset], maximum: usize) -> bool {
    let ready: usize = subsets.iter().map(|subset| subset.ready.len()).sum();
    let unready: usize = subsets.iter().map(|subset| subset.unready.len()).sum();
    if ready + unready <= maximum {
        return false;
    }
    let truncates_ready = ready > maximum;
    let (room, total) = if truncates_ready { (maximum, ready) } else { (maximum - ready, unready) };
    let mut remaining = room;
    for subset in subsets {
        if truncates_ready {
            subset.unready.clear();
        }
        let list = if truncates_ready { &mut subset.ready } else { &mut subset.unready };
        let quota = (list.len() * room).div_ceil(total);
        list.truncate(quota.min(remaining));
        remaining -= list.len();
    }
    true
}
