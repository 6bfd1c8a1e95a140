//! The API server's defaults for fields that a client did not set.
//!
//! Defaults apply to every decoded object, also to stored ones, so that an object is always
//! complete. What creation or allocation adds (a cluster IP, a status, a uid) is not part of this;
//! neither is canonical spelling. Feature gates are at their defaults in Kubernetes 1.36.

mod admission;
mod autoscaling;
mod core_v1;
mod devices;
mod fields;
mod image;
mod pod;
mod policies;
mod resources;
#[cfg(test)]
mod tests;
mod volumes;
mod workloads;

use crate::Node;
use fields::Defaulter;

/// A kind and its defaulting function.
struct Row {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    defaulter: Defaulter,
}

const fn row(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    defaulter: Defaulter,
) -> Row {
    Row { group, version, kind, defaulter }
}

const ADMISSION: &str = "admissionregistration.k8s.io";
const FLOWS: &str = "flowcontrol.apiserver.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";
const DEVICES: &str = "resource.k8s.io";
const SCHEDULING: &str = "scheduling.k8s.io";
const STORAGE: &str = "storage.k8s.io";

/// All kinds that have defaults, sorted by group, version and kind.
#[rustfmt::skip] // one row a line
static ROWS: &[Row] = &[
    row("", "v1", "Endpoints", core_v1::endpoints),
    row("", "v1", "LimitRange", core_v1::limit_range),
    row("", "v1", "Namespace", core_v1::namespace),
    row("", "v1", "Node", core_v1::node),
    row("", "v1", "PersistentVolume", volumes::persistent_volume),
    row("", "v1", "PersistentVolumeClaim", volumes::claim),
    row("", "v1", "Pod", pod::pod),
    row("", "v1", "PodTemplate", pod::pod_template),
    row("", "v1", "ReplicationController", core_v1::replication_controller),
    row("", "v1", "ResourceQuota", core_v1::resource_quota),
    row("", "v1", "Secret", core_v1::secret),
    row("", "v1", "Service", core_v1::service),
    row(ADMISSION, "v1", "MutatingAdmissionPolicy", admission::policy),
    row(ADMISSION, "v1", "MutatingAdmissionPolicyBinding", admission::binding),
    row(ADMISSION, "v1", "MutatingWebhookConfiguration", admission::mutating_webhooks),
    row(ADMISSION, "v1", "ValidatingAdmissionPolicy", admission::policy),
    row(ADMISSION, "v1", "ValidatingAdmissionPolicyBinding", admission::binding),
    row(ADMISSION, "v1", "ValidatingWebhookConfiguration", admission::validating_webhooks),
    row(ADMISSION, "v1alpha1", "MutatingAdmissionPolicy", admission::policy),
    row(ADMISSION, "v1alpha1", "MutatingAdmissionPolicyBinding", admission::binding_v1alpha1),
    row(ADMISSION, "v1beta1", "MutatingAdmissionPolicy", admission::policy),
    row(ADMISSION, "v1beta1", "MutatingAdmissionPolicyBinding", admission::binding),
    row("apiextensions.k8s.io", "v1", "CustomResourceDefinition", admission::custom_resource),
    row("apiregistration.k8s.io", "v1", "APIService", admission::api_service),
    row("apps", "v1", "DaemonSet", workloads::daemon_set),
    row("apps", "v1", "Deployment", workloads::deployment),
    row("apps", "v1", "ReplicaSet", workloads::replica_set),
    row("apps", "v1", "StatefulSet", workloads::stateful_set),
    row("authentication.k8s.io", "v1", "TokenRequest", policies::token_request),
    row("autoscaling", "v1", "HorizontalPodAutoscaler", autoscaling::scaler_v1),
    row("autoscaling", "v2", "HorizontalPodAutoscaler", autoscaling::scaler_v2),
    row("batch", "v1", "CronJob", workloads::cron_job),
    row("batch", "v1", "Job", workloads::job),
    row("certificates.k8s.io", "v1beta1", "PodCertificateRequest", policies::pod_certificate),
    row("discovery.k8s.io", "v1", "EndpointSlice", policies::endpoint_slice),
    row(FLOWS, "v1", "FlowSchema", policies::flow_schema),
    row(FLOWS, "v1", "PriorityLevelConfiguration", policies::priority_level),
    row("networking.k8s.io", "v1", "IngressClass", policies::ingress_class),
    row("networking.k8s.io", "v1", "NetworkPolicy", policies::network_policy),
    row("policy", "v1", "PodDisruptionBudget", policies::disruption_budget),
    row(RBAC, "v1", "ClusterRoleBinding", policies::role_binding),
    row(RBAC, "v1", "RoleBinding", policies::role_binding),
    row(DEVICES, "v1", "ResourceClaim", devices::claim),
    row(DEVICES, "v1", "ResourceClaimTemplate", devices::claim_template),
    row(DEVICES, "v1", "ResourceSlice", devices::slice),
    row(DEVICES, "v1alpha3", "ResourcePoolStatusRequest", devices::status_request),
    row(DEVICES, "v1beta1", "ResourceClaim", devices::claim_v1beta1),
    row(DEVICES, "v1beta1", "ResourceClaimTemplate", devices::claim_template_v1beta1),
    row(DEVICES, "v1beta1", "ResourceSlice", devices::slice_v1beta1),
    row(DEVICES, "v1beta2", "ResourceClaim", devices::claim),
    row(DEVICES, "v1beta2", "ResourceClaimTemplate", devices::claim_template),
    row(DEVICES, "v1beta2", "ResourceSlice", devices::slice),
    row(SCHEDULING, "v1", "PriorityClass", policies::priority_class),
    row(SCHEDULING, "v1alpha2", "PodGroup", policies::pod_group),
    row(STORAGE, "v1", "CSIDriver", policies::csi_driver),
    row(STORAGE, "v1", "StorageClass", policies::storage_class),
    row(STORAGE, "v1", "VolumeAttachment", volumes::volume_attachment),
];

/// Sets the defaults of an object, as the API server does on every decode: of requests, of
/// the results of patches, and of stored objects.
///
/// Idempotent. Existing members keep their order, new ones are appended, and values of the wrong
/// type are left alone.
pub fn apply(group: &str, version: &str, kind: &str, node: &mut Node<'_>) {
    Defaults::of(group, version, kind).apply(node);
}

/// The defaults of one kind, for those who have many of its objects.
#[derive(Clone, Copy, Debug)]
pub struct Defaults(Option<Defaulter>);

impl Defaults {
    /// Finds those of a kind.
    #[must_use]
    pub fn of(group: &str, version: &str, kind: &str) -> Self {
        let key = (group, version, kind);
        let index = ROWS.binary_search_by(|row| (row.group, row.version, row.kind).cmp(&key));
        Self(index.ok().and_then(|index| ROWS.get(index)).map(|row| row.defaulter))
    }

    /// Sets them, as [`apply`] does.
    pub fn apply(self, node: &mut Node<'_>) {
        if let Self(Some(defaulter)) = self {
            defaulter(node);
        }
    }
}
