//! Kept by hand: the strategies, one row for each kind that differs from the default.

use super::strategy::{ALL_METADATA, Deletion, Dependents, Generation, PLAIN, Strategy, row};
use super::{app_armor, claim_status, device_taints, kinds, signing_request};

const SPEC: Generation = Generation::Of("spec");
const WEBHOOKS: Generation = Generation::OfExactly("webhooks");
const ADMISSION: &str = "admissionregistration.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";
const STORAGE: &str = "storage.k8s.io";
const RESOURCE: &str = "resource.k8s.io";

/// The kinds that differ from the default, sorted by group and kind.
static STRATEGIES: &[Strategy] = &[
    row("", "Endpoints").allows_create_on_update(),
    row("", "Event").allows_create_on_update().dependents(Dependents::None).expires(),
    row("", "LimitRange").allows_create_on_update().on_create(kinds::create_limit_range),
    // The spec of a Namespace has an endpoint of its own.
    row("", "Namespace")
        .restores_spec()
        .returns_deleted()
        .deletion(Deletion::Phased)
        .on_create(kinds::create_namespace),
    row("", "Node").keeps_status_on_create(),
    row("", "PersistentVolume").returns_deleted().on_create(kinds::create_volume),
    row("", "PersistentVolumeClaim").returns_deleted().on_create(kinds::create_volume_claim),
    row("", "Pod")
        .counts(SPEC)
        .returns_deleted()
        .status_restores(&["ownerReferences"])
        .deletion(Deletion::Graceful)
        .on_create(kinds::create_pod)
        .on_valid(app_armor::apply_annotations)
        .on_status_update(kinds::update_pod_status),
    row("", "PodTemplate").counts(Generation::Of("template")).returns_deleted(),
    row("", "ReplicationController").counts(SPEC).dependents(Dependents::Orphan),
    row("", "ResourceQuota").returns_deleted(),
    row("", "Service")
        .allows_create_on_update()
        .returns_deleted()
        .allocates()
        .on_create(kinds::create_service),
    row("", "ServiceAccount").returns_deleted(),
    row(ADMISSION, "MutatingAdmissionPolicy").counts(SPEC).requires_version(),
    row(ADMISSION, "MutatingAdmissionPolicyBinding").counts(SPEC).requires_version(),
    row(ADMISSION, "MutatingWebhookConfiguration").counts(WEBHOOKS).requires_version(),
    row(ADMISSION, "ValidatingAdmissionPolicy")
        .counts(SPEC)
        .requires_version()
        .status_restores(ALL_METADATA),
    row(ADMISSION, "ValidatingAdmissionPolicyBinding").counts(SPEC).requires_version(),
    row(ADMISSION, "ValidatingWebhookConfiguration").counts(WEBHOOKS).requires_version(),
    row("apiextensions.k8s.io", "CustomResourceDefinition")
        .counts(SPEC)
        .requires_version()
        .deletion(Deletion::Cleaned)
        .on_create(kinds::create_definition)
        .on_update(kinds::update_definition)
        .on_status_update(kinds::update_definition_status),
    row("apiregistration.k8s.io", "APIService")
        .requires_version()
        .status_restores(ALL_METADATA)
        .on_create(kinds::create_api_service),
    row("apps", "DaemonSet")
        .counts(SPEC)
        .on_tracking(kinds::complete_daemon_set)
        .on_create(kinds::create_daemon_set)
        .on_update(kinds::update_daemon_set),
    row("apps", "Deployment").counts(Generation::OfSpecAndAnnotations).status_restores(&["labels"]),
    row("apps", "ReplicaSet").counts(SPEC),
    row("apps", "StatefulSet").counts(SPEC),
    row("batch", "CronJob").counts(SPEC),
    row("batch", "Job").counts(SPEC).dependents(Dependents::Orphan).warns_of_orphans(),
    // The spec of a CertificateSigningRequest names the requester.
    row("certificates.k8s.io", "CertificateSigningRequest")
        .restores_spec()
        .on_create(signing_request::prepare_create)
        .on_status_update(signing_request::prepare_status)
        .on_approval(signing_request::prepare_approval),
    row("certificates.k8s.io", "ClusterTrustBundle").requires_version(),
    row("certificates.k8s.io", "PodCertificateRequest")
        .requires_version()
        .status_restores(ALL_METADATA),
    row("coordination.k8s.io", "Lease").allows_create_on_update().requires_version(),
    row("coordination.k8s.io", "LeaseCandidate").allows_create_on_update().requires_version(),
    row("discovery.k8s.io", "EndpointSlice").counts(Generation::OfContentAndLabels),
    row("flowcontrol.apiserver.k8s.io", "FlowSchema").counts(SPEC).status_restores(ALL_METADATA),
    row("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration")
        .counts(SPEC)
        .status_restores(ALL_METADATA),
    row("internal.apiserver.k8s.io", "StorageVersion")
        .requires_version()
        .status_restores(ALL_METADATA),
    row("networking.k8s.io", "IPAddress").uses_name_as_is(),
    row("networking.k8s.io", "Ingress").counts(SPEC),
    row("networking.k8s.io", "IngressClass").counts(SPEC),
    row("networking.k8s.io", "NetworkPolicy").counts(Generation::OfExactly("spec")),
    row("networking.k8s.io", "ServiceCIDR").status_restores(ALL_METADATA),
    row("node.k8s.io", "RuntimeClass").allows_create_on_update().requires_version(),
    row("policy", "PodDisruptionBudget").counts(SPEC).requires_version(),
    row(RBAC, "ClusterRole").allows_create_on_update(),
    row(RBAC, "ClusterRoleBinding").allows_create_on_update(),
    row(RBAC, "Role").allows_create_on_update(),
    row(RBAC, "RoleBinding").allows_create_on_update(),
    row(RESOURCE, "DeviceClass").counts(SPEC).returns_deleted(),
    row(RESOURCE, "DeviceTaintRule")
        .counts(SPEC)
        .returns_deleted()
        .status_restores(ALL_METADATA)
        .on_create(device_taints::create_rule)
        .on_update(device_taints::update_rule),
    row(RESOURCE, "ResourceClaim")
        .returns_deleted()
        .status_restores(ALL_METADATA)
        .on_status_update(claim_status::prepare),
    row(RESOURCE, "ResourceClaimTemplate").returns_deleted(),
    row(RESOURCE, "ResourcePoolStatusRequest")
        .requires_version()
        .returns_deleted()
        .status_restores(ALL_METADATA),
    row(RESOURCE, "ResourceSlice")
        .counts(SPEC)
        .returns_deleted()
        .on_create(device_taints::create_slice)
        .on_update(device_taints::update_slice),
    row("scheduling.k8s.io", "PodGroup").status_restores(ALL_METADATA),
    row("scheduling.k8s.io", "PriorityClass").counts(Generation::One),
    row(STORAGE, "CSIDriver")
        .counts(Generation::Later("spec"))
        .requires_version()
        .returns_deleted(),
    row(STORAGE, "CSINode").requires_version().returns_deleted(),
    row(STORAGE, "CSIStorageCapacity").requires_version(),
    row(STORAGE, "StorageClass").returns_deleted(),
    row(STORAGE, "VolumeAttachment")
        .requires_version()
        .returns_deleted()
        .status_restores(ALL_METADATA),
    row(STORAGE, "VolumeAttributesClass").returns_deleted(),
    row("storagemigration.k8s.io", "StorageVersionMigration")
        .requires_version()
        .status_restores(ALL_METADATA),
];

