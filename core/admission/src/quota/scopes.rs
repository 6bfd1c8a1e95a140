//! Quota scopes of pods and claims.

use crate::amounts::{self, Side};
use crate::pods;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

/// A scope selector requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    name: String,
    operator: String,
    values: Vec<String>,
}

/// The scope requirements of a quota: all must hold.
pub(crate) fn of(quota: &Node<'_>) -> Vec<Scope> {
    let plain = pods::items(quota, &["spec", "scopes"]).iter().filter_map(Node::text);
    let plain = plain.map(|name| Scope {
        name: name.into(),
        operator: "Exists".into(),
        values: Vec::new(),
    });
    let selected =
        pods::items(quota, &["spec", "scopeSelector", "matchExpressions"]).iter().map(|item| {
            Scope {
                name: item.text_at(&["scopeName"]).into(),
                operator: item.text_at(&["operator"]).into(),
                values: pods::items(item, &["values"])
                    .iter()
                    .filter_map(Node::text)
                    .map(Into::into)
                    .collect(),
            }
        });
    plain.chain(selected).collect()
}

impl Scope {
    /// Whether a name, which may be empty, is selected.
    fn selects(&self, name: &str) -> bool {
        let is_listed = self.values.iter().any(|value| value == name);
        match self.operator.as_str() {
            "Exists" => !name.is_empty(),
            "DoesNotExist" => name.is_empty(),
            "In" => !name.is_empty() && is_listed,
            "NotIn" => name.is_empty() || !is_listed,
            _ => false,
        }
    }
}

/// Whether a pod is in a scope.
pub(super) fn pod(scope: &Scope, pod: &Node<'_>) -> bool {
    match scope.name.as_str() {
        "Terminating" => is_terminating(pod),
        "NotTerminating" => !is_terminating(pod),
        "BestEffort" => is_best_effort(pod),
        "NotBestEffort" => !is_best_effort(pod),
        "PriorityClass" => scope.selects(pod.text_at(&["spec", "priorityClassName"])),
        "CrossNamespacePodAffinity" => has_cross_namespace_affinity(pod),
        _ => false,
    }
}

/// Whether a claim is in a scope.
pub(super) fn claim(scope: &Scope, claim: &Node<'_>) -> bool {
    let paths: [&[&str]; 3] = [
        &["spec", "volumeAttributesClassName"],
        &["status", "currentVolumeAttributesClassName"],
        &["status", "modifyVolumeStatus", "targetVolumeAttributesClassName"],
    ];
    let mut names = paths
        .into_iter()
        .map(|path| claim.text_at(path))
        .filter(|name| !name.is_empty())
        .peekable();
    if scope.name != "VolumeAttributesClass" {
        return false;
    }
    if names.peek().is_none() {
        return scope.selects("");
    }
    names.any(|name| scope.selects(name))
}

/// Whether a pod has an active deadline.
pub(super) fn is_terminating(pod: &Node<'_>) -> bool {
    pod.find(&["spec", "activeDeadlineSeconds"])
        .and_then(Node::as_int)
        .is_some_and(|seconds| seconds >= 0)
}

fn is_best_effort(pod: &Node<'_>) -> bool {
    let whole = pod
        .find(&["spec", "resources"])
        .map(|resources| Node::map([("resources", resources.clone())]));
    let lists = ["containers", "initContainers"];
    let all = lists.iter().flat_map(|list| pod.pod_spec().list(list)).chain(&whole);
    !all.into_iter().any(|container| {
        [Side::Requests, Side::Limits].into_iter().any(|side| {
            let amounts_of_container = amounts::of_container(container, side);
            ["cpu", "memory"]
                .into_iter()
                .any(|name| amounts_of_container.get(name).is_some_and(|amount| !amount.is_zero()))
        })
    })
}

/// Whether a pod has affinity terms for other namespaces.
fn has_cross_namespace_affinity(pod: &Node<'_>) -> bool {
    let is_other = |term: &Node<'_>| {
        !pods::items(term, &["namespaces"]).is_empty() || pods::has(term, "namespaceSelector")
    };
    ["podAffinity", "podAntiAffinity"].into_iter().any(|side| {
        let list = |name: &str| pods::items(pod, &["spec", "affinity", side, name]);
        list("requiredDuringSchedulingIgnoredDuringExecution").iter().any(is_other)
            || list("preferredDuringSchedulingIgnoredDuringExecution")
                .iter()
                .any(|term| term.get("podAffinityTerm").is_some_and(is_other))
    })
}
