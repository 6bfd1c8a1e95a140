//! The repair of stored objects: which values a JSON patch can put right, which objects must be made again, and in which
//! order.

use crate::decide::{Choices, Decision, ValueClass, decide};
use crate::edits::ObjectRef;
use crate::proof::denotes_same;
use crate::reason::Reason;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_engine::{FIELDS, Field};
use ratchet_object::KINDS;

/// A value of a stored object that an audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFinding {
    /// The object.
    pub object: ObjectRef,
    /// Its resource, the plural of URLs.
    pub resource: String,
    /// The path of the field as messages have it.
    pub field: String,
    /// The JSON pointer of the value.
    pub pointer: String,
    /// The stored text.
    pub value: String,
    /// Whether every later update of the object is refused because of the value.
    pub is_frozen: bool,
    /// Whether an update that removes a finalizer is refused, too.
    pub keeps_finalizers: bool,
    /// Whether the configuration that was applied last has the same value.
    pub is_last_applied: bool,
}

/// The replacement of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replace {
    /// The JSON pointer of the value.
    pub pointer: String,
    /// The path of the field.
    pub field: String,
    /// The text that must be there.
    pub old: String,
    /// The canonical text.
    pub new: String,
}

/// One step of a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A JSON patch puts all values of the object right at once.
    Patch {
        /// The object.
        object: ObjectRef,
        /// Its resource.
        resource: String,
        /// Whether the values stand in the status, which is patched as a subresource.
        is_status: bool,
        /// The values.
        replaces: Vec<Replace>,
        /// Whether the configuration that was applied last has one of them.
        is_last_applied: bool,
    },
    /// The field is immutable: the object has to be made again.
    Recreate {
        /// The object.
        object: ObjectRef,
        /// Its resource.
        resource: String,
        /// The values to write when it is made again.
        replaces: Vec<Replace>,
        /// Why, and how to go about it.
        advice: String,
    },
    /// The component that wrote the value writes it again; there is nothing to patch.
    Leave {
        /// The object.
        object: ObjectRef,
        /// The path of the field.
        field: String,
        /// Who writes it.
        advice: String,
    },
    /// The value is not repaired, and why.
    Refused {
        /// The object.
        object: ObjectRef,
        /// The path of the field.
        field: String,
        /// The stored text.
        value: String,
        /// The reason.
        reason: String,
    },
}

impl Step {
    /// The object that the step is about.
    pub fn object(&self) -> &ObjectRef {
        match self {
            Self::Patch { object, .. }
            | Self::Recreate { object, .. }
            | Self::Leave { object, .. }
            | Self::Refused { object, .. } => object,
        }
    }

    /// The position in the order that works: templates before what is made from them, what must be made again last.
    fn order(&self) -> (u8, u8) {
        let kind = self.object().kind.as_str();
        let by_kind = ORDER.iter().position(|name| *name == kind).unwrap_or(ORDER.len());
        let by_step = match self {
            Self::Patch { is_status: false, .. } => 0,
            Self::Patch { is_status: true, .. } => 1,
            Self::Recreate { .. } => 2,
            Self::Leave { .. } => 3,
            Self::Refused { .. } => 4,
        };
        (by_step, u8::try_from(by_kind).unwrap_or(u8::MAX))
    }
}

/// Kinds in the order in which they are repaired. A Deployment comes before its ReplicaSets: they cannot be scaled down
/// while they are frozen, but a new one is only made from a template that is right. Endpoints come before the slices that
/// are copied from them, and what makes pods before Pods.
const ORDER: [&str; 16] = [
    "PodTemplate",
    "Deployment",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
    "DaemonSet",
    "CronJob",
    "NetworkPolicy",
    "Service",
    "Endpoints",
    "EndpointSlice",
    "Ingress",
    "ResourceClaim",
    "Job",
    "Pod",
    "Node",
];

