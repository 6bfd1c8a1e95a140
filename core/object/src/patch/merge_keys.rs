//! Patch strategies of fields: which lists merge by which key, which maps are replaced.

/// The patch strategy of a field, in the terms of the OpenAPI extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRule {
    /// `x-kubernetes-patch-strategy`: `merge`, `merge,retainKeys`, `retainKeys` or `replace`.
    pub strategy: &'static str,
    /// `x-kubernetes-patch-merge-key`: the member that identifies items; empty for lists of scalars
    /// and for fields that are not lists.
    pub key: &'static str,
}

impl MergeRule {
    /// Whether a list with this rule is merged; a list without a rule is replaced.
    #[must_use]
    pub fn merges(&self) -> bool {
        self.strategy.split(',').any(|directive| directive == "merge")
    }

    /// Whether a map with this rule is replaced; a map without a rule is merged.
    #[must_use]
    pub fn replaces(&self) -> bool {
        self.strategy.split(',').any(|directive| directive == "replace")
    }
}

/// The rule of a field, by the id of its type in [`crate::schema::TYPES`].
#[must_use]
pub fn merge_rule(type_id: &str, field: &str) -> Option<&'static MergeRule> {
    let key = (type_id, field);
    let index = MERGE_RULES.binary_search_by(|row| (row.type_id, row.field).cmp(&key)).ok()?;
    MERGE_RULES.get(index).map(|row| &row.rule)
}

/// A field with a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRow {
    /// The id of the type that has the field.
    pub type_id: &'static str,
    /// The field's name in JSON.
    pub field: &'static str,
    /// Its patch strategy.
    pub rule: MergeRule,
}

const fn row(
    type_id: &'static str,
    field: &'static str,
    strategy: &'static str,
    key: &'static str,
) -> MergeRow {
    MergeRow { type_id, field, rule: MergeRule { strategy, key } }
}

