//! Strategies of kinds as data: one row for each kind that differs from the default.

/// When `metadata.generation` is incremented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The kind has no generation.
    Absent,
    /// Always one.
    One,
    /// On every change of this field.
    Of(&'static str),
    /// On every change of this field; not set on create.
    Later(&'static str),
    /// On every change of the spec or the annotations.
    OfSpecAndAnnotations,
    /// On every change of this field, also from an absent list to an empty one: some strategies of the
    /// reference compare with `reflect.DeepEqual`.
    OfExactly(&'static str),
    /// On every change of labels, or outside of metadata and status.
    OfContentAndLabels,
}

/// The default of a deletion for the dependents of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependents {
    /// They are deleted.
    Delete,
    /// They are orphaned, unless the options say otherwise.
    Orphan,
    /// There are none; the propagation policy is ignored.
    None,
}

/// The create, update and delete strategy of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// API group.
    pub group: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// When the generation is incremented.
    pub generation: Generation,
    /// `AllowCreateOnUpdate`: whether a PUT creates a missing object.
    pub allows_create_on_update: bool,
    /// Whether an update requires `resourceVersion` (not `AllowUnconditionalUpdate`).
    pub requires_version: bool,
    /// Whether a deletion returns the deleted object.
    pub returns_deleted: bool,
    /// Whether the status is kept on create.
    pub keeps_status_on_create: bool,
    /// Whether updates of the main resource cannot change the spec.
    pub restores_spec: bool,
    /// The default for dependents on deletion.
    pub dependents: Dependents,
    /// Whether `generateName` is used as the name, without a random suffix.
    pub uses_name_as_is: bool,
    /// Metadata fields that a status update cannot change.
    pub status_restores: &'static [&'static str],
}

/// The metadata fields that status updates of most newer kinds cannot change.
const ALL_METADATA: &[&str] = &["annotations", "finalizers", "labels", "ownerReferences"];

const PLAIN: Strategy = Strategy {
    group: "",
    kind: "",
    generation: Generation::Absent,
    allows_create_on_update: false,
    requires_version: false,
    returns_deleted: false,
    keeps_status_on_create: false,
    restores_spec: false,
    dependents: Dependents::Delete,
    uses_name_as_is: false,
    status_restores: &[],
};

const fn row(group: &'static str, kind: &'static str) -> Strategy {
    Strategy { group, kind, ..PLAIN }
}

impl Strategy {
    const fn counts(self, generation: Generation) -> Self {
        Self { generation, ..self }
    }

    const fn allows_create_on_update(self) -> Self {
        Self { allows_create_on_update: true, ..self }
    }

    const fn requires_version(self) -> Self {
        Self { requires_version: true, ..self }
    }

    const fn returns_deleted(self) -> Self {
        Self { returns_deleted: true, ..self }
    }

    const fn status_restores(self, status_restores: &'static [&'static str]) -> Self {
        Self { status_restores, ..self }
    }

    const fn keeps_status_on_create(self) -> Self {
        Self { keeps_status_on_create: true, ..self }
    }

    const fn dependents(self, dependents: Dependents) -> Self {
        Self { dependents, ..self }
    }

    const fn uses_name_as_is(self) -> Self {
        Self { uses_name_as_is: true, ..self }
    }

    const fn restores_spec(self) -> Self {
        Self { restores_spec: true, ..self }
    }
}

const SPEC: Generation = Generation::Of("spec");
const WEBHOOKS: Generation = Generation::OfExactly("webhooks");
const ADMISSION: &str = "admissionregistration.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";
const STORAGE: &str = "storage.k8s.io";
const RESOURCE: &str = "resource.k8s.io";

/// The kinds that differ from the default, sorted by group and kind.
static STRATEGIES: &[Strategy] = &[
    row("", "Endpoints").allows_create_on_update(),
    row("", "Event").allows_create_on_update().dependents(Dependents::None),
    row("", "LimitRange").allows_create_on_update(),
    row("", "Namespace").restores_spec().returns_deleted(),
    row("", "Node").keeps_status_on_create(),
    row("", "PersistentVolume").returns_deleted(),
    row("", "PersistentVolumeClaim").returns_deleted(),
    row("", "Pod").counts(SPEC).returns_deleted().status_restores(&["ownerReferences"]),
    row("", "PodTemplate").counts(Generation::Of("template")).returns_deleted(),
    row("", "ReplicationController").counts(SPEC).dependents(Dependents::Orphan),
    row("", "ResourceQuota").returns_deleted(),
    row("", "Service").allows_create_on_update().returns_deleted(),
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
        .status_restores(ALL_METADATA),
    row("apiregistration.k8s.io", "APIService").requires_version().status_restores(ALL_METADATA),
    row("apps", "DaemonSet").counts(SPEC),
    row("apps", "Deployment").counts(Generation::OfSpecAndAnnotations).status_restores(&["labels"]),
    row("apps", "ReplicaSet").counts(SPEC),
    row("apps", "StatefulSet").counts(SPEC),
    row("batch", "CronJob").counts(SPEC),
    row("batch", "Job").counts(SPEC).dependents(Dependents::Orphan),
    row("certificates.k8s.io", "CertificateSigningRequest").restores_spec(),
    row("certificates.k8s.io", "ClusterTrustBundle").requires_version(),
    row("certificates.k8s.io", "PodCertificateRequest")
        .requires_version()
        .status_restores(ALL_METADATA),
    row("coordination.k8s.io", "Lease").allows_create_on_update().requires_version(),
    row("discovery.k8s.io", "EndpointSlice").counts(Generation::OfContentAndLabels),
    row("flowcontrol.apiserver.k8s.io", "FlowSchema").counts(SPEC).status_restores(ALL_METADATA),
    row("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration")
        .counts(SPEC)
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
    row(RESOURCE, "DeviceTaintRule").counts(SPEC).returns_deleted().status_restores(ALL_METADATA),
    row(RESOURCE, "ResourceClaim").returns_deleted().status_restores(ALL_METADATA),
    row(RESOURCE, "ResourceClaimTemplate").returns_deleted(),
    row(RESOURCE, "ResourceSlice").counts(SPEC).returns_deleted(),
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
];

/// The strategy of a kind.
pub(crate) fn strategy(group: &str, kind: &str) -> &'static Strategy {
    static PLAIN_ROW: Strategy = PLAIN;
    STRATEGIES.iter().find(|row| row.group == group && row.kind == kind).unwrap_or(&PLAIN_ROW)
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
            assert_ne!(*row, Strategy { group: row.group, kind: row.kind, ..PLAIN });
        }
        assert!(STRATEGIES.is_sorted_by(|a, b| (a.group, a.kind) < (b.group, b.kind)));
    }
}
