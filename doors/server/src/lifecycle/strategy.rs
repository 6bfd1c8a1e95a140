//! How the API keeps the objects of each kind: one row where a kind differs from the plain case.

/// When `metadata.generation` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Never; it is absent.
    Absent,
    /// It is one forever.
    One,
    /// With every change of this member.
    Of(&'static str),
    /// With every change of this member, from zero.
    Later(&'static str),
    /// With every change of the spec or of the annotations.
    OfSpecAndAnnotations,
    /// With every change of this member, also from an absent list to an empty one: some strategies of the
    /// reference compare with `reflect.DeepEqual`.
    OfExactly(&'static str),
    /// With every change of labels, or outside of metadata.
    OfContentAndLabels,
}

/// What a deletion does with the dependents of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependents {
    /// They go as well.
    Go,
    /// They stay, unless the deletion says otherwise.
    Stay,
    /// There are none, whatever the deletion says.
    None,
}

/// How the objects of one kind are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// API group.
    pub group: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// When the generation counts.
    pub generation: Generation,
    /// Whether a PUT may make the object.
    pub put_creates: bool,
    /// Whether an update must name the version that it replaces.
    pub needs_version: bool,
    /// Whether the answer to a deletion is the deleted object.
    pub shows_deleted: bool,
    /// Whether a new object may come with a status.
    pub born_with_status: bool,
    /// Whether updates of the main resource may not touch the spec.
    pub keeps_spec: bool,
    /// What becomes of the dependents when a deletion does not say it.
    pub dependents: Dependents,
    /// Whether a name is never made up: `generateName` is the name.
    pub plain_names: bool,
    /// What writers of `status` may not touch beside the spec.
    pub status_keeps: &'static [&'static str],
}

/// What most of the newer kinds keep when their status is written.
const ALL_METADATA: &[&str] = &["annotations", "finalizers", "labels", "ownerReferences"];

const PLAIN: Strategy = Strategy {
    group: "",
    kind: "",
    generation: Generation::Absent,
    put_creates: false,
    needs_version: false,
    shows_deleted: false,
    born_with_status: false,
    keeps_spec: false,
    dependents: Dependents::Go,
    plain_names: false,
    status_keeps: &[],
};

const fn row(group: &'static str, kind: &'static str) -> Strategy {
    Strategy { group, kind, ..PLAIN }
}

impl Strategy {
    const fn counts(self, generation: Generation) -> Self {
        Self { generation, ..self }
    }

    const fn put_creates(self) -> Self {
        Self { put_creates: true, ..self }
    }

    const fn needs_version(self) -> Self {
        Self { needs_version: true, ..self }
    }

    const fn shows_deleted(self) -> Self {
        Self { shows_deleted: true, ..self }
    }

    const fn status_keeps(self, status_keeps: &'static [&'static str]) -> Self {
        Self { status_keeps, ..self }
    }

    const fn born_with_status(self) -> Self {
        Self { born_with_status: true, ..self }
    }

    const fn dependents(self, dependents: Dependents) -> Self {
        Self { dependents, ..self }
    }

    const fn plain_names(self) -> Self {
        Self { plain_names: true, ..self }
    }

    const fn keeps_spec(self) -> Self {
        Self { keeps_spec: true, ..self }
    }
}

const SPEC: Generation = Generation::Of("spec");
const WEBHOOKS: Generation = Generation::OfExactly("webhooks");
const ADMISSION: &str = "admissionregistration.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";
const STORAGE: &str = "storage.k8s.io";
const RESOURCE: &str = "resource.k8s.io";

