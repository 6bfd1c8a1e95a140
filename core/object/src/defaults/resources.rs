//! Defaults of resource lists: rounding, requests that default to limits, and pod-level requests.

use super::fields::{is_empty, is_nil, is_text};
use crate::quantity::Quantity;
use crate::{Entry, Members, Node, Value};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Quantities by resource name, in the order in which the names came first.
#[derive(Default)]
struct Totals<'n> {
    all: Vec<(&'n str, Quantity)>,
    positions: BTreeMap<&'n str, usize>,
}

impl<'n> Totals<'n> {
    fn get(&self, name: &str) -> Option<Quantity> {
        self.all.get(*self.positions.get(name)?).map(|(_, amount)| *amount)
    }

    /// Joins an amount to that of the same name, and returns the result.
    fn join(
        &mut self,
        name: &'n str,
        amount: Quantity,
        join: fn(Quantity, Quantity) -> Quantity,
    ) -> Quantity {
        let position = *self.positions.entry(name).or_insert(self.all.len());
        match self.all.get_mut(position) {
            Some((_, sum)) => {
                *sum = join(*sum, amount);
                *sum
            }
            None => {
                self.all.push((name, amount));
                amount
            }
        }
    }
}

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
        let mut requests = Members::of(spec.find(&["resources", "requests"]));
        let pages = totals(spec, "limits").all.into_iter().filter(|(name, _)| is_huge_page(name));
        let missing = entries(pages.filter(|(name, _)| requests.get(name).is_none()));
        add_missing(spec, "limits", missing);
    }
    if spec.get("resources").is_none_or(|all| is_empty(all, "limits")) {
        return;
    }
    let shared = totals(spec, "requests").all.into_iter().filter(|(name, _)| is_shared(name));
    let missing = entries(shared);
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
    let mut present = Members::of(node.get(to));
    let missing: Vec<_> = (node.get(from).map(Node::entries).unwrap_or_default().iter())
        .filter(|entry| is_included(&entry.key) && present.get(&entry.key).is_none())
        .map(|entry| Entry::new(entry.key.clone(), entry.node.clone()))
        .collect();
    add(node, to, missing);
}

/// Quantities as members of a list.
fn entries<'n, 't>(totals: impl Iterator<Item = (&'n str, Quantity)>) -> Vec<Entry<'t>> {
    let entry = |(name, amount): (&str, Quantity)| {
        Entry::new(String::from(name), Node::string(amount.to_string()))
    };
    totals.map(entry).collect()
}

fn add_missing<'t>(spec: &mut Node<'t>, to: &'static str, mut missing: Vec<Entry<'t>>) {
    let Some(resources) = spec.get_mut("resources") else { return };
    let mut present = Members::of(resources.get(to));
    missing.retain(|entry| present.get(&entry.key).is_none());
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
fn totals<'n>(spec: &'n Node<'_>, list: &str) -> Totals<'n> {
    let (mut all, mut sidecars, mut init) =
        (Totals::default(), Totals::default(), Totals::default());
    for container in spec.get("containers").map(Node::items).unwrap_or_default() {
        for (name, own) in amounts(container, list) {
            all.join(name, own, Quantity::plus);
        }
    }
    for container in spec.get("initContainers").map(Node::items).unwrap_or_default() {
        let is_sidecar = is_text(container, "restartPolicy", "Always");
        // What the sidecars before need of other resources, `init` has already.
        for (name, own) in amounts(container, list) {
            let now = match is_sidecar {
                true => {
                    all.join(name, own, Quantity::plus);
                    sidecars.join(name, own, Quantity::plus)
                }
                false => sidecars.get(name).map_or(own, |sidecars| own.plus(sidecars)),
            };
            init.join(name, now, larger);
        }
    }
    for (name, amount) in init.all {
        all.join(name, amount, larger);
    }
    all
}

fn amounts<'n>(container: &'n Node<'_>, list: &str) -> impl Iterator<Item = (&'n str, Quantity)> {
    (container.find(&["resources", list]).map(Node::entries).unwrap_or_default().iter())
        .filter_map(|entry| Some((&*entry.key, Quantity::of(&entry.node)?)))
}

fn larger(sum: Quantity, other: Quantity) -> Quantity {
    if other.exceeds(sum) { other } else { sum }
}