/// How a field of a stored object can be repaired.
enum Repair {
    Patch,
    PatchStatus,
    Recreate(&'static str),
    Leave(&'static str),
}

/// The steps that repair these values, in an order that works. A value is repaired once, however often it was found.
pub fn plan(findings: &[StoredFinding], choices: &Choices) -> Vec<Step> {
    let mut seen: Vec<&StoredFinding> = findings.iter().collect();
    seen.sort_by(|a, b| (key(&a.object), &a.pointer).cmp(&(key(&b.object), &b.pointer)));
    let is_same = |a: &mut &StoredFinding, b: &mut &StoredFinding| {
        let same = a.object == b.object && a.pointer == b.pointer;
        same && a.is_frozen == b.is_frozen
    };
    seen.dedup_by(is_same);
    let mut steps = Vec::new();
    for group in seen.chunk_by(|a, b| a.object == b.object) {
        plan_object(group, choices, &mut steps);
    }
    steps.sort_by_key(Step::order);
    steps
}

fn key(object: &ObjectRef) -> (&str, &str, &str, &str) {
    (&object.api_version, &object.kind, &object.namespace, &object.name)
}

fn plan_object(group: &[&StoredFinding], choices: &Choices, steps: &mut Vec<Step>) {
    let Some(first) = group.first() else { return };
    let (object, resource) = (&first.object, &first.resource);
    let (mut main, mut status, mut recreate) = (Vec::new(), Vec::new(), Vec::new());
    let mut advice = String::new();
    let mut refused: Option<(String, String)> = None;
    let mut pointers: Vec<&str> = Vec::new();
    for finding in group {
        if pointers.contains(&finding.pointer.as_str()) {
            continue;
        }
        pointers.push(&finding.pointer);
        let Some((class, repair)) = repair(&object.kind, &finding.pointer) else { continue };
        if let Repair::Leave(advice) = repair {
            let (object, field) = (object.clone(), finding.field.clone());
            steps.push(Step::Leave { object, field, advice: advice.to_string() });
            continue;
        }
        let new = match canonical(class, &finding.value, choices) {
            Ok(None) => continue,
            Ok(Some(new)) => new,
            Err(reason) => {
                let (field, value) = (finding.field.clone(), finding.value.clone());
                refused.get_or_insert((field.clone(), value.clone()));
                let reason = reason.to_string();
                steps.push(Step::Refused { object: object.clone(), field, value, reason });
                continue;
            }
        };
        let replace = Replace {
            pointer: finding.pointer.clone(),
            field: finding.field.clone(),
            old: finding.value.clone(),
            new,
        };
        match repair {
            Repair::Patch => main.push(replace),
            Repair::PatchStatus => status.push(replace),
            Repair::Recreate(why) => {
                advice = recreate_advice(why, finding);
                recreate.push(replace);
            }
            Repair::Leave(_) => {}
        }
    }
    // The API looks at a whole list, or at a frozen object, as one: a patch that leaves a bad value is refused.
    let is_judged_whole = matches!(object.kind.as_str(), "Endpoints" | "EndpointSlice")
        || group.iter().any(|finding| finding.is_frozen);
    if let Some((field, value)) = refused.filter(|_| is_judged_whole) {
        for replace in main.drain(..) {
            let reason = format!(
                "the API would refuse the patch while {field} stays {value:?}; decide about that one first"
            );
            steps.push(Step::Refused {
                object: object.clone(),
                field: replace.field,
                value: replace.old,
                reason,
            });
        }
    }
    let is_last_applied = group.iter().any(|finding| finding.is_last_applied);
    for (is_status, replaces) in [(false, main), (true, status)] {
        if !replaces.is_empty() {
            let (object, resource) = (object.clone(), resource.clone());
            steps.push(Step::Patch { object, resource, is_status, replaces, is_last_applied });
        }
    }
    if !recreate.is_empty() {
        let (object, resource) = (object.clone(), resource.clone());
        steps.push(Step::Recreate { object, resource, replaces: recreate, advice });
    }
}

fn recreate_advice(why: &str, finding: &StoredFinding) -> String {
    match finding.is_frozen && finding.keeps_finalizers {
        false => why.to_string(),
        true => format!(
            "{why} It is frozen: its finalizers cannot be removed while the gate StrictIPCIDRValidation is on, so turn the gate off to delete it if it has any."
        ),
    }
}

fn canonical(class: ValueClass, text: &str, choices: &Choices) -> Result<Option<String>, Reason> {
    let meant = if class == ValueClass::Network { text.trim() } else { text };
    match decide(class, meant, choices) {
        Decision::Unchanged => Ok(None),
        Decision::Refused(reason) => Err(reason),
        Decision::Rewrite(new) if denotes_same(class, meant, &new, choices) => Ok(Some(new)),
        Decision::Rewrite(_) => Err(Reason::NotEqual),
    }
}

/// The class of the value at a pointer and how it can be repaired; none if no field of the table is there.
fn repair(kind: &str, pointer: &str) -> Option<(ValueClass, Repair)> {
    let path = generic_path(pointer);
    let row = KINDS.iter().find(|row| row.name == kind)?;
    let in_pod = row.pod.and_then(|place| {
        let prefix = place.0.iter().fold(String::new(), |prefix, name| prefix + name + ".");
        path.strip_prefix(prefix.as_str()).map(ToString::to_string)
    });
    let is_it = |field: &&&Field| match in_pod.as_deref() {
        Some(path) => field.kind == "Pod" && field.path == path,
        None => field.kind == kind && field.path == path,
    };
    let class = match FIELDS.iter().find(is_it) {
        Some(field) => ValueClass::of(field),
        None if in_pod.as_deref() == Some("spec.dnsConfig.searches[]") => ValueClass::SearchName,
        None => return None,
    };
    let repair = match (kind, path.starts_with("status.")) {
        ("Pod", true) => Repair::Leave(
            "the kubelet writes it; it writes the canonical form when the pod's sandbox is made again",
        ),
        (_, true) => Repair::PatchStatus,
        ("Pod", false) => Repair::Recreate(
            "The spec of a Pod is immutable. If a controller owns it, patch the controller's template first; then delete the Pod, and it is made again.",
        ),
        ("Job", false) => Repair::Recreate(
            "The template of a Job is immutable. If a CronJob owns it, patch the CronJob and let the Job end; else delete it and create it again.",
        ),
        ("Node", false) => Repair::Recreate(
            "The pod CIDRs of a Node are immutable. Drain it, delete the Node, and restart its kubelet, which registers it again.",
        ),
        ("Service", false) if path.starts_with("spec.clusterIP") => Repair::Recreate(
            "The cluster IPs of a Service are immutable. Delete it and create it again with the canonical form: the address stays the same, and clients notice a short gap.",
        ),
        ("IPAddress" | "ServiceCIDR", false) => Repair::Recreate(
            "The field is immutable. Create the object again under the canonical form.",
        ),
        _ => Repair::Patch,
    };
    Some((class, repair))
}

/// A pointer as the table writes paths: `/spec/externalIPs/0` is `spec.externalIPs[]`.
fn generic_path(pointer: &str) -> String {
    let mut path = String::new();
    for name in pointer.split('/').skip(1) {
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str("[]");
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
        }
    }
    path
}

#[cfg(test)]
mod tests;
