//! Validation of container resources: requests and limits.

use super::claims;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::{self, NameFormat};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use core::cmp::Ordering;
use ratchet_object::{At, Members, Quantity};

/// Resources of a container that need no domain prefix.
const STANDARD: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// Resources of quotas and limits that need no domain prefix.
const KNOWN: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

/// Resources that are counted in integers.
const INTEGER: [&str; 9] = [
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

/// Whose resources are checked: names differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Container,
    Pod,
}

/// Checks the resources of a container; `claims` are those of its pod, sorted by name.
pub(super) fn check(resources: &At<'_>, claims: &[&str], errs: &mut FieldErrors<'_, '_>) {
    check_amounts(resources, Holder::Container, errs);
    claims::check_used(&resources.field("claims"), claims, errs);
}

/// Checks the resources of a whole pod, and that those of its containers are within them.
pub(super) fn check_pod(spec: &At<'_>, claims: &[&str], errs: &mut FieldErrors<'_, '_>) {
    let resources = spec.field("resources");
    if !resources.is_set() || !errs.ctx.config.release.since(34) {
        return;
    }
    if spec.field("os").field("name").text_or_empty() == "windows" {
        return errs.forbidden(&resources, "may not be set for a windows pod");
    }
    let used = resources.field("claims");
    if used.is_set() {
        errs.forbidden(&used, "claims may not be set for Resources at pod-level");
    }
    check_amounts(&resources, Holder::Pod, errs);
    claims::check_used(&used, claims, errs);
    check_sums(spec, &resources, errs);
}

/// Checks limits alone, as those of a container; `resources` holds them.
pub(crate) fn check_limits(limits: &At<'_>, resources: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut names = NamesSeen::default();
    for (name, at) in limits.entries() {
        check_amount(name, &at, Holder::Container, errs);
        names.add(name);
    }
    names.check(resources, errs);
}

/// Which sorts of resources there are: huge pages need others beside them.
#[derive(Default)]
struct NamesSeen {
    has_basics: bool,
    has_pages: bool,
}

impl NamesSeen {
    fn add(&mut self, name: &str) {
        self.has_basics |= matches!(name, "cpu" | "memory");
        self.has_pages |= is_page(name);
    }

    fn check(&self, resources: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
        if self.has_pages && !self.has_basics {
            errs.forbidden(resources, "HugePages require cpu or memory");
        }
    }
}

fn check_amount(name: &str, at: &At<'_>, holder: Holder, errs: &mut FieldErrors<'_, '_>) {
    check_name(name, at, holder, errs);
    check_quantity(name, at, errs);
    check_pages(name, at, errs);
}

fn check_amounts(resources: &At<'_>, holder: Holder, errs: &mut FieldErrors<'_, '_>) {
    let (limits, requests) = (resources.field("limits"), resources.field("requests"));
    let mut names = NamesSeen::default();
    for (name, at) in limits.entries().chain(requests.entries()) {
        check_amount(name, &at, holder, errs);
        names.add(name);
    }
    let mut members = Members::of(limits.node());
    for (name, at) in requests.entries() {
        let limit = limits.key_among(&mut members, name);
        check_pair(name, &at.with_path(*requests.path()), &limit, &limits, errs);
    }
    names.check(resources, errs);
}

/// Checks that an amount of huge pages is a number of whole pages.
fn check_pages(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let Some(amount) = Quantity::at(at).filter(|_| is_page(name)) else { return };
    let size = name.strip_prefix("hugepages-").and_then(Quantity::parse);
    let is_divisible = size.is_some_and(|size| {
        size.is_positive() && size.is_whole() && amount.in_wholes() % size.in_wholes() == 0
    });
    if !is_divisible {
        let text = Quantity::text_at(at);
        let detail = format!("{text} is not positive integer multiple of {name}");
        errs.invalid_as(at, quoted(&text), detail);
    }
}

/// Checks the resources of a pod against those of its containers.
fn check_sums(spec: &At<'_>, resources: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let requests = resources.field("requests");
    let needed = sums(spec, "requests", &requests);
    for (name, at) in requests.entries() {
        let sum = needed.get(name).and_then(Sum::at_once);
        if let (Some(own), Some(sum)) = (Quantity::at(&at), sum)
            && sum.exceeds(own)
        {
            let detail =
                format!("must be greater than or equal to aggregate container requests of {sum}");
            errs.invalid_as(&at, quoted(&own.to_string()), detail);
        }
    }
    let limits = resources.field("limits");
    let needed = sums(spec, "limits", &limits);
    for (name, at) in limits.entries().filter(|(name, _)| is_page(name)) {
        let sum = needed.get(name).and_then(Sum::at_once);
        if let (Some(own), Some(sum)) = (Quantity::at(&at), sum)
            && sum.exceeds(own)
        {
            let detail =
                format!("must be greater than or equal to aggregate container limits of {sum}");
            errs.invalid_as(&at, quoted(&own.to_string()), detail);
        }
    }
    let mut members = Members::of(limits.node());
    for (index, container) in spec.field("containers").items().enumerate() {
        for (name, at) in container.field("resources").field("limits").entries() {
            let most = Quantity::at(&limits.key_among(&mut members, name));
            if let (Some(own), Some(most)) = (Quantity::at(&at), most)
                && own.exceeds(most)
            {
                // The API reports a path below the resources of the pod.
                let path = resources.path().field("containers").index(index);
                let path = path.key(name).field("limits");
                let detail = format!("must be less than or equal to pod limits of {most}");
                errs.invalid_as(&at.with_path(path), quoted(&own.to_string()), detail);
            }
        }
    }
}

