//! Rule RTC-API-002: immutable fields, which cannot change even to a better spelling.

use crate::gates::{Gates, MUTABLE_JOB_RESOURCES, MUTABLE_JOB_SCHEDULING};
use crate::unified_diff::unified_diff;
use crate::{Cause, FieldError, Origin, Ratchet, Rule, Verdict, internal};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use ratchet_object::{At, Equality, Members, Node, Slot, Value};

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-002",
    fields: &[
        "Service spec.clusterIPs",
        "Node spec.podCIDRs",
        "Pod spec",
        "EndpointSlice addressType",
        "ServiceCIDR spec.cidrs",
        "IPAddress spec.parentRef",
        "metadata.name, metadata.namespace and metadata.uid of every kind",
        "Deployment, ReplicaSet, DaemonSet, StatefulSet and Job spec.selector",
        "StatefulSet spec, Job spec.template",
        "ConfigMap and Secret data, once `immutable` is set; Secret type",
        "RoleBinding and ClusterRoleBinding roleRef",
        "StorageClass provisioner, parameters, reclaimPolicy, volumeBindingMode",
        "PersistentVolumeClaim spec, PersistentVolume spec.nodeAffinity, PriorityClass value",
        "ResourceClaim and ResourceClaimTemplate spec, IngressClass spec.controller",
    ],
    title: "immutable field",
    origin: Origin::Api,
    demands: "What an object is called, which pods it selects, what it refers to, and what was given out for it stay as they were set; of a pod little more than its images may change.",
    why: "Other objects and running processes were built on the old value. The proposal leaves these fields immutable even where a bad spelling could be repaired.",
    fix: "Delete the object and create it anew with the right value.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const ONCE_SET: &str = "field is immutable";
const POD: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// Reports a changed immutable field, with its new value.
pub(crate) fn changed(at: &At<'_>, formatted: impl Into<String>, verdict: &mut Verdict) {
    changed_with_detail(at, formatted, ONCE_SET, verdict);
}

/// Reports a changed immutable field, with a message of its own.
pub(crate) fn changed_with_detail(
    at: &At<'_>,
    formatted: impl Into<String>,
    detail: impl Into<Cow<'static, str>>,
    verdict: &mut Verdict,
) {
    verdict.add_error(FieldError::new(&RULE, Cause::Invalid, at, detail).with_value(formatted));
}

pub(crate) fn forbidden(at: &At<'_>, detail: impl Into<Cow<'static, str>>, verdict: &mut Verdict) {
    verdict.add_error(FieldError::new(&RULE, Cause::Forbidden, at, detail));
}

/// Mutable fields of a pod's spec; their limits are checked elsewhere.
const CHANGEABLE: [&str; 3] = ["activeDeadlineSeconds", "schedulingGates", "tolerations"];

/// Fields that are mutable too while scheduling gates remain.
const GATED: [&str; 2] = ["affinity", "nodeSelector"];

/// Fields of a pod's spec that the server or a controller fills in: a manifest may leave them out.
const FILLED_IN: [&str; 14] = [
    "automountServiceAccountToken",
    "dnsPolicy",
    "enableServiceLinks",
    "nodeName",
    "overhead",
    "preemptionPolicy",
    "priority",
    "restartPolicy",
    "schedulerName",
    "securityContext",
    "serviceAccount",
    "serviceAccountName",
    "terminationGracePeriodSeconds",
    "volumes",
];

/// Defaults of fields: stating them explicitly is no change.
const DEFAULTS: [(&str, &str); 13] = [
    ("apiVersion", "v1"),
    ("dnsPolicy", "ClusterFirst"),
    ("imagePullPolicy", "IfNotPresent"),
    ("kind", "PersistentVolumeClaim"),
    ("phase", "Pending"),
    ("podManagementPolicy", "OrderedReady"),
    ("protocol", "TCP"),
    ("restartPolicy", "Always"),
    ("schedulerName", "default-scheduler"),
    ("serviceAccountName", "default"),
    ("terminationMessagePath", "/dev/termination-log"),
    ("terminationMessagePolicy", "File"),
    ("volumeMode", "Filesystem"),
];

