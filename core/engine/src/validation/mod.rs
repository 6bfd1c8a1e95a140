//! `KIND_VALIDATIONS`, the table of validation and warning functions of each kind and subresource, in the API's order.

mod access;
mod annotated_pod;
mod api_service;
mod autoscaler;
mod balancers;
mod claim_status;
mod conditions;
mod config;
mod controller_revision;
mod csi;
mod data_source;
mod declared;
mod definition_formats;
mod device;
mod device_capacity;
mod device_fields;
mod device_taint_rule;
mod devices;
mod domain_path;
mod endpoint_slice;
mod endpoints;
mod event;
mod flow_control;
mod ingress;
mod ingress_class;
mod ip_address;
mod kind_warnings;
#[cfg(test)]
mod large_lists_tests;
mod lease;
mod limits;
mod namespace;
mod network_policy;
mod node;
mod node_selector;
mod node_status;
mod pod;
mod pod_certificate;
mod pod_group;
mod pod_parts;
mod pod_spec;
mod pod_status;
mod pool_request;
mod quota_scopes;
mod resource_claim;
mod resource_slice;
mod routing;
mod rows;
mod runtime_class;
mod semantic_version;
mod service;
mod service_cidr;
mod service_fields;
mod signing_request;
mod storage;
mod storage_class;
mod storage_migration;
mod storage_version;
mod template;
mod template_metadata;
mod trust_bundle;
mod volume_attachment;
mod volume_claim;
mod workloads;

pub use devices::EXACT_FIELDS;
pub use service::is_allocatable;

use crate::context::ValidationContext;
use crate::{Change, Part, Verdict};

