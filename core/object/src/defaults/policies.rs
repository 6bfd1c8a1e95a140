//! Defaults of small kinds of many groups: RBAC, tokens, networking, scheduling, flow control and
//! storage classes.

use super::fields::{
    DefaultValue, FieldDefault, each, is_empty, nil, pointer_field, put, set_defaults,
    struct_field, zero,
};
use crate::Node;
use alloc::vec;

/// The API group of role references and of user and group subjects.
const RBAC: &[FieldDefault] = &[zero("apiGroup", DefaultValue::Text("rbac.authorization.k8s.io"))];
const TOKEN: &[FieldDefault] = &[nil("expirationSeconds", DefaultValue::Int(3600))];
const POD_CERTIFICATE: &[FieldDefault] = &[nil("maxExpirationSeconds", DefaultValue::Int(86_400))];
const ENDPOINT_PORT: &[FieldDefault] =
    &[nil("name", DefaultValue::Text("")), nil("protocol", DefaultValue::Text("TCP"))];
const POLICY_PORT: &[FieldDefault] = &[nil("protocol", DefaultValue::Text("TCP"))];
const CLASS_PARAMETERS: &[FieldDefault] = &[nil("scope", DefaultValue::Text("Cluster"))];
const PRIORITY: &[FieldDefault] =
    &[nil("preemptionPolicy", DefaultValue::Text("PreemptLowerPriority"))];
const POD_GROUP: &[FieldDefault] = &[nil("disruptionMode", DefaultValue::Text("Pod"))];
const FLOW: &[FieldDefault] = &[zero("matchingPrecedence", DefaultValue::Int(1000))];
const LIMITED: &[FieldDefault] = &[
    nil("nominalConcurrencyShares", DefaultValue::Int(30)),
    nil("lendablePercent", DefaultValue::Int(0)),
];
const EXEMPT: &[FieldDefault] = &[
    nil("nominalConcurrencyShares", DefaultValue::Int(0)),
    nil("lendablePercent", DefaultValue::Int(0)),
];
const QUEUES: &[FieldDefault] = &[
    zero("handSize", DefaultValue::Int(8)),
    zero("queues", DefaultValue::Int(64)),
    zero("queueLengthLimit", DefaultValue::Int(50)),
];
const STORAGE_CLASS: &[FieldDefault] = &[
    nil("reclaimPolicy", DefaultValue::Text("Delete")),
    nil("volumeBindingMode", DefaultValue::Text("Immediate")),
];
const CSI_DRIVER: &[FieldDefault] = &[
    nil("attachRequired", DefaultValue::Bool(true)),
    nil("podInfoOnMount", DefaultValue::Bool(false)),
    nil("storageCapacity", DefaultValue::Bool(false)),
    nil("fsGroupPolicy", DefaultValue::Text("ReadWriteOnceWithFSType")),
    nil("requiresRepublish", DefaultValue::Bool(false)),
    nil("seLinuxMount", DefaultValue::Bool(false)),
];
/// The selector label that matches nothing in `policy/v1beta1`; no other version may use it.
const OLD_BUDGET_LABEL: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";

/// A RoleBinding or ClusterRoleBinding.
pub(super) fn role_binding(node: &mut Node<'_>) {
    struct_field(node, "roleRef", |role| set_defaults(role, RBAC));
    each(node, "subjects", |subject| {
        if matches!(subject.text_at(&["kind"]), "User" | "Group") {
            set_defaults(subject, RBAC);
        }
    });
}

/// Defaults of a TokenRequest.
pub(super) fn token_request(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| set_defaults(spec, TOKEN));
}

/// Defaults of a PodCertificateRequest.
pub(super) fn pod_certificate(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| set_defaults(spec, POD_CERTIFICATE));
}

/// Defaults of an EndpointSlice.
pub(super) fn endpoint_slice(node: &mut Node<'_>) {
    each(node, "ports", |port| set_defaults(port, ENDPOINT_PORT));
}

/// Defaults of a NetworkPolicy.
pub(super) fn network_policy(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        if is_empty(spec, "policyTypes") {
            let mut types = vec![Node::string("Ingress")];
            if !is_empty(spec, "egress") {
                types.push(Node::string("Egress"));
            }
            put(spec, "policyTypes", Node::list(types));
        }
        for direction in ["ingress", "egress"] {
            each(spec, direction, |rule| {
                each(rule, "ports", |port| set_defaults(port, POLICY_PORT));
            });
        }
    });
}

/// Defaults of an IngressClass.
pub(super) fn ingress_class(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| {
        pointer_field(spec, "parameters", |parameters| set_defaults(parameters, CLASS_PARAMETERS));
    });
}

/// A PodDisruptionBudget. Nothing is defaulted; the old version's special label is removed where it
/// appears beside other requirements.
pub(super) fn disruption_budget(node: &mut Node<'_>) {
    let Some(selector) = node.find_mut(&["spec", "selector"]) else { return };
    let is_old = |requirement: &Node<'_>| requirement.text_at(&["key"]) == OLD_BUDGET_LABEL;
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
    if let Some(requirements) = selector.get_mut("matchExpressions").and_then(Node::items_mut) {
        requirements.retain(|requirement| !is_old(requirement));
    }
}

/// Defaults of a PriorityClass.
pub(super) fn priority_class(node: &mut Node<'_>) {
    set_defaults(node, PRIORITY);
}

/// Defaults of a PodGroup.
pub(super) fn pod_group(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| set_defaults(spec, POD_GROUP));
}

/// Defaults of a FlowSchema.
pub(super) fn flow_schema(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| set_defaults(spec, FLOW));
}

/// Defaults of a PriorityLevelConfiguration.
pub(super) fn priority_level(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| {
        pointer_field(spec, "limited", |limited| {
            set_defaults(limited, LIMITED);
            pointer_field(limited, "limitResponse", |response| {
                pointer_field(response, "queuing", |queues| set_defaults(queues, QUEUES));
            });
        });
        pointer_field(spec, "exempt", |exempt| set_defaults(exempt, EXEMPT));
    });
}

/// Defaults of a StorageClass.
pub(super) fn storage_class(node: &mut Node<'_>) {
    set_defaults(node, STORAGE_CLASS);
}

/// Defaults of a CSIDriver.
pub(super) fn csi_driver(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        set_defaults(spec, CSI_DRIVER);
        if is_empty(spec, "volumeLifecycleModes") {
            put(spec, "volumeLifecycleModes", Node::list(vec![Node::string("Persistent")]));
        }
    });
}