/// Checks that only mutable fields of a pod's spec changed.
pub(crate) fn check_pod(spec: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let (Some(new_node), Some(old_node)) = (spec.node(), old.node()) else { return };
    let (slot, is_complete) = (spec.slot(), is_complete(spec));
    let is_gated = !old.field("schedulingGates").is_empty();
    let may_change = |name: &str| CHANGEABLE.contains(&name) || (is_gated && GATED.contains(&name));
    let is_changed = new_node.entries().iter().any(|entry| {
        let name = entry.key.as_ref();
        let ignored: &[&str] = if name.ends_with("ontainers") { &["image"] } else { &[] };
        !may_change(name)
            && !is_grace_period_fixed(name, spec, old)
            && match is_complete {
                true => differs(slot.member(name), &entry.node, old_node.get(name), ignored),
                false => adds_or_changes(
                    slot.member(name),
                    name,
                    &entry.node,
                    old_node.get(name),
                    ignored,
                ),
            }
    });
    let is_removed = old_node.entries().iter().any(|entry| {
        let name = entry.key.as_ref();
        !may_change(name)
            && (is_complete || !FILLED_IN.contains(&name))
            && slot.member(name).equal(new_node.get(name), None, Equality::Semantic)
            && !slot.member(name).equal(Some(&entry.node), None, Equality::Semantic)
    });
    if is_changed || is_removed {
        let mut compared = new_node.clone();
        keep_changeable(&mut compared, old_node, is_gated);
        let diff = diff(spec, "PodSpec", [old_node, &compared]);
        forbidden(spec, format!("{POD}{diff}"), verdict);
    }
}

/// Gives the fields that may change their stored values, so that a diff shows the others.
fn keep_changeable<'t>(spec: &mut Node<'t>, old: &Node<'t>, is_gated: bool) {
    let gated: &[&str] = if is_gated { &GATED } else { &[] };
    for name in CHANGEABLE.iter().chain(gated) {
        match old.get(name) {
            Some(stored) => spec.set(*name, stored.clone()),
            None => drop(spec.remove(name)),
        }
    }
    for list in ["containers", "initContainers"] {
        let images = old.get(list).map_or(&[][..], Node::items).iter().map(|old| old.get("image"));
        let containers = spec.get_mut(list).and_then(Node::items_mut).into_iter().flatten();
        for (container, image) in containers.zip(images) {
            if let Some(image) = image {
                container.set("image", image.clone());
            }
        }
    }
}

/// The difference between two values of the internal type `name` as lines of their own, where the object around `at` is
/// complete: what a manifest leaves out would look like a change.
pub(crate) fn diff(at: &At<'_>, name: &str, [old, new]: [&Node<'_>; 2]) -> String {
    if !is_complete(at) {
        return String::new();
    }
    let [old, new] = [old, new].map(|node| internal::format_as(name, &At::root(node)));
    format!("\n{}", unified_diff(&old, &new))
}

/// Whether a negative grace period becomes one second, which is allowed.
fn is_grace_period_fixed(name: &str, spec: &At<'_>, old: &At<'_>) -> bool {
    name == "terminationGracePeriodSeconds"
        && old.field("terminationGracePeriodSeconds").int().is_some_and(|seconds| seconds < 0)
        && spec.field("terminationGracePeriodSeconds").int() == Some(1)
}

