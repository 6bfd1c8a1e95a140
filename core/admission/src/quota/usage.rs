//! What objects count for: pods, services and claims by what they ask for, everything by number.

use super::scopes::{self, Scope};
use crate::amounts::{self, Amounts, Side};
use crate::storage::class_of;
use crate::{Request, pods};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Equality, Node, Quantity, equal_at};

/// How the objects of a resource are counted.
pub(super) struct Measure<'a> {
    count: String,
    alias: &'a str,
    sort: Option<&'static Sort>,
}

/// A resource that counts for more than its number.
struct Sort {
    resource: &'static str,
    handles: fn(&Request<'_>, &Node<'_>) -> bool,
    names: fn(&str) -> bool,
    usage: fn(&Node<'_>, i64, &mut Amounts),
    is_in: fn(&Scope, &Node<'_>) -> bool,
}

static SORTS: &[Sort] = &[
    Sort {
        resource: "pods",
        handles: pod_handles,
        names: pod_names,
        usage: pod_usage,
        is_in: scopes::pod,
    },
    Sort {
        resource: "services",
        handles: |request, _| request.subresource.is_empty(),
        names: |name| matches!(name, "services" | "services.nodeports" | "services.loadbalancers"),
        usage: service_usage,
        is_in: |_, _| false,
    },
    Sort {
        resource: "persistentvolumeclaims",
        handles: claim_handles,
        names: claim_names,
        usage: claim_usage,
        is_in: scopes::claim,
    },
];

/// Resources that are counted under their bare name too.
const ALIASES: [&str; 4] = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

const BY_CLASS: &str = ".storageclass.storage.k8s.io/";

/// How a resource is counted.
pub(super) fn measure_of<'a>(group: &str, resource: &'a str) -> Measure<'a> {
    let dot = if group.is_empty() { "" } else { "." };
    let is_core = group.is_empty();
    Measure {
        count: format!("count/{resource}{dot}{group}"),
        alias: if is_core && ALIASES.contains(&resource) { resource } else { "" },
        sort: SORTS.iter().find(|sort| is_core && sort.resource == resource),
    }
}

/// The resource (group, plural) whose objects a name in a quota counts.
pub(super) fn measures_for(name: &str) -> Option<(String, String)> {
    if let Some(counted) = name.strip_prefix("count/") {
        let (resource, group) = counted.split_once('.').unwrap_or((counted, ""));
        return Some((group.into(), resource.into()));
    }
    if ALIASES.contains(&name) {
        return Some((String::new(), name.into()));
    }
    let sort = SORTS.iter().find(|sort| (sort.names)(name))?;
    Some((String::new(), sort.resource.into()))
}

