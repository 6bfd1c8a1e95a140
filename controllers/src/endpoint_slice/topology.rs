//! How much of the cluster is in each zone.

use crate::labels::label;
use crate::pod::condition;
use ratchet_object::{Node, Quantity};
use std::collections::BTreeMap;

/// Names the zone of a node.
pub(crate) const ZONE: &str = "topology.kubernetes.io/zone";

/// Nodes with these labels run no ordinary pods.
const EXCLUDED: [&str; 2] =
    ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/// The part of all processors that is in each zone; there are at least two.
pub(crate) type Ratios = BTreeMap<String, f64>;

/// The ratios of these nodes; nothing if a node does not tell its zone or its processors, or if
/// there are not two zones.
pub(crate) fn ratios<'n>(nodes: impl Iterator<Item = &'n Node<'static>>) -> Option<Ratios> {
    let mut by_zone: BTreeMap<String, i128> = BTreeMap::new();
    for node in nodes.filter(|node| counts(node)) {
        let zone = label(node, ZONE).filter(|zone| !zone.is_empty())?;
        let processors = processors(node).filter(|amount| *amount > 0)?;
        *by_zone.entry(zone.to_owned()).or_default() += processors;
    }
    let total: i128 = by_zone.values().sum();
    let ratio = |(zone, part): (String, i128)| (zone, part as f64 / total as f64);
    (by_zone.len() >= 2).then(|| by_zone.into_iter().map(ratio).collect())
}

fn counts(node: &Node<'_>) -> bool {
    EXCLUDED.iter().all(|name| label(node, name).is_none()) && is_ready(node)
}

fn is_ready(node: &Node<'_>) -> bool {
    condition(node, "Ready").is_some_and(|ready| ready.text_at(&["status"]) == "True")
}

fn processors(node: &Node<'_>) -> Option<i128> {
    Quantity::of(node.find(&["status", "allocatable", "cpu"])?).map(Quantity::thousandths)
}

/// What a node adds to the ratios, if it counts.
pub(crate) fn power(node: &Node<'_>) -> Option<Option<i128>> {
    counts(node).then(|| processors(node))
}