/// Checks that ephemeral containers were only added, never changed or removed.
pub(crate) fn check_ephemeral(spec: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let list = spec.field("ephemeralContainers");
    let mut by_name: BTreeMap<&str, At<'_>> = BTreeMap::new();
    for at in list.items() {
        // The first of several containers of one name counts.
        by_name.entry(at.field("name").text_or_empty()).or_insert(at);
    }
    for before in old.field("ephemeralContainers").items() {
        let name = before.field("name").text_or_empty();
        let verb = match by_name.get(name) {
            None => "removed\n".into(),
            Some(after) if is_field_changed("", after, &before) => {
                let nodes = before.node().zip(after.node());
                let diff = |(old, new)| diff(&list, "EphemeralContainer", [old, new]);
                format!("changed{}", nodes.map(diff).unwrap_or_default())
            }
            Some(_) => continue,
        };
        let name = ratchet_net::Quoted(name);
        let detail = format!("existing ephemeral containers {name} may not be {verb}");
        verdict.add_error(FieldError::new(&RULE, Cause::Forbidden, &list, detail));
    }
}

/// Fields that say where the pods of a Job run; of the affinity only that to nodes does.
const SCHEDULING: [&str; 3] = ["nodeSelector", "schedulingGates", "tolerations"];
const AFFINITY_TO_PODS: [&str; 2] = ["podAffinity", "podAntiAffinity"];

/// What may change in the template of a Job.
#[derive(Clone, Copy)]
pub(crate) struct JobChanges {
    /// Where its pods run, and the labels and annotations.
    scheduling: bool,
    /// The resources of its containers.
    pub(crate) resources: bool,
}

impl JobChanges {
    /// What may change in a stored Job: it must be suspended and have no pods that still run by the old template.
    pub(crate) fn of(job: &At<'_>, gates: &Gates) -> Self {
        let status = job.field("status");
        let is_suspended = job.descend(&["spec", "suspend"]).is_true();
        let has_begun = status.field("startTime").is_set();
        let mut conditions = status.field("conditions").items();
        let is_told = conditions.any(|condition| {
            condition.field("type").text_or_empty() == "Suspended"
                && condition.field("status").text_or_empty() == "True"
        });
        let is_idle = is_suspended
            && (!has_begun || is_told)
            && status.field("active").int().unwrap_or_default() == 0;
        let scheduling = match gates.on(&MUTABLE_JOB_SCHEDULING) {
            true => is_idle,
            false => is_suspended && !has_begun,
        };
        Self { scheduling, resources: is_idle && gates.on(&MUTABLE_JOB_RESOURCES) }
    }
}

/// Whether the template of a Job changed more than it may.
pub(crate) fn is_job_changed(spec: &At<'_>, old: &At<'_>, may: JobChanges) -> bool {
    let (at, before) = (spec.field("template"), old.field("template"));
    // Where resources may change, the API compares nothing but the spec of the template.
    let is_metadata_fixed = is_complete(spec) && !may.scheduling && !may.resources;
    let mut metadata = ["labels", "annotations"].into_iter();
    if is_metadata_fixed
        && metadata.any(|name| {
            let name = ["metadata", name];
            !at.descend(&name).equals(&before.descend(&name))
        })
    {
        return true;
    }
    let (pod, stored) = (at.field("spec"), before.field("spec"));
    members(&pod, &stored).any(|name| {
        let (new, old) = (pod.field(name), stored.field(name));
        match name {
            "affinity" if may.scheduling => AFFINITY_TO_PODS
                .into_iter()
                .any(|name| is_member_changed(name, &new.field(name), &old.field(name), &[])),
            _ if may.scheduling && SCHEDULING.contains(&name) => false,
            "containers" | "initContainers" if may.resources => {
                is_member_changed(name, &new, &old, &["resources"])
            }
            _ => is_member_changed(name, &new, &old, &[]),
        }
    })
}

/// Whether a member differs apart from ignored ones below it; of a manifest, whether it has new content.
fn is_member_changed(name: &str, new: &At<'_>, old: &At<'_>, ignored: &[&str]) -> bool {
    match (new.node(), is_complete(new)) {
        (Some(node), true) => differs(new.slot(), node, old.node(), ignored),
        (Some(node), false) => adds_or_changes(new.slot(), name, node, old.node(), ignored),
        (None, is_complete) => is_complete && !new.equals(old),
    }
}