impl Measure<'_> {
    /// Whether a request may change what is used.
    pub(super) fn handles(&self, request: &Request<'_>, new: &Node<'_>) -> bool {
        let is_written = request.is_create() || request.is_update();
        match self.sort {
            Some(sort) => is_written && (sort.handles)(request, new),
            None => request.is_create() && request.subresource.is_empty(),
        }
    }

    /// Whether a name in a quota is about these objects.
    pub(super) fn names(&self, name: &str) -> bool {
        name == self.count
            || (!name.is_empty() && name == self.alias)
            || self.sort.is_some_and(|sort| (sort.names)(name))
    }

    /// Whether an object is in a scope; most are in none.
    pub(super) fn is_in(&self, scope: &Scope, object: &Node<'_>) -> bool {
        self.sort.is_some_and(|sort| (sort.is_in)(scope, object))
    }

    /// What an object uses.
    pub(super) fn usage(&self, object: &Node<'_>, now: i64) -> Amounts {
        let mut usage = Amounts::new();
        usage.insert(self.count.clone(), Quantity::whole(1));
        if !self.alias.is_empty() {
            usage.insert(self.alias.into(), Quantity::whole(1));
        }
        if let Some(sort) = self.sort {
            (sort.usage)(object, now, &mut usage);
        }
        usage
    }

    /// What the containers of a pod must say and do not, if its quota limits it.
    pub(super) fn missing(
        &self,
        restricted: &BTreeSet<String>,
        object: &Node<'_>,
    ) -> Option<String> {
        self.sort.filter(|sort| sort.resource == "pods")?;
        if object.find(&["spec", "resources"]).is_some_and(|whole| !whole.entries().is_empty()) {
            return None;
        }
        let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let lists = ["containers", "initContainers"];
        for container in lists.iter().flat_map(|list| pods::containers(object, list)) {
            let own = |side| amounts::of_container(container, side);
            let mut said = Amounts::new();
            compute(&own(Side::Requests), &own(Side::Limits), &mut said);
            let needed = restricted.iter().filter(|name| MUST_SAY.contains(&name.as_str()));
            for name in needed.filter(|name| !said.contains_key(*name)) {
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

/// What every container must say if a quota limits it.
const MUST_SAY: [&str; 6] =
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
    let asked = name.strip_prefix("requests.");
    POD_NAMES.contains(&name)
        || name.starts_with("hugepages-")
        || asked.is_some_and(|name| {
            name.starts_with("hugepages-") || amounts::is_extended(name) || is_device(name)
        })
}

fn is_device(name: &str) -> bool {
    name.starts_with("deviceclass.resource.kubernetes.io/")
}

fn pod_handles(request: &Request<'_>, new: &Node<'_>) -> bool {
    match request.subresource {
        "" if request.is_update() => request
            .old
            .is_some_and(|old| scopes::is_terminating(old) != scopes::is_terminating(new)),
        "" => true,
        "resize" => request.is_update(),
        _ => false,
    }
}

fn pod_usage(pod: &Node<'_>, now: i64, usage: &mut Amounts) {
    if is_over(pod, now) {
        return;
    }
    let mut requests = amounts::of_pod(pod, Side::Requests);
    let mut limits = amounts::of_pod(pod, Side::Limits);
    let overhead = amounts::read(pod.find(&["spec", "overhead"]));
    amounts::add(&mut requests, &overhead);
    let limited = overhead
        .into_iter()
        .filter(|(name, _)| limits.get(name).is_some_and(|limit| !limit.is_zero()));
    let limited: Amounts = limited.collect();
    amounts::add(&mut limits, &limited);
    compute(&requests, &limits, usage);
}

/// Requests and limits under the names that quotas have for them.
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

/// Whether a pod has ended, or should have ended long ago.
fn is_over(pod: &Node<'_>, now: i64) -> bool {
    if matches!(pod.text_at(&["status", "phase"]), "Failed" | "Succeeded") {
        return true;
    }
    let grace = pod.find(&["metadata", "deletionGracePeriodSeconds"]).and_then(Node::as_int);
    let ends = seconds(pod.text_at(&["metadata", "deletionTimestamp"]));
    matches!((ends, grace), (Some(ends), Some(grace)) if now > ends.saturating_add(grace))
}

/// The seconds since 1970 of a time that the API wrote, such as `2026-01-02T03:04:05Z`.
fn seconds(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hours, minutes, rest) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // Years begin in March, so that the leap day is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468;
    Some(days * 86_400 + hours * 3600 + minutes * 60 + rest)
}

fn service_usage(service: &Node<'_>, _: i64, usage: &mut Amounts) {
    let ports = pods::items(service, &["spec", "ports"]);
    let with_node_port =
        |port: &&Node<'_>| port.get("nodePort").and_then(Node::as_int).unwrap_or(0) != 0;
    let allocates =
        service.find(&["spec", "allocateLoadBalancerNodePorts"]).and_then(Node::as_bool)
            != Some(false);
    let sort = service.text_at(&["spec", "type"]);
    let node_ports = match sort {
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
        Quantity::whole(i64::from(sort == "LoadBalancer")),
    );
}

fn claim_handles(request: &Request<'_>, new: &Node<'_>) -> bool {
    let allocated = ["status", "allocatedResources", "storage"];
    match request.subresource {
        "" => true,
        "status" => {
            request.old.is_some_and(|old| !equal_at(new, old, &allocated, Equality::Semantic))
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
    let asked = claim.find(&["spec", "resources", "requests", "storage"]).and_then(Quantity::of);
    let allocated = claim.find(&["status", "allocatedResources", "storage"]).and_then(Quantity::of);
    let Some(asked) = asked else { return };
    let most = allocated.filter(|allocated| allocated.exceeds(asked)).unwrap_or(asked);
    insert("requests.storage", most.rounded());
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
        let found =
            |name| measures_for(name).map(|(group, resource)| format!("{resource}|{group}"));
        assert_eq!(found("pods").as_deref(), Some("pods|"));
        assert_eq!(found("requests.example.com/gpu").as_deref(), Some("pods|"));
        assert_eq!(found("count/deployments.apps").as_deref(), Some("deployments|apps"));
        assert_eq!(found("secrets").as_deref(), Some("secrets|"));
        assert_eq!(
            found("gold.storageclass.storage.k8s.io/requests.storage").as_deref(),
            Some("persistentvolumeclaims|")
        );
        assert_eq!(found("nonsense"), None);
    }
}
