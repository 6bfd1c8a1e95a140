//! Defaults of resource lists: rounding, requests that default to limits, and pod-level requests.

use super::fields::{is_empty, is_nil, is_text};
use crate::quantity::Quantity;
use crate::{Entry, Node, Value};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Quantities by resource name.
type Totals = Vec<(String, Quantity)>;

/// Rounds the quantities of some lists up to thousandths, the finest that the API keeps.
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

/// Rounds the limits and requests below `resources`.
pub(super) fn round_requirements(node: &mut Node<'_>) {
    if let Some(resources) = node.get_mut("resources") {
        round(resources, &["limits", "requests"]);
    }
}

/// Requests default to limits.
pub(super) fn requests_follow_limits(container: &mut Node<'_>) {
    if let Some(resources) = container.get_mut("resources") {
        copy_missing(resources, "requests", "limits", |_| true);
    }
}

/// Container defaults of a LimitRange: `default` from `max`, `defaultRequest` from `default`, then from `min`.
pub(super) fn limit_range_item(item: &mut Node<'_>) {
    if is_text(item, "type", "Container") {
        copy_missing(item, "default", "max", |_| true);
        copy_missing(item, "defaultRequest", "default", |_| true);
        copy_missing(item, "defaultRequest", "min", |_| true);
    }
    round(item, &["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"]);
}

/// `allocatable` defaults to `capacity`.
pub(super) fn node_status(status: &mut Node<'_>) {
    if is_nil(status, "allocatable") {
        copy_missing(status, "allocatable", "capacity", |_| true);
    }
    round(status, &["capacity", "allocatable"]);
}

/// Pod-level requests default to the containers' requests, and else to the pod-level limits.
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
        copy_missing(resources, "requests", "limits", |name| is_shared(name) || is_huge_page(name));
    }
}

/// Whether a resource can be set at pod level.
fn is_shared(name: &str) -> bool {
    matches!(name, "cpu" | "memory")
}

fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Copies resources that only the list `from` has to the list `to`.
fn copy_missing(node: &mut Node<'_>, to: &'static str, from: &str, is_included: fn(&str) -> bool) {
    let is_present = |name: &str| node.get(to).is_some_and(|list| list.get(name).is_some());
    let missing: Vec<_> = (node.get(from).map(Node::entries).unwrap_or_default().iter())
        .filter(|entry| is_included(&entry.key) && !is_present(&entry.key))
        .map(|entry| Entry::new(entry.key.clone(), entry.node.clone()))
        .collect();
    add(node, to, missing);
}

fn add_missing(spec: &mut Node<'_>, to: &'static str, totals: Totals) {
    let Some(resources) = spec.get_mut("resources") else { return };
    let is_present = |name: &str| resources.get(to).is_some_and(|list| list.get(name).is_some());
    let missing = (totals.into_iter())
        .filter(|(name, _)| !is_present(name))
        .map(|(name, amount)| Entry::new(name, Node::string(amount.to_string())))
        .collect();
    add(resources, to, missing);
}

fn add<'t>(node: &mut Node<'t>, to: &'static str, missing: Vec<Entry<'t>>) {
    if !missing.is_empty() && matches!(node.value, Value::Map(_)) {
        node.map_mut(to)
            .entries_mut()
            .into_iter()
            .for_each(|list| list.extend(missing.iter().cloned()));
    }
}

/// The most that the containers of a pod have at any one time. Sidecars keep running beside all containers that
/// start after them; other init containers run one by one before the rest.
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
            raise_to(&mut init, &sidecars);
        } else {
            let mut now = own;
            plus(&mut now, &sidecars);
            raise_to(&mut init, &now);
        }
    }
    raise_to(&mut all, &init);
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

fn raise_to(sums: &mut Totals, floor: &Totals) {
    merge(sums, floor, |sum, least| if least.exceeds(sum) { least } else { sum });
}

fn merge(sums: &mut Totals, more: &Totals, join: fn(Quantity, Quantity) -> Quantity) {
    for (name, amount) in more {
        match sums.iter_mut().find(|(existing, _)| existing == name) {
            Some((_, sum)) => *sum = join(*sum, *amount),
            None => sums.push((name.clone(), *amount)),
        }
    }
}
