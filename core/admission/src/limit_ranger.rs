//! LimitRanger: containers get the namespace's default requests and limits, and its minimums and maximums are enforced.

use crate::amounts::{self, Amounts, Side};
use crate::resources::LIMIT_RANGES;
use crate::{Attributes, Denial, PluginContext, pods};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Entry, Members, Node, Quantity};

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// Larger quantities do not fit 64 bits in thousandths.
const MAX_IN_MILLI: i128 = (i64::MAX / 1000) as i128;

/// Sets the namespace's defaults on the containers of a pod.
pub(crate) fn admit(
    attributes: &Attributes<'_>,
    node: &mut Node<'static>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    if applies_to(attributes) && attributes.resource == "pods" {
        for range in cluster.list(&LIMIT_RANGES, attributes.namespace, usize::MAX) {
            set_defaults(node, &range);
        }
    }
    Ok(())
}

/// Refuses objects outside the limits of the namespace.
pub(crate) fn validate(
    attributes: &Attributes<'_>,
    node: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    if !applies_to(attributes) {
        return Ok(());
    }
    for range in cluster.list(&LIMIT_RANGES, attributes.namespace, usize::MAX) {
        let faults = match attributes.resource {
            "pods" => pod_faults(node, &range),
            _ => claim_faults(node, &range),
        };
        if let Some(text) = aggregate(faults) {
            return Err(Denial::Forbidden(text));
        }
    }
    Ok(())
}

/// Whether a request is a new pod, a resize or a claim that is not being deleted.
fn applies_to(attributes: &Attributes<'_>) -> bool {
    let is_deleting =
        attributes.old.is_some_and(|old| old.find(&["metadata", "deletionTimestamp"]).is_some());
    let is_write = attributes.is_create() || attributes.is_update();
    let is_resize = attributes.is_on_part("", "pods", "resize") && attributes.is_update();
    let is_pod_or_claim = attributes.is_on("", "pods") && attributes.is_create()
        || attributes.is_on("", "persistentvolumeclaims");
    !is_deleting && is_write && (is_pod_or_claim || is_resize)
}

fn limits_of<'n, 't>(range: &'n Node<'t>, limit_type: &str) -> impl Iterator<Item = &'n Node<'t>> {
    pods::items(range, &["spec", "limits"])
        .iter()
        .filter(move |limit| limit.text_at(&["type"]) == limit_type)
}

fn set_defaults(pod: &mut Node<'static>, range: &Node<'_>) {
    let [requests, limits] = &["defaultRequest", "default"].map(|member| defaults(range, member));
    let mut annotations = Vec::new();
    for (list, limit_type) in [("containers", "container"), ("initContainers", "init container")] {
        let containers = pod.find_mut(&["spec", list]).and_then(Node::items_mut);
        for container in containers.into_iter().flatten() {
            // Both are determined before either is set: a default limit is no reason for a request.
            let set = [(requests, "requests", "request"), (limits, "limits", "limit")];
            for (defaults, member, label) in set {
                let names = add_missing(container, member, defaults);
                if !names.is_empty() {
                    let name = container.text_at(&["name"]);
                    annotations
                        .push(format!("{} {label} for {limit_type} {name}", names.join(", ")));
                }
            }
        }
    }
    if !annotations.is_empty() {
        let note = format!("LimitRanger plugin set: {}", annotations.join("; "));
        pod.map_mut("metadata").map_mut("annotations").set(ANNOTATION, Node::string(note));
    }
}

