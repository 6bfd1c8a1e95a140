//! Usage evaluators: pods, services and claims of volumes and devices by their resources, everything by object count.

use super::devices;
use super::scopes::{self, Scope};
use crate::amounts::{self, Amounts, Side};
use crate::storage::class_of;
use crate::{Attributes, pods};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::calendar::{DAY, Date};
use ratchet_object::{Equality, Node, Quantity, equal_at};

/// The usage evaluator of a resource.
pub(super) struct UsageEvaluator<'a> {
    count: String,
    alias: &'a str,
    resource_evaluator: Option<&'static ResourceEvaluator>,
}

/// A resource with usage beyond its object count.
struct ResourceEvaluator {
    group: &'static str,
    resource: &'static str,
    handles: fn(&Attributes<'_>, &Node<'_>) -> bool,
    names: fn(&str) -> bool,
    usage: fn(&Node<'_>, i64, &mut Amounts),
    is_in: fn(&Scope, &Node<'_>) -> bool,
}

static EVALUATORS: &[ResourceEvaluator] = &[
    ResourceEvaluator {
        group: "",
        resource: "pods",
        handles: pod_handles,
        names: pod_names,
        usage: pod_usage,
        is_in: scopes::pod,
    },
    ResourceEvaluator {
        group: "",
        resource: "services",
        handles: |attributes, _| attributes.subresource.is_empty(),
        names: |name| matches!(name, "services" | "services.nodeports" | "services.loadbalancers"),
        usage: service_usage,
        is_in: |_, _| false,
    },
    ResourceEvaluator {
        group: "",
        resource: "persistentvolumeclaims",
        handles: claim_handles,
        names: claim_names,
        usage: claim_usage,
        is_in: scopes::claim,
    },
    ResourceEvaluator {
        group: "resource.k8s.io",
        resource: "resourceclaims",
        handles: |attributes, _| attributes.subresource.is_empty(),
        names: devices::names,
        usage: devices::usage,
        is_in: |_, _| false,
    },
];

/// Resources that are also counted under their bare name.
const ALIASES: [&str; 4] = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

const BY_CLASS: &str = ".storageclass.storage.k8s.io/";

/// The evaluator of a resource.
pub(super) fn evaluator_for<'a>(group: &str, resource: &'a str) -> UsageEvaluator<'a> {
    let dot = if group.is_empty() { "" } else { "." };
    let is_core = group.is_empty();
    UsageEvaluator {
        count: format!("count/{resource}{dot}{group}"),
        alias: if is_core && ALIASES.contains(&resource) { resource } else { "" },
        resource_evaluator: EVALUATORS
            .iter()
            .find(|evaluator| (evaluator.group, evaluator.resource) == (group, resource)),
    }
}

/// The resource (group, plural) whose objects a quota name counts.
pub(super) fn resource_counted_by(name: &str) -> Option<(String, String)> {
    if let Some(counted) = name.strip_prefix("count/") {
        let (resource, group) = counted.split_once('.').unwrap_or((counted, ""));
        return Some((group.into(), resource.into()));
    }
    if ALIASES.contains(&name) {
        return Some((String::new(), name.into()));
    }
    let resource_evaluator =
        EVALUATORS.iter().find(|resource_evaluator| (resource_evaluator.names)(name))?;
    Some((resource_evaluator.group.into(), resource_evaluator.resource.into()))
}

