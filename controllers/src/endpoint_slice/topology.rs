//! The distribution of the cluster's CPU over zones.

use crate::labels::label;
use crate::pod::condition;
use ratchet_object::{Node, Quantity};
use std::collections::BTreeMap;

/// The label with the zone of a node.
pub(crate) const ZONE: &str = "topology.kubernetes.io/zone";

/// Labels of nodes that run no ordinary pods.
const EXCLUDED: [&str; 2] =
    ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/// The share of all CPU in each zone; there are at least two zones.
pub(crate) type Ratios = BTreeMap<String, f64>;

/// The ratios of these nodes; `None` if a node lacks a zone or CPU, or if there are fewer than two
/// zones.
pub(crate) fn ratios<'n>(nodes: impl Iterator<Item = &'n Node<'static>>) -> Option<Ratios> {
    let mut by_zone: BTreeMap<String, i128> = BTreeMap::new();
    for node in nodes.filter(|node| counts(node)) {
        let zone = label(node, ZONE).filter(|zone| !zone.is_empty())?;
        let cpu_millis = cpu_millis(node).filter(|amount| *amount > 0)?;
        *by_zone.entry(zone.to_owned()).or_default() += cpu_millis;
    }
    let total: i128 = by_zone.values().sum();
    let ratio = |(zone, cpu): (String, i128)| (zone, cpu as f64 / total as f64);
    (by_zone.len() >= 2).then(|| by_zone.into_iter().map(ratio).collect())
}

fn counts(node: &Node<'_>) -> bool {
    EXCLUDED.iter().all(|name| label(node, name).is_none()) && is_ready(node)
}

fn is_ready(node: &Node<'_>) -> bool {
    condition(node, "Ready").is_some_and(|ready| ready.text_at(&["status"]) == "True")
}

fn cpu_millis(node: &Node<'_>) -> Option<i128> {
    Quantity::of(node.find(&["status", "allocatable", "cpu"])?).map(Quantity::thousandths)
}

/// The CPU that a node contributes to the ratios, if it counts.
pub(crate) fn countable_cpu(node: &Node<'_>) -> Option<Option<i128>> {
    counts(node).then(|| cpu_millis(node))
}