/// Every field of the built-in kinds with a rule, sorted by type and field.
#[rustfmt::skip]
pub static MERGE_RULES: &[MergeRow] = &[
    row("io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec", "matchConditions", "merge", "name"),
    row("io.k8s.api.admissionregistration.v1.MutatingWebhook", "matchConditions", "merge", "name"),
    row("io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration", "webhooks", "merge", "name"),
    row("io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec", "matchConditions", "merge", "name"),
    row("io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec", "variables", "merge", "name"),
    row("io.k8s.api.admissionregistration.v1.ValidatingWebhook", "matchConditions", "merge", "name"),
    row("io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration", "webhooks", "merge", "name"),
    row("io.k8s.api.admissionregistration.v1alpha1.MutatingAdmissionPolicySpec", "matchConditions", "merge", "name"),
    row("io.k8s.api.admissionregistration.v1beta1.MutatingAdmissionPolicySpec", "matchConditions", "merge", "name"),
    row("io.k8s.api.apps.v1.DaemonSetStatus", "conditions", "merge", "type"),
    row("io.k8s.api.apps.v1.DeploymentSpec", "strategy", "retainKeys", ""),
    row("io.k8s.api.apps.v1.DeploymentStatus", "conditions", "merge", "type"),
    row("io.k8s.api.apps.v1.ReplicaSetStatus", "conditions", "merge", "type"),
    row("io.k8s.api.apps.v1.StatefulSetStatus", "conditions", "merge", "type"),
    row("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus", "conditions", "merge", "type"),
    row("io.k8s.api.batch.v1.JobStatus", "conditions", "merge", "type"),
    row("io.k8s.api.certificates.v1beta1.PodCertificateRequestStatus", "conditions", "merge", "type"),
    row("io.k8s.api.core.v1.ComponentStatus", "conditions", "merge", "type"),
    row("io.k8s.api.core.v1.Container", "env", "merge", "name"),
    row("io.k8s.api.core.v1.Container", "ports", "merge", "containerPort"),
    row("io.k8s.api.core.v1.Container", "volumeDevices", "merge", "devicePath"),
    row("io.k8s.api.core.v1.Container", "volumeMounts", "merge", "mountPath"),
    row("io.k8s.api.core.v1.ContainerStatus", "allocatedResourcesStatus", "merge", "name"),
    row("io.k8s.api.core.v1.ContainerStatus", "volumeMounts", "merge", "mountPath"),
    row("io.k8s.api.core.v1.EphemeralContainer", "env", "merge", "name"),
    row("io.k8s.api.core.v1.EphemeralContainer", "ports", "merge", "containerPort"),
    row("io.k8s.api.core.v1.EphemeralContainer", "volumeDevices", "merge", "devicePath"),
    row("io.k8s.api.core.v1.EphemeralContainer", "volumeMounts", "merge", "mountPath"),
    row("io.k8s.api.core.v1.NamespaceStatus", "conditions", "merge", "type"),
    row("io.k8s.api.core.v1.NodeSpec", "podCIDRs", "merge", ""),
    row("io.k8s.api.core.v1.NodeStatus", "addresses", "merge", "type"),
    row("io.k8s.api.core.v1.NodeStatus", "conditions", "merge", "type"),
    row("io.k8s.api.core.v1.PersistentVolumeClaimStatus", "conditions", "merge", "type"),
    row("io.k8s.api.core.v1.PodSpec", "containers", "merge", "name"),
    row("io.k8s.api.core.v1.PodSpec", "ephemeralContainers", "merge", "name"),
    row("io.k8s.api.core.v1.PodSpec", "hostAliases", "merge", "ip"),
    row("io.k8s.api.core.v1.PodSpec", "imagePullSecrets", "merge", "name"),
    row("io.k8s.api.core.v1.PodSpec", "initContainers", "merge", "name"),
    row("io.k8s.api.core.v1.PodSpec", "resourceClaims", "merge,retainKeys", "name"),
    row("io.k8s.api.core.v1.PodSpec", "schedulingGates", "merge", "name"),
    row("io.k8s.api.core.v1.PodSpec", "topologySpreadConstraints", "merge", "topologyKey"),
    row("io.k8s.api.core.v1.PodSpec", "volumes", "merge,retainKeys", "name"),
    row("io.k8s.api.core.v1.PodStatus", "conditions", "merge", "type"),
    row("io.k8s.api.core.v1.PodStatus", "hostIPs", "merge", "ip"),
    row("io.k8s.api.core.v1.PodStatus", "podIPs", "merge", "ip"),
    row("io.k8s.api.core.v1.PodStatus", "resourceClaimStatuses", "merge,retainKeys", "name"),
    row("io.k8s.api.core.v1.ReplicationControllerStatus", "conditions", "merge", "type"),
    row("io.k8s.api.core.v1.ServiceAccount", "secrets", "merge", "name"),
    row("io.k8s.api.core.v1.ServiceSpec", "ports", "merge", "port"),
    row("io.k8s.api.core.v1.ServiceStatus", "conditions", "merge", "type"),
    row("io.k8s.api.flowcontrol.v1.FlowSchemaStatus", "conditions", "merge", "type"),
    row("io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus", "conditions", "merge", "type"),
    row("io.k8s.api.networking.v1.ServiceCIDRStatus", "conditions", "merge", "type"),
    row("io.k8s.api.networking.v1beta1.ServiceCIDRStatus", "conditions", "merge", "type"),
    row("io.k8s.api.policy.v1.PodDisruptionBudgetSpec", "selector", "replace", ""),
    row("io.k8s.api.policy.v1.PodDisruptionBudgetStatus", "conditions", "merge", "type"),
    row("io.k8s.api.resource.v1.ResourceClaimStatus", "reservedFor", "merge", "uid"),
    row("io.k8s.api.resource.v1alpha3.DeviceTaintRuleStatus", "conditions", "merge", "type"),
    row("io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestStatus", "conditions", "merge", "type"),
    row("io.k8s.api.resource.v1beta1.ResourceClaimStatus", "reservedFor", "merge", "uid"),
    row("io.k8s.api.resource.v1beta2.DeviceTaintRuleStatus", "conditions", "merge", "type"),
    row("io.k8s.api.resource.v1beta2.ResourceClaimStatus", "reservedFor", "merge", "uid"),
    row("io.k8s.api.scheduling.v1alpha2.PodGroupSpec", "resourceClaims", "merge,retainKeys", "name"),
    row("io.k8s.api.scheduling.v1alpha2.PodGroupStatus", "conditions", "merge", "type"),
    row("io.k8s.api.scheduling.v1alpha2.PodGroupStatus", "resourceClaimStatuses", "merge,retainKeys", "name"),
    row("io.k8s.api.scheduling.v1alpha2.PodGroupTemplate", "resourceClaims", "merge,retainKeys", "name"),
    row("io.k8s.api.storage.v1.CSINodeSpec", "drivers", "merge", "name"),
    row("io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationStatus", "conditions", "merge", "type"),
    row("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps", "x-kubernetes-validations", "merge", "rule"),
    row("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "finalizers", "merge", ""),
    row("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "ownerReferences", "merge", "uid"),
    row("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus", "conditions", "merge", "type"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Shape, TYPES};

    #[test]
    fn rows_are_sorted_and_found() {
        assert!(
            MERGE_RULES.is_sorted_by(|a, b| (a.type_id, a.field) < (b.type_id, b.field)),
            "a row stands in the wrong place"
        );
        for row in MERGE_RULES {
            assert_eq!(merge_rule(row.type_id, row.field), Some(&row.rule));
        }
        assert_eq!(merge_rule("io.k8s.api.core.v1.PodSpec", "tolerations"), None);
        assert_eq!(merge_rule("io.k8s.api.core.v1.Nothing", "containers"), None);
    }

    #[test]
    fn rows_speak_about_fields_that_exist_and_keys_that_their_items_have() {
        for row in MERGE_RULES {
            let ty = TYPES.iter().find(|ty| ty.id == row.type_id).expect(row.type_id);
            let shape = ty.field(row.field).expect(row.field).shape;
            match shape {
                Shape::List(Shape::Object(item)) => {
                    assert!(row.rule.merges(), "{row:?}");
                    let item = crate::schema::type_of(*item);
                    assert!(item.field(row.rule.key).is_some(), "{row:?}");
                }
                Shape::List(_) => assert_eq!(row.rule, MergeRule { strategy: "merge", key: "" }),
                _ => assert!(!row.rule.merges() && row.rule.key.is_empty(), "{row:?}"),
            }
        }
    }

    #[test]
    fn strategies_are_read_word_by_word() {
        let rule = |strategy| MergeRule { strategy, key: "" };
        assert!(rule("merge,retainKeys").merges() && !rule("merge,retainKeys").replaces());
        assert!(rule("replace").replaces() && !rule("retainKeys").merges());
    }
}
