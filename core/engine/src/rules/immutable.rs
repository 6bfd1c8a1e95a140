//! Some fields cannot change once they are set, not even to a better spelling.

use crate::{Cause, Origin, Problem, Ratchet, Rule, Verdict};
use alloc::borrow::Cow;
use alloc::string::String;
use ratchet_object::{At, Node, same};

/// The row.
pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-002",
    fields: &[
        "Service spec.clusterIPs",
        "Node spec.podCIDRs",
        "Pod spec",
        "EndpointSlice addressType",
        "ServiceCIDR spec.cidrs",
        "IPAddress spec.parentRef",
    ],
    title: "immutable field",
    origin: Origin::Api,
    demands: "Cluster IPs, a node's pod ranges, a pod's spec, an EndpointSlice's address type, a ServiceCIDR's ranges and an IPAddress's parent stay as they were set.",
    why: "Other objects and running processes were built on the old value. The proposal leaves these fields immutable even where a bad spelling could be repaired.",
    fix: "Delete the object and create it anew with the right value.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const ONCE_SET: &str = "field is immutable";
const POD: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// The field shows its new value and may not change.
pub(crate) fn changed(at: &At<'_>, shown: impl Into<String>, verdict: &mut Verdict) {
    changed_so(at, shown, ONCE_SET, verdict);
}

/// The same in other words.
pub(crate) fn changed_so(
    at: &At<'_>,
    shown: impl Into<String>,
    detail: impl Into<Cow<'static, str>>,
    verdict: &mut Verdict,
) {
    verdict.problem(Problem::new(&RULE, Cause::Invalid, at, detail).showing(shown));
}

pub(crate) fn forbidden(at: &At<'_>, detail: &'static str, verdict: &mut Verdict) {
    verdict.problem(Problem::new(&RULE, Cause::Forbidden, at, detail));
}

/// What the API server or a controller writes into a pod's spec by itself, or lets people change:
/// a manifest may well leave it out.
const FREE: [&str; 17] = [
    "activeDeadlineSeconds",
    "automountServiceAccountToken",
    "dnsPolicy",
    "enableServiceLinks",
    "ephemeralContainers",
    "nodeName",
    "overhead",
    "preemptionPolicy",
    "priority",
    "restartPolicy",
    "schedulerName",
    "schedulingGates",
    "securityContext",
    "serviceAccount",
    "serviceAccountName",
    "terminationGracePeriodSeconds",
    "tolerations",
];

/// A pod's spec may change in few places only.
pub(crate) fn check_pod(spec: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let (Some(new_node), Some(old_node)) = (spec.node(), old.node()) else { return };
    let names = new_node.entries().iter().chain(old_node.entries()).map(|entry| entry.key.as_ref());
    let differs = names.into_iter().any(|name| match name {
        "containers" | "initContainers" => !same_containers(new_node.get(name), old_node.get(name)),
        // Volumes and node selectors gain entries when a pod is admitted.
        "volumes" | "nodeSelector" => false,
        name if FREE.contains(&name) => false,
        name => !same(new_node.get(name), old_node.get(name)),
    });
    if differs {
        verdict.problem(Problem::new(&RULE, Cause::Forbidden, spec, POD));
    }
}

/// Containers may change their image; what only one side says may be a default of the server.
fn same_containers(new: Option<&Node<'_>>, old: Option<&Node<'_>>) -> bool {
    let (new, old) =
        (new.map(Node::items).unwrap_or_default(), old.map(Node::items).unwrap_or_default());
    new.len() == old.len()
        && new.iter().zip(old).all(|(new, old)| {
            new.entries()
                .iter()
                .filter(|entry| matches!(entry.key.as_ref(), "name" | "command" | "args"))
                .all(|entry| same(Some(&entry.node), old.get(&entry.key)))
        })
}