/// What all containers need of a resource.
#[derive(Default)]
struct Sum {
    /// What those need that run together.
    running: Option<Quantity>,
    /// What the sidecars so far need.
    sidecars: Option<Quantity>,
    /// The most that one init container needs beside the sidecars before it.
    most: Option<Quantity>,
}

impl Sum {
    /// The amount that all containers need at once.
    fn at_once(&self) -> Option<Quantity> {
        match (self.running, self.most) {
            (Some(running), Some(most)) if most.exceeds(running) => Some(most),
            (running, most) => running.or(most),
        }
    }

    fn add_init(&mut self, own: Quantity, is_sidecar: bool) {
        let at_once = add(self.sidecars, own);
        if is_sidecar {
            self.running = Some(add(self.running, own));
            self.sidecars = Some(at_once);
        }
        self.most = self.most.filter(|most| !at_once.exceeds(*most)).or(Some(at_once));
    }
}

fn add(sum: Option<Quantity>, more: Quantity) -> Quantity {
    sum.map_or(more, |sum| sum.plus(more))
}

/// What all containers need of each resource in a list of the pod, in one pass over the containers.
fn sums<'a>(spec: &At<'a>, list: &'static str, of: &At<'a>) -> BTreeMap<&'a str, Sum> {
    let mut sums: BTreeMap<&str, Sum> =
        of.entries().map(|(name, _)| (name, Sum::default())).collect();
    let mut for_each = |container: &At<'_>, change: &mut dyn FnMut(&mut Sum, Quantity)| {
        let resources = container.field("resources");
        let (own, limits) = (resources.field(list), resources.field("limits"));
        let mut members = Members::of(own.node());
        // A request that is not given is the limit.
        let rest = limits.entries().filter(|(name, _)| members.get(name).is_none());
        for (name, at) in own.entries().chain(rest) {
            if let (Some(sum), Some(amount)) = (sums.get_mut(name), Quantity::at(&at)) {
                change(sum, amount);
            }
        }
    };
    for container in spec.field("containers").items() {
        for_each(&container, &mut |sum, own| sum.running = Some(add(sum.running, own)));
    }
    for container in spec.field("initContainers").items() {
        let is_sidecar = container.field("restartPolicy").text_or_empty() == "Always";
        for_each(&container, &mut |sum, own| sum.add_init(own, is_sidecar));
    }
    sums
}

fn check_pair(
    name: &str,
    at: &At<'_>,
    limit: &At<'_>,
    limits: &At<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let can_overcommit = can_overcommit(name);
    let Some(request) = Quantity::at(at) else { return };
    let Some(most) = Quantity::at(limit) else {
        if !can_overcommit {
            errs.required(limits, "Limit must be set for non overcommitable resources");
        }
        return;
    };
    let relation = match request.compare(most) {
        Ordering::Equal => return,
        _ if !can_overcommit => "equal to",
        Ordering::Greater => "less than or equal to",
        Ordering::Less => return,
    };
    let detail = format!("must be {relation} {name} limit of {}", Quantity::text_at(limit));
    errs.invalid_as(at, quoted(&Quantity::text_at(at)), detail);
}

/// Checks the name of a resource: one that the API knows, or one with a domain; returns whether it is.
pub(crate) fn check_resource_name(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) -> bool {
    if !name_format::is_valid(NameFormat::Qualified, name) {
        errs.form_of(at, name, NameFormat::Qualified);
        return false;
    }
    let is_known = name.contains('/') || is_standard(name) || is_page(name);
    if !is_known {
        let detail = "must be a standard resource type or fully qualified";
        errs.invalid_as(at, quoted(name), detail);
    }
    is_known
}

/// Resources that a whole pod may have.
const OF_PODS: [&str; 2] = ["cpu", "memory"];

fn check_name(name: &str, at: &At<'_>, holder: Holder, errs: &mut FieldErrors<'_, '_>) {
    match holder {
        Holder::Container => check_container_name(name, at, errs),
        Holder::Pod => {
            let is_known = check_resource_name(name, at, errs);
            if is_known && !OF_PODS.contains(&name) && !name.starts_with("hugepages-") {
                errs.unsupported(at, quoted(name), &["cpu", "hugepages-", "memory"]);
            }
        }
    }
}

/// Checks the name of a container resource.
pub(crate) fn check_container_name(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_resource_name(name, at, errs);
    if !name.contains('/') {
        if !STANDARD.contains(&name) && !is_page(name) {
            errs.invalid_as(at, quoted(name), "must be a standard resource for containers");
        }
    } else if !is_native(name) && !is_extended(name) {
        errs.invalid_as(at, quoted(name), "doesn't follow extended resource name standard");
    }
}

/// Checks that a quantity is not negative, and an integer where required.
pub(crate) fn check_quantity(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let Some(quantity) = Quantity::at(at) else { return };
    if quantity.is_negative() {
        errs.invalid_as(at, quoted(&Quantity::text_at(at)), "must be greater than or equal to 0");
    }
    if (INTEGER.contains(&name) || is_extended(name)) && !Quantity::is_whole_at(at) {
        errs.invalid_as(at, quoted(&Quantity::text_at(at)), "must be an integer");
    }
}

/// Whether a resource of quotas and limits needs no domain prefix.
pub(crate) fn is_standard(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// Whether a request of a resource may be less than its limit.
pub(crate) fn can_overcommit(name: &str) -> bool {
    is_native(name) && !is_page(name)
}

fn is_page(name: &str) -> bool {
    name.starts_with("hugepages-") || name.starts_with("requests.hugepages-")
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Whether a resource is one of a vendor, by its domain.
pub(crate) fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && name_format::is_valid(NameFormat::Qualified, &format!("requests.{name}"))
}