impl UsageEvaluator<'_> {
    /// Whether a request may change the usage.
    pub(super) fn handles(&self, attributes: &Attributes<'_>, new: &Node<'_>) -> bool {
        let is_written = attributes.is_create() || attributes.is_update();
        match self.resource_evaluator {
            Some(resource_evaluator) => is_written && (resource_evaluator.handles)(attributes, new),
            None => attributes.is_create() && attributes.subresource.is_empty(),
        }
    }

    /// Whether a quota name counts these objects.
    pub(super) fn names(&self, name: &str) -> bool {
        name == self.count
            || (!name.is_empty() && name == self.alias)
            || self
                .resource_evaluator
                .is_some_and(|resource_evaluator| (resource_evaluator.names)(name))
    }

    /// Whether an object is in a scope; most are in none.
    pub(super) fn is_in(&self, scope: &Scope, object: &Node<'_>) -> bool {
        self.resource_evaluator
            .is_some_and(|resource_evaluator| (resource_evaluator.is_in)(scope, object))
    }

    /// The usage of an object.
    pub(super) fn usage(&self, object: &Node<'_>, now: i64) -> Amounts {
        let mut usage = Amounts::new();
        usage.insert(self.count.clone(), Quantity::whole(1));
        if !self.alias.is_empty() {
            usage.insert(self.alias.into(), Quantity::whole(1));
        }
        if let Some(resource_evaluator) = self.resource_evaluator {
            (resource_evaluator.usage)(object, now, &mut usage);
        }
        usage
    }

    /// The resources that the containers of a pod must specify and do not, if its quota limits them.
    pub(super) fn missing(
        &self,
        restricted: &BTreeSet<String>,
        object: &Node<'_>,
    ) -> Option<String> {
        self.resource_evaluator
            .filter(|resource_evaluator| resource_evaluator.resource == "pods")?;
        if object.find(&["spec", "resources"]).is_some_and(|whole| !whole.entries().is_empty()) {
            return None;
        }
        let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let lists = ["containers", "initContainers"];
        for container in lists.iter().flat_map(|list| object.pod_spec().list(list)) {
            let own = |side| amounts::of_container(container, side);
            let mut specified = Amounts::new();
            compute(&own(Side::Requests), &own(Side::Limits), &mut specified);
            let needed =
                restricted.iter().filter(|name| REQUIRED_IF_LIMITED.contains(&name.as_str()));
            for name in needed.filter(|name| !specified.contains_key(*name)) {
                missing.entry(name).or_default().insert(container.text_at(&["name"]));
            }
        }
        if missing.is_empty() {
            return None;
        }
        let one = |(name, containers): (&str, BTreeSet<&str>)| {
            let containers: Vec<&str> = containers.into_iter().collect();
            format!("{name} for: {}", containers.join(","))
        };
        let all: Vec<String> = missing.into_iter().map(one).collect();
        Some(format!("must specify {}", all.join("; ")))
    }
}

/// The resources that every container must specify if a quota limits them.
const REQUIRED_IF_LIMITED: [&str; 6] =
    ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

const POD_NAMES: [&str; 10] = [
    "cpu",
    "ephemeral-storage",
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "memory",
    "pods",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

fn pod_names(name: &str) -> bool {
    let requested = name.strip_prefix("requests.");
    POD_NAMES.contains(&name)
        || name.starts_with("hugepages-")
        || requested.is_some_and(|name| {
            name.starts_with("hugepages-") || amounts::is_extended(name) || is_device(name)
        })
}

fn is_device(name: &str) -> bool {
    name.starts_with("deviceclass.resource.kubernetes.io/")
}

fn pod_handles(attributes: &Attributes<'_>, new: &Node<'_>) -> bool {
    match attributes.subresource {
        "" if attributes.is_update() => attributes
            .old
            .is_some_and(|old| scopes::is_terminating(old) != scopes::is_terminating(new)),
        "" => true,
        "resize" => attributes.is_update(),
        _ => false,
    }
}

fn pod_usage(pod: &Node<'_>, now: i64, usage: &mut Amounts) {
    if is_over(pod, now) {
        return;
    }
    let mut requests = amounts::of_pod(pod, Side::Requests);
    let mut limits = amounts::of_pod(pod, Side::Limits);
    let overhead = amounts::parse(pod.find(&["spec", "overhead"]));
    amounts::add(&mut requests, &overhead);
    let limited = overhead
        .into_iter()
        .filter(|(name, _)| limits.get(name).is_some_and(|limit| !limit.is_zero()));
    let limited: Amounts = limited.collect();
    amounts::add(&mut limits, &limited);
    compute(&requests, &limits, usage);
}

/// Requests and limits under their quota names.
fn compute(requests: &Amounts, limits: &Amounts, usage: &mut Amounts) {
    usage.insert("pods".into(), Quantity::whole(1));
    for name in ["cpu", "memory", "ephemeral-storage"] {
        if let Some(request) = requests.get(name) {
            usage.insert(name.into(), *request);
            usage.insert(format!("requests.{name}"), *request);
        }
        if let Some(limit) = limits.get(name) {
            usage.insert(format!("limits.{name}"), *limit);
        }
    }
    for (name, request) in requests {
        let is_huge = name.starts_with("hugepages-");
        if is_huge {
            usage.insert(name.clone(), *request);
        }
        if is_huge || amounts::is_extended(name) || is_device(name) {
            usage.insert(format!("requests.{name}"), *request);
        }
    }
}

/// Whether a pod has ended, or its grace period is over.
fn is_over(pod: &Node<'_>, now: i64) -> bool {
    if matches!(pod.text_at(&["status", "phase"]), "Failed" | "Succeeded") {
        return true;
    }
    let grace = pod.find(&["metadata", "deletionGracePeriodSeconds"]).and_then(Node::as_int);
    let ends = seconds(pod.metadata().deletion_timestamp());
    matches!((ends, grace), (Some(ends), Some(grace)) if now > ends.saturating_add(grace))
}

/// The seconds since 1970 of an API timestamp such as `2026-01-02T03:04:05Z`.
fn seconds(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hours, minutes, rest) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let days = Date { year, month, day }.day_number();
    Some(days * DAY + hours * 3600 + minutes * 60 + rest)
}