/// The default quantities of containers; the last one of a resource counts.
fn defaults(range: &Node<'_>, member: &str) -> Vec<(String, Node<'static>)> {
    let limits = limits_of(range, "Container");
    let entries: Vec<&Entry<'_>> =
        limits.flat_map(|limit| limit.get(member).map(Node::entries).unwrap_or_default()).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut last: Vec<(String, Node<'static>)> = entries
        .into_iter()
        .rev()
        .filter(|entry| seen.insert(&entry.key))
        .map(|entry| (entry.key.as_ref().into(), entry.node.clone().into_owned()))
        .collect();
    last.reverse();
    last
}

/// Adds missing quantities and returns their names, in order.
fn add_missing(
    container: &mut Node<'static>,
    member: &'static str,
    defaults: &[(String, Node<'static>)],
) -> Vec<String> {
    let mut present = Members::of(container.find(&["resources", member]));
    let missing: Vec<_> =
        defaults.iter().filter(|(name, _)| present.get(name).is_none()).cloned().collect();
    let mut set: Vec<String> = missing.iter().map(|(name, _)| name.clone()).collect();
    set.sort();
    if !missing.is_empty()
        && let Some(list) = container.map_mut("resources").map_mut(member).entries_mut()
    {
        list.extend(missing.into_iter().map(|(name, amount)| Entry::new(name, amount)));
    }
    set
}

fn pod_faults(pod: &Node<'_>, range: &Node<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    for limit in pods::items(range, &["spec", "limits"]) {
        match limit.text_at(&["type"]) {
            "Container" => {
                let lists = ["containers", "initContainers"];
                for container in lists.iter().flat_map(|list| pod.pod_spec().list(list)) {
                    let own = |side| amounts::of_container(container, side);
                    Bounds::new("Container", own(Side::Requests), own(Side::Limits))
                        .check(limit, &mut faults);
                }
            }
            "Pod" => {
                let whole = |side| amounts::of_pod(pod, side);
                Bounds::new("Pod", whole(Side::Requests), whole(Side::Limits))
                    .check(limit, &mut faults);
            }
            _ => {}
        }
    }
    faults
}

fn claim_faults(claim: &Node<'_>, range: &Node<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let requests = amounts::of_container(
        &claim.get("spec").cloned().unwrap_or_else(Node::empty_map),
        Side::Requests,
    );
    let bounds = Bounds::new("PersistentVolumeClaim", requests, Amounts::new());
    for limit in limits_of(range, bounds.limit_type) {
        faults.extend(
            amounts::parse(limit.get("min"))
                .iter()
                .filter_map(|(name, least)| bounds.least(name, *least)),
        );
        faults.extend(
            amounts::parse(limit.get("max"))
                .iter()
                .filter_map(|(name, most)| bounds.most_requested(name, *most)),
        );
    }
    faults
}

/// The requests and limits to check against a limit range.
struct Bounds {
    limit_type: &'static str,
    requests: Amounts,
    limits: Amounts,
}

/// A check of one resource against one bound.
type Check = fn(&Bounds, &str, Quantity) -> Option<String>;

impl Bounds {
    fn new(limit_type: &'static str, requests: Amounts, limits: Amounts) -> Self {
        Self { limit_type, requests, limits }
    }

    fn check(&self, limit: &Node<'_>, faults: &mut Vec<String>) {
        let checks: [(&str, Check); 3] =
            [("min", Self::least), ("max", Self::most), ("maxLimitRequestRatio", Self::ratio)];
        for (member, check) in checks {
            let bounds = amounts::parse(limit.get(member));
            faults.extend(bounds.iter().filter_map(|(name, bound)| check(self, name, *bound)));
        }
    }

    fn least(&self, name: &str, least: Quantity) -> Option<String> {
        let (request, limit) = (self.requests.get(name), self.limits.get(name));
        let start = format!("minimum {name} usage per {} is {least}", self.limit_type);
        let count = counter([request, limit, Some(&least)]);
        match (request, limit) {
            (None, _) => Some(format!("{start}.  No request is specified")),
            (Some(request), _) if count(*request) < count(least) => {
                Some(format!("{start}, but request is {request}"))
            }
            (_, Some(limit)) if count(*limit) < count(least) => {
                Some(format!("{start}, but limit is {limit}"))
            }
            _ => None,
        }
    }

    fn most(&self, name: &str, most: Quantity) -> Option<String> {
        let (request, limit) = (self.requests.get(name), self.limits.get(name));
        let start = format!("maximum {name} usage per {} is {most}", self.limit_type);
        let count = counter([request, limit, Some(&most)]);
        match (limit, request) {
            (None, _) => Some(format!("{start}.  No limit is specified")),
            (Some(limit), _) if count(*limit) > count(most) => {
                Some(format!("{start}, but limit is {limit}"))
            }
            (_, Some(request)) if count(*request) > count(most) => {
                Some(format!("{start}, but request is {request}"))
            }
            _ => None,
        }
    }

    /// The maximum of requests alone, where limits do not exist.
    fn most_requested(&self, name: &str, most: Quantity) -> Option<String> {
        let request = self.requests.get(name);
        let start = format!("maximum {name} usage per {} is {most}", self.limit_type);
        let count = counter([request, None, Some(&most)]);
        match request {
            None => Some(format!("{start}.  No request is specified")),
            Some(request) if count(*request) > count(most) => {
                Some(format!("{start}, but request is {request}"))
            }
            Some(_) => None,
        }
    }

    fn ratio(&self, name: &str, most: Quantity) -> Option<String> {
        let (request, limit) = (self.requests.get(name), self.limits.get(name));
        let start =
            format!("{name} max limit to request ratio per {} is {most}, but", self.limit_type);
        let count = counter([request, limit, Some(&most)]);
        let Some(request) = request.map(|amount| count(*amount)).filter(|amount| *amount != 0)
        else {
            return Some(format!("{start} no request is specified or request is 0"));
        };
        let Some(limit) = limit.map(|amount| count(*amount)).filter(|amount| *amount != 0) else {
            return Some(format!("{start} no limit is specified or limit is 0"));
        };
        #[allow(
            clippy::cast_precision_loss,
            reason = "the API compares ratios as floating point too"
        )]
        let (ratio, bound) = (limit as f64 / request as f64, most.thousandths() as f64 / 1000.0);
        (ratio > bound).then(|| format!("{start} provided ratio is {ratio:.6}"))
    }
}