/// The kinds that are not plain.
static STRATEGIES: &[Strategy] = &[
    row("", "Endpoints").put_creates(),
    row("", "Event").put_creates().dependents(Dependents::None),
    row("", "LimitRange").put_creates(),
    row("", "Namespace").keeps_spec().shows_deleted(),
    row("", "Node").born_with_status(),
    row("", "PersistentVolume").shows_deleted(),
    row("", "PersistentVolumeClaim").shows_deleted(),
    row("", "Pod").counts(SPEC).shows_deleted().status_keeps(&["ownerReferences"]),
    row("", "PodTemplate").counts(Generation::Of("template")).shows_deleted(),
    row("", "ReplicationController").counts(SPEC).dependents(Dependents::Stay),
    row("", "ResourceQuota").shows_deleted(),
    row("", "Service").put_creates().shows_deleted(),
    row("", "ServiceAccount").shows_deleted(),
    row(ADMISSION, "MutatingAdmissionPolicy").counts(SPEC).needs_version(),
    row(ADMISSION, "MutatingAdmissionPolicyBinding").counts(SPEC).needs_version(),
    row(ADMISSION, "MutatingWebhookConfiguration").counts(WEBHOOKS).needs_version(),
    row(ADMISSION, "ValidatingAdmissionPolicy")
        .counts(SPEC)
        .needs_version()
        .status_keeps(ALL_METADATA),
    row(ADMISSION, "ValidatingAdmissionPolicyBinding").counts(SPEC).needs_version(),
    row(ADMISSION, "ValidatingWebhookConfiguration").counts(WEBHOOKS).needs_version(),
    row("apiextensions.k8s.io", "CustomResourceDefinition")
        .counts(SPEC)
        .needs_version()
        .status_keeps(ALL_METADATA),
    row("apiregistration.k8s.io", "APIService").needs_version().status_keeps(ALL_METADATA),
    row("apps", "DaemonSet").counts(SPEC),
    row("apps", "Deployment").counts(Generation::OfSpecAndAnnotations).status_keeps(&["labels"]),
    row("apps", "ReplicaSet").counts(SPEC),
    row("apps", "StatefulSet").counts(SPEC),
    row("batch", "CronJob").counts(SPEC),
    row("batch", "Job").counts(SPEC).dependents(Dependents::Stay),
    row("certificates.k8s.io", "CertificateSigningRequest").keeps_spec(),
    row("certificates.k8s.io", "ClusterTrustBundle").needs_version(),
    row("certificates.k8s.io", "PodCertificateRequest").needs_version().status_keeps(ALL_METADATA),
    row("coordination.k8s.io", "Lease").put_creates().needs_version(),
    row("discovery.k8s.io", "EndpointSlice").counts(Generation::OfContentAndLabels),
    row("flowcontrol.apiserver.k8s.io", "FlowSchema").counts(SPEC).status_keeps(ALL_METADATA),
    row("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration")
        .counts(SPEC)
        .status_keeps(ALL_METADATA),
    row("networking.k8s.io", "IPAddress").plain_names(),
    row("networking.k8s.io", "Ingress").counts(SPEC),
    row("networking.k8s.io", "IngressClass").counts(SPEC),
    row("networking.k8s.io", "NetworkPolicy").counts(Generation::OfExactly("spec")),
    row("networking.k8s.io", "ServiceCIDR").status_keeps(ALL_METADATA),
    row("node.k8s.io", "RuntimeClass").put_creates().needs_version(),
    row("policy", "PodDisruptionBudget").counts(SPEC).needs_version(),
    row(RBAC, "ClusterRole").put_creates(),
    row(RBAC, "ClusterRoleBinding").put_creates(),
    row(RBAC, "Role").put_creates(),
    row(RBAC, "RoleBinding").put_creates(),
    row(RESOURCE, "DeviceClass").counts(SPEC).shows_deleted(),
    row(RESOURCE, "DeviceTaintRule").counts(SPEC).shows_deleted().status_keeps(ALL_METADATA),
    row(RESOURCE, "ResourceClaim").shows_deleted().status_keeps(ALL_METADATA),
    row(RESOURCE, "ResourceClaimTemplate").shows_deleted(),
    row(RESOURCE, "ResourceSlice").counts(SPEC).shows_deleted(),
    row("scheduling.k8s.io", "PriorityClass").counts(Generation::One),
    row(STORAGE, "CSIDriver").counts(Generation::Later("spec")).needs_version().shows_deleted(),
    row(STORAGE, "CSINode").needs_version().shows_deleted(),
    row(STORAGE, "CSIStorageCapacity").needs_version(),
    row(STORAGE, "StorageClass").shows_deleted(),
    row(STORAGE, "VolumeAttachment").needs_version().shows_deleted().status_keeps(ALL_METADATA),
    row(STORAGE, "VolumeAttributesClass").shows_deleted(),
];

/// How the objects of a kind are kept.
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