fn service_usage(service: &Node<'_>, _: i64, usage: &mut Amounts) {
    let ports = pods::items(service, &["spec", "ports"]);
    let with_node_port =
        |port: &&Node<'_>| port.get("nodePort").and_then(Node::as_int).unwrap_or(0) != 0;
    let allocates =
        service.find(&["spec", "allocateLoadBalancerNodePorts"]).and_then(Node::as_bool)
            != Some(false);
    let service_type = service.text_at(&["spec", "type"]);
    let node_ports = match service_type {
        "NodePort" => ports.len(),
        "LoadBalancer" if allocates => ports.len(),
        "LoadBalancer" => ports.iter().filter(with_node_port).count(),
        _ => 0,
    };
    usage.insert("services".into(), Quantity::whole(1));
    usage.insert(
        "services.nodeports".into(),
        Quantity::whole(i64::try_from(node_ports).unwrap_or(i64::MAX)),
    );
    usage.insert(
        "services.loadbalancers".into(),
        Quantity::whole(i64::from(service_type == "LoadBalancer")),
    );
}

fn claim_handles(attributes: &Attributes<'_>, new: &Node<'_>) -> bool {
    let allocated = ["status", "allocatedResources", "storage"];
    match attributes.subresource {
        "" => true,
        "status" => {
            attributes.old.is_some_and(|old| !equal_at(new, old, &allocated, Equality::Semantic))
        }
        _ => false,
    }
}

fn claim_names(name: &str) -> bool {
    let bare = name.split_once(BY_CLASS).map_or(name, |(_, name)| name);
    matches!(bare, "persistentvolumeclaims" | "requests.storage")
}

fn claim_usage(claim: &Node<'_>, _: i64, usage: &mut Amounts) {
    let class = class_of(claim);
    let mut insert = |name: &str, amount: Quantity| {
        usage.insert(name.into(), amount);
        if !class.is_empty() {
            usage.insert(format!("{class}{BY_CLASS}{name}"), amount);
        }
    };
    insert("persistentvolumeclaims", Quantity::whole(1));
    let requested =
        claim.find(&["spec", "resources", "requests", "storage"]).and_then(Quantity::of);
    let allocated = claim.find(&["status", "allocatedResources", "storage"]).and_then(Quantity::of);
    let Some(requested) = requested else { return };
    let charged = allocated.filter(|allocated| allocated.exceeds(requested)).unwrap_or(requested);
    insert("requests.storage", charged.rounded());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2000-02-29T12:00:01Z"), Some(951_825_601));
        assert_eq!(seconds("2026-11-15T05:47:59Z"), Some(1_794_721_679));
        assert_eq!(seconds(""), None);
        assert_eq!(seconds("tomorrow, or the day after"), None);
    }

    #[test]
    fn names_lead_to_what_they_count() {
        let resource_of =
            |name| resource_counted_by(name).map(|(group, resource)| format!("{resource}|{group}"));
        assert_eq!(resource_of("pods").as_deref(), Some("pods|"));
        assert_eq!(resource_of("requests.example.com/gpu").as_deref(), Some("pods|"));
        assert_eq!(resource_of("count/deployments.apps").as_deref(), Some("deployments|apps"));
        assert_eq!(resource_of("secrets").as_deref(), Some("secrets|"));
        assert_eq!(
            resource_of("gold.storageclass.storage.k8s.io/requests.storage").as_deref(),
            Some("persistentvolumeclaims|")
        );
        assert_eq!(resource_of("nonsense"), None);
    }
}
