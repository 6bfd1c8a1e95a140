//! Small kinds of many groups that say how a cluster treats its guests: who may do what, who goes
//! first, who may talk to whom, and how disks are had.

use super::fill::{Fill, Gap, each, fill, inside, is_empty, nil, put, within, zero};
use crate::Node;
use alloc::vec;

/// The group of roles, and of the users and groups that they are given to.
const RBAC: &[Gap] = &[zero("apiGroup", Fill::Text("rbac.authorization.k8s.io"))];
const TOKEN: &[Gap] = &[nil("expirationSeconds", Fill::Int(3600))];
const POD_CERTIFICATE: &[Gap] = &[nil("maxExpirationSeconds", Fill::Int(86_400))];
const ENDPOINT_PORT: &[Gap] = &[nil("name", Fill::Text("")), nil("protocol", Fill::Text("TCP"))];
const POLICY_PORT: &[Gap] = &[nil("protocol", Fill::Text("TCP"))];
const CLASS_PARAMETERS: &[Gap] = &[nil("scope", Fill::Text("Cluster"))];
const PRIORITY: &[Gap] = &[nil("preemptionPolicy", Fill::Text("PreemptLowerPriority"))];
const POD_GROUP: &[Gap] = &[nil("disruptionMode", Fill::Text("Pod"))];
const FLOW: &[Gap] = &[zero("matchingPrecedence", Fill::Int(1000))];
const LIMITED: &[Gap] =
    &[nil("nominalConcurrencyShares", Fill::Int(30)), nil("lendablePercent", Fill::Int(0))];
const EXEMPT: &[Gap] =
    &[nil("nominalConcurrencyShares", Fill::Int(0)), nil("lendablePercent", Fill::Int(0))];
const QUEUES: &[Gap] = &[
    zero("handSize", Fill::Int(8)),
    zero("queues", Fill::Int(64)),
    zero("queueLengthLimit", Fill::Int(50)),
];
const STORAGE_CLASS: &[Gap] = &[
    nil("reclaimPolicy", Fill::Text("Delete")),
    nil("volumeBindingMode", Fill::Text("Immediate")),
];
const CSI_DRIVER: &[Gap] = &[
    nil("attachRequired", Fill::Bool(true)),
    nil("podInfoOnMount", Fill::Bool(false)),
    nil("storageCapacity", Fill::Bool(false)),
    nil("fsGroupPolicy", Fill::Text("ReadWriteOnceWithFSType")),
    nil("requiresRepublish", Fill::Bool(false)),
    nil("seLinuxMount", Fill::Bool(false)),
];
/// What a disruption budget that selects nothing says in its old version; no other may use it.
const OLD_BUDGET_LABEL: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

/// A RoleBinding or ClusterRoleBinding.
pub(super) fn role_binding(node: &mut Node<'_>) {
    inside(node, "roleRef", |role| fill(role, RBAC));
    each(node, "subjects", |subject| {
        if matches!(subject.text_at(&["kind"]), "User" | "Group") {
            fill(subject, RBAC);
        }
    });
}

/// A TokenRequest.
pub(super) fn token_request(node: &mut Node<'_>) {
    inside(node, "spec", |spec| fill(spec, TOKEN));
}

/// A PodCertificateRequest.
pub(super) fn pod_certificate(node: &mut Node<'_>) {
    inside(node, "spec", |spec| fill(spec, POD_CERTIFICATE));
}

/// An EndpointSlice.
pub(super) fn endpoint_slice(node: &mut Node<'_>) {
    each(node, "ports", |port| fill(port, ENDPOINT_PORT));
}

/// A NetworkPolicy.
pub(super) fn network_policy(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        if is_empty(spec, "policyTypes") {
            let mut types = vec![Node::string("Ingress")];
            if !is_empty(spec, "egress") {
                types.push(Node::string("Egress"));
            }
            put(spec, "policyTypes", Node::list(types));
        }
        for direction in ["ingress", "egress"] {
            each(spec, direction, |rule| each(rule, "ports", |port| fill(port, POLICY_PORT)));
        }
    });
}

/// An IngressClass.
pub(super) fn ingress_class(node: &mut Node<'_>) {
    within(node, "spec", |spec| {
        within(spec, "parameters", |wanted| fill(wanted, CLASS_PARAMETERS));
    });
}

/// A PodDisruptionBudget. Nothing is filled in; a label that means all or nothing to the old
/// version is taken out where it stands beside others.
pub(super) fn disruption_budget(node: &mut Node<'_>) {
    let Some(selector) = node.find_mut(&["spec", "selector"]) else { return };
    let is_old = |wanted: &Node<'_>| wanted.text_at(&["key"]) == OLD_BUDGET_LABEL;
    let is_match_none = is_empty(selector, "matchLabels")
        && matches!(
            selector.get("matchExpressions").map(Node::items),
            Some([only]) if is_old(only)
                && only.text_at(&["operator"]) == "Exists"
                && is_empty(only, "values")
        );
    if is_match_none {
        return;
    }
    if let Some(wanted) = selector.get_mut("matchExpressions").and_then(Node::items_mut) {
        wanted.retain(|wanted| !is_old(wanted));
    }
}

/// A PriorityClass.
pub(super) fn priority_class(node: &mut Node<'_>) {
    fill(node, PRIORITY);
}

/// A PodGroup.
pub(super) fn pod_group(node: &mut Node<'_>) {
    inside(node, "spec", |spec| fill(spec, POD_GROUP));
}

/// A FlowSchema.
pub(super) fn flow_schema(node: &mut Node<'_>) {
    inside(node, "spec", |spec| fill(spec, FLOW));
}

/// A PriorityLevelConfiguration.
pub(super) fn priority_level(node: &mut Node<'_>) {
    within(node, "spec", |spec| {
        within(spec, "limited", |limited| {
            fill(limited, LIMITED);
            within(limited, "limitResponse", |response| {
                within(response, "queuing", |queues| fill(queues, QUEUES));
            });
        });
        within(spec, "exempt", |exempt| fill(exempt, EXEMPT));
    });
}

/// A StorageClass.
pub(super) fn storage_class(node: &mut Node<'_>) {
    fill(node, STORAGE_CLASS);
}

/// A CSIDriver.
pub(super) fn csi_driver(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        fill(spec, CSI_DRIVER);
        if is_empty(spec, "volumeLifecycleModes") {
            put(spec, "volumeLifecycleModes", Node::list(vec![Node::string("Persistent")]));
        }
    });
}