/// Whether an object is complete, as the API returns it: it has a uid. A manifest has none, and the fields that it
/// leaves out may be defaults.
fn is_complete(at: &At<'_>) -> bool {
    at.object().is_some_and(|object| !object.metadata().uid().is_empty())
}

/// The members that may have changed: of a complete object also those that it no longer has.
fn members<'a>(new: &At<'a>, old: &At<'a>) -> impl Iterator<Item = &'a str> {
    let there = new.entries().map(|(name, _)| name);
    let gone = old.entries().filter(|_| is_complete(new)).map(|(name, _)| name);
    there.chain(gone)
}

/// Whether two values differ, apart from members with ignored names at any depth.
fn differs(slot: Slot, new: &Node<'_>, old: Option<&Node<'_>>, ignored: &[&str]) -> bool {
    if slot.equal(Some(new), old, Equality::Semantic) {
        return false;
    }
    match (&new.value, old.map(|old| &old.value)) {
        _ if ignored.is_empty() => true,
        (Value::Map(entries), Some(Value::Map(others))) => {
            let names = entries.iter().chain(others).map(|entry| entry.key.as_ref());
            let mut compared = names.filter(|name| !ignored.contains(name));
            let (mut now, mut before) = (Members::new(entries), Members::new(others));
            compared.any(|name| {
                !slot.member(name).equal(now.get(name), before.get(name), Equality::Semantic)
            })
        }
        (Value::List(items), Some(Value::List(others))) => {
            let mut pairs = items.iter().zip(others);
            items.len() != others.len()
                || pairs.any(|(new, old)| differs(slot.item(), new, Some(old), ignored))
        }
        _ => true,
    }
}

/// Whether the field `name` has new or changed content; of a complete object, whether it differs.
pub(crate) fn is_field_changed(name: &str, new: &At<'_>, old: &At<'_>) -> bool {
    if is_complete(new) {
        return !new.equals(old);
    }
    new.node().is_some_and(|node| adds_or_changes(new.slot(), name, node, old.node(), &[]))
}

/// The same of two edited copies of the value at `at` and of its stored one.
pub(crate) fn is_node_changed(at: &At<'_>, new: &Node<'_>, old: &Node<'_>) -> bool {
    match is_complete(at) {
        true => !at.slot().equal(Some(new), Some(old), Equality::Semantic),
        false => adds_or_changes(at.slot(), "", new, Some(old), &[]),
    }
}

/// Whether `new` has content that `old` does not. Content of `old` alone may be a default.
fn adds_or_changes(
    slot: Slot,
    name: &str,
    new: &Node<'_>,
    old: Option<&Node<'_>>,
    ignored: &[&str],
) -> bool {
    if slot.equal(Some(new), old, Equality::Semantic) {
        return false;
    }
    match (&new.value, old.map(|old| &old.value)) {
        (Value::Map(entries), Some(Value::Map(others))) => {
            let mut before = Members::new(others);
            entries.iter().any(|entry| {
                let key = entry.key.as_ref();
                let old = before.get(key);
                !ignored.contains(&key)
                    && adds_or_changes(slot.member(key), key, &entry.node, old, ignored)
            })
        }
        (Value::List(items), Some(Value::List(others))) => {
            items.len() != others.len()
                || items
                    .iter()
                    .zip(others)
                    .any(|(new, old)| adds_or_changes(slot.item(), name, new, Some(old), ignored))
        }
        (Value::Text(text), None) => !DEFAULTS.contains(&(name, text)),
        (Value::Bool(_), None) if name == "enableServiceLinks" => false,
        (Value::Int(30), None) if name == "terminationGracePeriodSeconds" => false,
        _ => true,
    }
}
