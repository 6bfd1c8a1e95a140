//! Resource lists by name, and the requests and limits of a pod as a whole.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::cmp::Ordering;
use ratchet_object::{Node, Quantity};

/// Quantities by resource name.
pub(crate) type Amounts = BTreeMap<String, Quantity>;

/// Parses a map of quantities; invalid ones are dropped.
pub(crate) fn parse(list: Option<&Node<'_>>) -> Amounts {
    let entries = list.map(Node::entries).unwrap_or_default().iter();
    entries
        .filter_map(|entry| Some((entry.key.as_ref().into(), Quantity::of(&entry.node)?)))
        .collect()
}

/// Whether two maps have the same quantities, however they are spelled.
pub(crate) fn same(one: Option<&Node<'_>>, other: Option<&Node<'_>>) -> bool {
    let (one, other) = (parse(one), parse(other));
    one.len() == other.len()
        && one.iter().all(|(name, amount)| {
            other.get(name).is_some_and(|other| amount.compare(*other) == Ordering::Equal)
        })
}

/// Adds quantities to others.
pub(crate) fn add(sums: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        let sum = sums.get(name).map_or(*amount, |sum| sum.plus(*amount));
        sums.insert(name.clone(), sum);
    }
}

/// Raises quantities to the larger of two.
pub(crate) fn raise(most: &mut Amounts, others: &Amounts) {
    for (name, amount) in others {
        if most.get(name).is_none_or(|current| amount.exceeds(*current)) {
            most.insert(name.clone(), *amount);
        }
    }
}

/// The requests or the limits of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Requests,
    Limits,
}

impl Side {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Limits => "limits",
        }
    }
}

/// The requests or limits of a container.
pub(crate) fn of_container(container: &Node<'_>, side: Side) -> Amounts {
    parse(container.find(&["resources", side.name()]))
}

/// The requests or limits of a pod as a whole: its containers together, or its largest init container with the sidecars
/// before it; pod-level resources override.
pub(crate) fn of_pod(pod: &Node<'_>, side: Side) -> Amounts {
    let mut sums = Amounts::new();
    for container in pod.pod_spec().list("containers") {
        add(&mut sums, &of_container(container, side));
    }
    let (mut sidecars, mut most) = (Amounts::new(), Amounts::new());
    for container in pod.pod_spec().list("initContainers") {
        let mut own = of_container(container, side);
        let is_sidecar = container.text_at(&["restartPolicy"]) == "Always";
        if is_sidecar {
            add(&mut sums, &own);
            add(&mut sidecars, &own);
        }
        // What the sidecars before need of other resources, `most` has already.
        for (name, amount) in &mut own {
            match sidecars.get(name) {
                Some(sum) if is_sidecar => *amount = *sum,
                Some(sum) => *amount = amount.plus(*sum),
                None => {}
            }
        }
        raise(&mut most, &own);
    }
    raise(&mut sums, &most);
    for (name, amount) in parse(pod.find(&["spec", "resources", side.name()])) {
        if matches!(name.as_str(), "cpu" | "memory") || name.starts_with("hugepages-") {
            sums.insert(name, amount);
        }
    }
    sums
}

/// Whether a resource is an extended resource.
pub(crate) fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;
    use alloc::string::ToString;

    #[test]
    fn a_pod_asks_for_its_containers_or_its_largest_init_container() {
        let pod = node(
            "{spec: {containers: [{resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 500m}}}],
              initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 100m}}},
                               {resources: {requests: {cpu: 3, memory: 1Gi}}}]}}",
        );
        let sums = of_pod(&pod, Side::Requests);
        assert_eq!(sums.get("cpu").map(ToString::to_string).as_deref(), Some("3100m"));
        assert_eq!(sums.get("memory").map(ToString::to_string).as_deref(), Some("1Gi"));
        assert!(of_pod(&pod, Side::Limits).is_empty());
    }

    #[test]
    fn what_the_pod_itself_asks_for_wins() {
        let pod = node(
            "{spec: {resources: {requests: {cpu: 2}}, containers: [{resources: {requests: {cpu: 1}}}]}}",
        );
        assert_eq!(of_pod(&pod, Side::Requests).get("cpu"), Some(&Quantity::whole(2)));
    }
}
