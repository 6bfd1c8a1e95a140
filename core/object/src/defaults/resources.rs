//! Lists of resources: rounding, requests that follow limits, and what a pod asks for as a whole.

use super::fill::{is_empty, is_nil, is_text};
use super::quantity::Quantity;
use crate::{Entry, Node, Value};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Amounts by the name of their resource.
type Totals = Vec<(String, Quantity)>;

/// Rounds the amounts of some lists up to thousandths: nothing finer can be had.
pub(super) fn round(node: &mut Node<'_>, lists: &[&str]) {
    for name in lists {
        for entry in node.get_mut(name).and_then(Node::entries_mut).into_iter().flatten() {
            let Some(exact) = Quantity::of(&entry.node) else { continue };
            let rounded = exact.in_millis();
            if rounded != exact {
                entry.node.value = Value::Text(rounded.to_string().into());
            }
        }
    }
}

/// Rounds what stands below `resources`.
pub(super) fn round_requirements(node: &mut Node<'_>) {
    if let Some(resources) = node.get_mut("resources") {
        round(resources, &["limits", "requests"]);
    }
}

/// What is limited and not asked for is asked for up to its limit.
pub(super) fn requests_follow_limits(container: &mut Node<'_>) {
    if let Some(resources) = container.get_mut("resources") {
        follow(resources, "requests", "limits", |_| true);
    }
}

/// The defaults of a container's limits: from the largest down to the smallest.
pub(super) fn limit_range_item(item: &mut Node<'_>) {
    if is_text(item, "type", "Container") {
        follow(item, "default", "max", |_| true);
        follow(item, "defaultRequest", "default", |_| true);
        follow(item, "defaultRequest", "min", |_| true);
    }
    round(item, &["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"]);
}

/// What a node has is what it can give, unless it says otherwise.
pub(super) fn node_status(status: &mut Node<'_>) {
    if is_nil(status, "allocatable") {
        follow(status, "allocatable", "capacity", |_| true);
    }
    round(status, &["capacity", "allocatable"]);
}

/// A pod that limits itself as a whole asks for what its containers ask for, and else for its limits.
pub(super) fn pod_level(spec: &mut Node<'_>) {
    let needs = |list| spec.get("resources").is_some_and(|all| !is_empty(all, list));
    if needs("limits") || needs("requests") {
        let missing: Totals = totals(spec, "limits")
            .into_iter()
            .filter(|(name, _)| is_huge_page(name))
            .filter(|(name, _)| spec.find(&["resources", "requests", name]).is_none())
            .collect();
        add_missing(spec, "limits", missing);
    }
    if spec.get("resources").is_none_or(|all| is_empty(all, "limits")) {
        return;
    }
    let missing: Totals =
        totals(spec, "requests").into_iter().filter(|(name, _)| is_shared(name)).collect();
    add_missing(spec, "requests", missing);
    if let Some(resources) = spec.get_mut("resources") {
        follow(resources, "requests", "limits", |name| is_shared(name) || is_huge_page(name));
    }
}

/// The resources of a pod as a whole that its containers share.
fn is_shared(name: &str) -> bool {
    matches!(name, "cpu" | "memory")
}

fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Copies to one list what only another has.
fn follow(node: &mut Node<'_>, to: &'static str, from: &str, wanted: fn(&str) -> bool) {
    let there = |name: &str| node.get(to).is_some_and(|list| list.get(name).is_some());
    let missing: Vec<_> = (node.get(from).map(Node::entries).unwrap_or_default().iter())
        .filter(|entry| wanted(&entry.key) && !there(&entry.key))
        .map(|entry| Entry::new(entry.key.clone(), entry.node.clone()))
        .collect();
    add(node, to, missing);
}

fn add_missing(spec: &mut Node<'_>, to: &'static str, totals: Totals) {
    let Some(resources) = spec.get_mut("resources") else { return };
    let there = |name: &str| resources.get(to).is_some_and(|list| list.get(name).is_some());
    let missing = (totals.into_iter())
        .filter(|(name, _)| !there(name))
        .map(|(name, amount)| Entry::new(name, Node::string(amount.to_string())))
        .collect();
    add(resources, to, missing);
}

fn add<'t>(node: &mut Node<'t>, to: &'static str, missing: Vec<Entry<'t>>) {
    if !missing.is_empty() && matches!(node.value, Value::Map(_)) {
        node.below(to)
            .entries_mut()
            .into_iter()
            .for_each(|list| list.extend(missing.iter().cloned()));
    }
}

/// What the containers of a pod have at most at any one time. Sidecars run on beside all that start
/// after them; other init containers run one by one before the rest.
fn totals(spec: &Node<'_>, list: &str) -> Totals {
    let (mut all, mut sidecars, mut init) = (Totals::new(), Totals::new(), Totals::new());
    for container in spec.get("containers").map(Node::items).unwrap_or_default() {
        plus(&mut all, &amounts(container, list));
    }
    for container in spec.get("initContainers").map(Node::items).unwrap_or_default() {
        let own = amounts(container, list);
        if is_text(container, "restartPolicy", "Always") {
            plus(&mut all, &own);
            plus(&mut sidecars, &own);
            at_least(&mut init, &sidecars);
        } else {
            let mut now = own;
            plus(&mut now, &sidecars);
            at_least(&mut init, &now);
        }
    }
    at_least(&mut all, &init);
    all
}

fn amounts(container: &Node<'_>, list: &str) -> Totals {
    (container.find(&["resources", list]).map(Node::entries).unwrap_or_default().iter())
        .filter_map(|entry| Some((entry.key.to_string(), Quantity::of(&entry.node)?)))
        .collect()
}

fn plus(sums: &mut Totals, more: &Totals) {
    merge(sums, more, Quantity::plus);
}

fn at_least(sums: &mut Totals, floor: &Totals) {
    merge(sums, floor, |sum, least| if least.exceeds(sum) { least } else { sum });
}

fn merge(sums: &mut Totals, more: &Totals, join: fn(Quantity, Quantity) -> Quantity) {
    for (name, amount) in more {
        match sums.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum = join(*sum, *amount),
            None => sums.push((name.clone(), *amount)),
        }
    }
}