/// The strategy of all kinds that are defined at run time; their types count generations and keep statuses.
pub(crate) fn custom_strategy() -> &'static Strategy {
    static ROW: Strategy = PLAIN.requires_version();
    &ROW
}

/// The strategy of a kind.
pub(crate) fn strategy(group: &str, kind: &str) -> &'static Strategy {
    static PLAIN_ROW: Strategy = PLAIN;
    let found = STRATEGIES.binary_search_by(|row| (row.group, row.kind).cmp(&(group, kind)));
    found.ok().and_then(|index| STRATEGIES.get(index)).unwrap_or(&PLAIN_ROW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_about_a_kind_that_exists_and_says_something() {
        for row in STRATEGIES {
            let exists = ratchet_object::schema::KINDS
                .iter()
                .any(|kind| kind.group == row.group && kind.kind == row.kind);
            assert!(exists, "{} {}", row.group, row.kind);
            let plain = Strategy { group: row.group, kind: row.kind, ..PLAIN };
            assert_ne!(format!("{row:?}"), format!("{plain:?}"));
        }
        assert!(STRATEGIES.is_sorted_by(|a, b| (a.group, a.kind) < (b.group, b.kind)));
    }

    #[test]
    fn deletions_and_preparations_belong_to_the_kinds_that_have_them() {
        let kinds = |has: fn(&Strategy) -> bool| {
            STRATEGIES.iter().filter(|row| has(row)).map(|row| row.kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(|row| row.deletion == Deletion::Graceful), ["Pod"]);
        assert_eq!(kinds(|row| row.deletion == Deletion::Phased), ["Namespace"]);
        let cleaned = kinds(|row| row.deletion == Deletion::Cleaned);
        assert_eq!(cleaned, ["CustomResourceDefinition"]);
        assert_eq!(kinds(|row| row.warns_of_orphans), ["Job"]);
        assert_eq!(kinds(|row| row.expires), ["Event"]);
        assert_eq!(kinds(|row| row.allocates), ["Service"]);
        let created = [
            "LimitRange",
            "Namespace",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Pod",
            "Service",
            "CustomResourceDefinition",
            "APIService",
            "DaemonSet",
            "CertificateSigningRequest",
            "DeviceTaintRule",
            "ResourceSlice",
        ];
        assert_eq!(kinds(|row| row.on_create.is_some()), created);
        let updated = ["CustomResourceDefinition", "DaemonSet", "DeviceTaintRule", "ResourceSlice"];
        assert_eq!(kinds(|row| row.on_update.is_some()), updated);
        let statuses =
            ["Pod", "CustomResourceDefinition", "CertificateSigningRequest", "ResourceClaim"];
        assert_eq!(kinds(|row| row.on_status_update.is_some()), statuses);
        assert_eq!(kinds(|row| row.on_approval.is_some()), ["CertificateSigningRequest"]);
        assert!(strategy("", "ConfigMap").on_create.is_none());
    }
}