/// One row: the validation and the warnings of a write to an object, or to one of its subresources.
pub(crate) struct KindValidation {
    group: &'static str,
    kind: &'static str,
    parts: &'static [Part],
    /// Adds field errors.
    pub(crate) validate: fn(&ValidationContext<'_>, &mut Verdict),
    /// Adds warnings; only called without field errors.
    pub(crate) warn: fn(&ValidationContext<'_>, &mut Verdict),
}

impl KindValidation {
    /// Whether this row applies to the change.
    pub(crate) fn applies_to(&self, change: &Change<'_>) -> bool {
        self.kind == change.kind.name
            && self.group == change.kind.group
            && self.parts.contains(&change.part)
    }
}

const FLOW_CONTROL: &str = "flowcontrol.apiserver.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";
const MAIN: &[Part] = &[Part::Main];
const MAIN_AND_SCALE: &[Part] = &[Part::Main, Part::Sub("scale")];
const STATUS: &[Part] = &[Part::STATUS];
const SIGNING_REQUEST: &[Part] = &[Part::Main, Part::STATUS, Part::Sub("approval")];
const POD: &[Part] = &[Part::Main, Part::Sub("ephemeralcontainers"), Part::Sub("resize")];

/// Every row; a kind may have several.
pub(crate) static KIND_VALIDATIONS: &[KindValidation] = &[
    row("", "ConfigMap", MAIN, config::validate, nothing),
    row("", "Endpoints", MAIN, endpoints::validate, endpoints::warn),
    row("", "Event", MAIN, event::validate, nothing),
    row("", "LimitRange", MAIN, limits::validate_limits, nothing),
    row("", "Namespace", MAIN, namespace::validate, nothing),
    row("", "Namespace", STATUS, namespace::validate_status, nothing),
    row("", "Node", MAIN, node::validate, node::warn),
    row("", "Node", STATUS, node_status::validate, nothing),
    row("", "PersistentVolume", MAIN, storage::validate_volume, nothing),
    row("", "PersistentVolumeClaim", MAIN, volume_claim::validate, nothing),
    row("", "Pod", POD, pod::validate, pod::warn),
    row("", "Pod", STATUS, pod_status::validate, pod_status::warn),
    row("", "PodTemplate", MAIN, workloads::validate, template::warn),
    row("", "ReplicationController", MAIN_AND_SCALE, workloads::validate, template::warn),
    row("", "ResourceQuota", MAIN, limits::validate_quota, nothing),
    row("", "Secret", MAIN, config::validate, config::warn),
    row("", "Secret", MAIN, rows::validate, nothing),
    row("", "Service", MAIN, service::validate, service::warn),
    row("", "Service", STATUS, service::validate_status, service::warn_status),
    row("apiregistration.k8s.io", "APIService", MAIN, api_service::validate, nothing),
    row("apiregistration.k8s.io", "APIService", STATUS, api_service::validate_status, nothing),
    row("apps", "ControllerRevision", MAIN, controller_revision::validate, nothing),
    row("apps", "DaemonSet", MAIN, workloads::validate, template::warn),
    row("apps", "Deployment", MAIN_AND_SCALE, workloads::validate, template::warn),
    row("apps", "ReplicaSet", MAIN_AND_SCALE, workloads::validate, template::warn),
    row("apps", "StatefulSet", MAIN_AND_SCALE, workloads::validate, template::warn),
    row("", "ReplicationController", STATUS, workloads::validate_status, nothing),
    row("apps", "DaemonSet", STATUS, workloads::validate_status, nothing),
    row("apps", "Deployment", STATUS, workloads::validate_status, nothing),
    row("apps", "ReplicaSet", STATUS, workloads::validate_status, nothing),
    row("apps", "StatefulSet", STATUS, workloads::validate_status, nothing),
    row("autoscaling", "HorizontalPodAutoscaler", MAIN, autoscaler::validate, nothing),
    row("batch", "CronJob", MAIN, workloads::validate, template::warn),
    row("batch", "Job", MAIN, workloads::validate, template::warn),
    row("batch", "Job", STATUS, workloads::validate_job_status, nothing),
    row(
        "certificates.k8s.io",
        "CertificateSigningRequest",
        SIGNING_REQUEST,
        signing_request::validate,
        nothing,
    ),
    row("certificates.k8s.io", "ClusterTrustBundle", MAIN, trust_bundle::validate, nothing),
    row("certificates.k8s.io", "PodCertificateRequest", MAIN, pod_certificate::validate, nothing),
    row(
        "certificates.k8s.io",
        "PodCertificateRequest",
        STATUS,
        pod_certificate::validate_status,
        nothing,
    ),
    row("coordination.k8s.io", "Lease", MAIN, rows::validate, nothing),
    row("coordination.k8s.io", "Lease", MAIN, lease::validate, nothing),
    row("coordination.k8s.io", "LeaseCandidate", MAIN, lease::validate_candidate, nothing),
    row("discovery.k8s.io", "EndpointSlice", MAIN, endpoint_slice::validate, endpoint_slice::warn),
    row("events.k8s.io", "Event", MAIN, event::validate_strict, nothing),
    row(FLOW_CONTROL, "FlowSchema", MAIN, flow_control::validate_schema, nothing),
    row(FLOW_CONTROL, "PriorityLevelConfiguration", MAIN, flow_control::validate_level, nothing),
    row(
        "internal.apiserver.k8s.io",
        "StorageVersion",
        STATUS,
        storage_version::validate_status,
        nothing,
    ),
    row("networking.k8s.io", "IPAddress", MAIN, ip_address::validate, nothing),
    row("networking.k8s.io", "Ingress", MAIN, ingress::validate, nothing),
    row("networking.k8s.io", "Ingress", STATUS, ingress::validate_status, ingress::warn_status),
    row("networking.k8s.io", "IngressClass", MAIN, ingress_class::validate, nothing),
    row("networking.k8s.io", "NetworkPolicy", MAIN, network_policy::validate, network_policy::warn),
    row("networking.k8s.io", "ServiceCIDR", MAIN, service_cidr::validate, nothing),
    row("node.k8s.io", "RuntimeClass", MAIN, runtime_class::validate, nothing),
    row("policy", "PodDisruptionBudget", MAIN, limits::validate_budget, nothing),
    row("policy", "PodDisruptionBudget", MAIN, rows::validate, nothing),
    row(RBAC, "ClusterRole", MAIN, access::validate_role, nothing),
    row(RBAC, "ClusterRoleBinding", MAIN, access::validate_binding, nothing),
    row(RBAC, "Role", MAIN, access::validate_role, nothing),
    row(RBAC, "RoleBinding", MAIN, access::validate_binding, nothing),
    row("resource.k8s.io", "DeviceClass", MAIN, devices::validate_class, nothing),
    row("resource.k8s.io", "ResourceClaim", MAIN, devices::validate_claim, nothing),
    row("resource.k8s.io", "ResourceClaimTemplate", MAIN, devices::validate_template, nothing),
    row("resource.k8s.io", "ResourceClaim", STATUS, claim_status::validate, nothing),
    row("resource.k8s.io", "DeviceTaintRule", MAIN, device_taint_rule::validate, nothing),
    row("resource.k8s.io", "DeviceTaintRule", STATUS, device_taint_rule::validate_status, nothing),
    row("resource.k8s.io", "ResourcePoolStatusRequest", MAIN, pool_request::validate, nothing),
    row(
        "resource.k8s.io",
        "ResourcePoolStatusRequest",
        STATUS,
        pool_request::validate_status,
        nothing,
    ),
    row("scheduling.k8s.io", "PodGroup", MAIN, pod_group::validate, nothing),
    row("scheduling.k8s.io", "PodGroup", STATUS, pod_group::validate_status, nothing),
    row("scheduling.k8s.io", "Workload", MAIN, pod_group::validate_workload, nothing),
    row("scheduling.k8s.io", "PriorityClass", MAIN, limits::validate_priority, nothing),
    row("scheduling.k8s.io", "PriorityClass", MAIN, rows::validate, nothing),
    row("storage.k8s.io", "CSINode", MAIN, csi::validate_node, nothing),
    row("storage.k8s.io", "StorageClass", MAIN, storage_class::validate, nothing),
    row("storage.k8s.io", "VolumeAttachment", MAIN, volume_attachment::validate, nothing),
    row(
        "storage.k8s.io",
        "VolumeAttributesClass",
        MAIN,
        storage_class::validate_attributes,
        nothing,
    ),
    row(
        "storagemigration.k8s.io",
        "StorageVersionMigration",
        MAIN,
        storage_migration::validate,
        nothing,
    ),
    row(
        "storagemigration.k8s.io",
        "StorageVersionMigration",
        STATUS,
        storage_migration::validate_status,
        nothing,
    ),
    // Rows with warnings only.
    row(
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        MAIN,
        nothing,
        definition_formats::warn,
    ),
    row("", "PersistentVolume", MAIN, nothing, kind_warnings::persistent_volume),
    row("", "PersistentVolumeClaim", MAIN, nothing, kind_warnings::claim),
    row("", "ResourceQuota", MAIN, nothing, kind_warnings::quota),
    row("", "ServiceAccount", MAIN, nothing, kind_warnings::service_account),
    row("networking.k8s.io", "Ingress", MAIN, nothing, kind_warnings::ingress),
    row("node.k8s.io", "RuntimeClass", MAIN, nothing, kind_warnings::runtime_class),
    row(
        "resource.k8s.io",
        "ResourceSlice",
        MAIN,
        resource_slice::validate,
        kind_warnings::resource_slice,
    ),
    row("storage.k8s.io", "CSIDriver", MAIN, csi::validate_driver, kind_warnings::storage_driver),
    row(
        "storage.k8s.io",
        "CSIStorageCapacity",
        MAIN,
        csi::validate_capacity,
        kind_warnings::storage_capacity,
    ),
    row("storage.k8s.io", "StorageClass", MAIN, nothing, kind_warnings::storage_class),
];

const fn row(
    group: &'static str,
    kind: &'static str,
    parts: &'static [Part],
    validate: fn(&ValidationContext<'_>, &mut Verdict),
    warn: fn(&ValidationContext<'_>, &mut Verdict),
) -> KindValidation {
    KindValidation { group, kind, parts, validate, warn }
}

fn nothing(_: &ValidationContext<'_>, _: &mut Verdict) {}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{KINDS, schema};

    #[test]
    fn every_flow_is_about_a_kind_and_a_subresource_that_exist() {
        for validation in KIND_VALIDATIONS {
            let kind = KINDS
                .iter()
                .find(|kind| kind.name == validation.kind && kind.group == validation.group);
            let Some(kind) = kind else {
                let has_schema = schema::KINDS
                    .iter()
                    .any(|row| row.kind == validation.kind && row.group == validation.group);
                assert!(has_schema, "{} has no row", validation.kind);
                continue;
            };
            for part in validation.parts {
                if let Part::Sub(name) = part {
                    assert!(kind.subresources.contains(name), "{}/{name}", validation.kind);
                }
            }
        }
    }

    #[test]
    fn every_kind_with_a_pod_has_a_validation() {
        for kind in KINDS.iter().filter(|kind| kind.pod.is_some()) {
            assert!(
                KIND_VALIDATIONS.iter().any(|validation| validation.kind == kind.name),
                "{}",
                kind.name
            );
        }
    }
}