/// A function to count in thousandths, unless one of the quantities is too large for that.
fn counter(amounts: [Option<&Quantity>; 3]) -> fn(Quantity) -> i128 {
    let fits = amounts.into_iter().flatten().all(|amount| amount.in_wholes() <= MAX_IN_MILLI);
    if fits { Quantity::thousandths } else { Quantity::in_wholes }
}

/// Aggregates errors as Go does: each once, in brackets if there are several.
pub(crate) fn aggregate(faults: Vec<String>) -> Option<String> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut once: Vec<String> =
        faults.into_iter().filter(|fault| seen.insert(fault.clone())).collect();
    match once.len() {
        0 => None,
        1 => once.pop(),
        _ => Some(format!("[{}]", once.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::{Create, Update};
    use crate::testing::{Fake, attributes, node, text, user};

    const RANGE: &str = "{metadata: {name: r, namespace: ns}, spec: {limits: [{type: Container,
        default: {cpu: 500m, memory: 512Mi}, defaultRequest: {cpu: 100m},
        min: {cpu: 50m}, max: {cpu: '1'}, maxLimitRequestRatio: {cpu: 5}}]}}";

    fn ranges(range: &str) -> Fake {
        Fake::default().with("", "limitranges", &[range])
    }

    fn outcome(pod: &str, range: &str) -> String {
        let user = user("u", &[]);
        text(validate(&attributes(Create, "", "pods", &user, None), &node(pod), &ranges(range)))
    }

    #[test]
    fn containers_get_what_they_do_not_say() {
        let user = user("u", &[]);
        let mut pod = node("{spec: {containers: [{name: a, resources: {limits: {cpu: 400m}}}]}}");
        admit(&attributes(Create, "", "pods", &user, None), &mut pod, &ranges(RANGE)).unwrap();
        let resources =
            pod.find(&["spec", "containers"]).unwrap().items()[0].get("resources").unwrap();
        assert_eq!(
            resources.to_json(),
            r#"{"limits":{"cpu":"400m","memory":"512Mi"},"requests":{"cpu":"100m"}}"#
        );
        assert_eq!(
            pod.metadata().annotation(ANNOTATION),
            Some(
                "LimitRanger plugin set: cpu request for container a; memory limit for container a"
            )
        );
        let mut same = pod.clone();
        admit(&attributes(Update, "", "pods", &user, Some(&pod)), &mut same, &ranges(RANGE))
            .unwrap();
        assert_eq!(same, pod);
    }

    #[test]
    fn nothing_is_added_where_nothing_is_missing_or_there_is_no_range() {
        let user = user("u", &[]);
        let before = node("{spec: {containers: [{name: a}]}}");
        let mut pod = before.clone();
        admit(&attributes(Create, "", "pods", &user, None), &mut pod, &Fake::default()).unwrap();
        assert_eq!(pod, before);
    }

    #[test]
    fn bounds_hold_for_containers() {
        let pod = |requests: &str, limits: &str| {
            alloc::format!(
                "{{spec: {{containers: [{{name: a, resources: {{requests: {requests}, limits: {limits}}}}}]}}}}"
            )
        };
        assert_eq!(outcome(&pod("{cpu: 200m}", "{cpu: 1}"), RANGE), "Ok(())");
        assert_eq!(
            outcome(&pod("{cpu: 10m}", "{cpu: 50m}"), RANGE),
            "minimum cpu usage per Container is 50m, but request is 10m"
        );
        assert_eq!(
            outcome(&pod("{cpu: 500m}", "{cpu: 2}"), RANGE),
            "maximum cpu usage per Container is 1, but limit is 2"
        );
        assert_eq!(
            outcome(&pod("{cpu: 100m}", "{cpu: 1}"), RANGE),
            "cpu max limit to request ratio per Container is 5, but provided ratio is 10.000000"
        );
        assert_eq!(
            outcome("{spec: {containers: [{name: a}]}}", RANGE),
            "[minimum cpu usage per Container is 50m.  No request is specified, maximum cpu usage per Container is 1.  No limit is specified, cpu max limit to request ratio per Container is 5, but no request is specified or request is 0]"
        );
    }

    #[test]
    fn bounds_hold_for_pods_as_a_whole() {
        let range = "{metadata: {name: r, namespace: ns}, spec: {limits: [{type: Pod, max: {memory: 1Gi}}]}}";
        let pod = "{spec: {containers: [{resources: {limits: {memory: 1Gi}}}, {resources: {limits: {memory: 512Mi}}}]}}";
        assert_eq!(outcome(pod, range), "maximum memory usage per Pod is 1Gi, but limit is 1536Mi");
        assert_eq!(
            outcome("{spec: {containers: [{resources: {limits: {memory: 1Gi}}}]}}", range),
            "Ok(())"
        );
    }

    #[test]
    fn claims_are_held_against_what_they_ask_for() {
        let range = "{metadata: {name: r, namespace: ns}, spec: {limits: [{type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 2Gi}}]}}";
        let user = user("u", &[]);
        let outcome = |storage: &str, old: Option<&Node<'_>>| {
            let claim = node(&alloc::format!(
                "{{spec: {{resources: {{requests: {{storage: {storage}}}}}}}}}"
            ));
            let attributes = attributes(
                if old.is_some() { Update } else { Create },
                "",
                "persistentvolumeclaims",
                &user,
                old,
            );
            text(validate(&attributes, &claim, &ranges(range)))
        };
        assert_eq!(outcome("2Gi", None), "Ok(())");
        assert_eq!(
            outcome("3Gi", None),
            "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi"
        );
        assert_eq!(
            outcome("1Mi", None),
            "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi"
        );
        let going = node("{metadata: {deletionTimestamp: x}}");
        assert_eq!(outcome("3Gi", Some(&going)), "Ok(())");
    }
}
