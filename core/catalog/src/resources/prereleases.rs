//! Kept by hand: the alpha and beta resources of Kubernetes v1.36, which are served only if they are asked for.

use super::Resource;
use super::table::{Gv, STATUS, cluster, namespaced};

/// A resource of an alpha or beta version.
#[derive(Clone, Copy, Debug)]
pub struct Prerelease {
    /// The resource.
    pub resource: Resource<'static>,
    /// The first release that has it, as a minor number.
    pub since: u8,
    /// The feature gate without which it is not served, even if it is asked for.
    pub gate: Option<&'static str>,
}

const ADMISSIONREGISTRATION: &str = "admissionregistration.k8s.io";
const CERTIFICATES: &str = "certificates.k8s.io";
const COORDINATION: &str = "coordination.k8s.io";
const DEVICES: &str = "resource.k8s.io";
const NETWORKING: Gv = ("networking.k8s.io", "v1beta1");
const SCHEDULING: Gv = ("scheduling.k8s.io", "v1alpha2");
const STORAGE: Gv = ("storage.k8s.io", "v1beta1");
const INTERNAL: Gv = ("internal.apiserver.k8s.io", "v1alpha1");
const MIGRATION: Gv = ("storagemigration.k8s.io", "v1beta1");

/// All of them: groups in the order of discovery, in a group the preferred version first, within it sorted by name.
pub static PRERELEASES: &[Prerelease] = &[
    // certificates.k8s.io
    bundle("v1beta1", 33),
    since(
        35,
        namespaced(
            (CERTIFICATES, "v1beta1"),
            "PodCertificateRequest",
            "podcertificaterequests",
            "podcertificaterequest",
        )
        .with(&[STATUS]),
    )
    .behind("PodCertificateRequest"),
    bundle("v1alpha1", 26),
    // networking.k8s.io
    since(
        31,
        cluster(NETWORKING, "IPAddress", "ipaddresses", "ipaddress")
            .short(&["ip"])
            .stored_as(("networking.k8s.io", "v1")),
    ),
    since(
        31,
        cluster(NETWORKING, "ServiceCIDR", "servicecidrs", "servicecidr")
            .stored_as(("networking.k8s.io", "v1"))
            .with(&[STATUS]),
    ),
    // storage.k8s.io
    since(
        31,
        cluster(
            STORAGE,
            "VolumeAttributesClass",
            "volumeattributesclasses",
            "volumeattributesclass",
        )
        .short(&["vac"])
        .stored_as(("storage.k8s.io", "v1")),
    ),
    // admissionregistration.k8s.io
    policy("v1beta1", 34),
    policy_binding("v1beta1", 34),
    policy("v1alpha1", 32),
    policy_binding("v1alpha1", 32),
    // scheduling.k8s.io
    since(36, namespaced(SCHEDULING, "PodGroup", "podgroups", "podgroup").with(&[STATUS]))
        .behind("GenericWorkload"),
    since(36, namespaced(SCHEDULING, "Workload", "workloads", "workload"))
        .behind("GenericWorkload"),
    // coordination.k8s.io
    candidate("v1beta1", 33),
    candidate("v1alpha2", 32),
    // resource.k8s.io
    class("v1beta2", 33),
    taint_rule("v1beta2", 36),
    claim("v1beta2", 33),
    claim_template("v1beta2", 33),
    slice("v1beta2", 33),
    class("v1beta1", 32),
    claim("v1beta1", 32),
    claim_template("v1beta1", 32),
    slice("v1beta1", 32),
    taint_rule("v1alpha3", 33),
    since(
        36,
        cluster(
            (DEVICES, "v1alpha3"),
            "ResourcePoolStatusRequest",
            "resourcepoolstatusrequests",
            "resourcepoolstatusrequest",
        )
        .with(&[STATUS]),
    ),
    // internal.apiserver.k8s.io
    since(
        20,
        cluster(INTERNAL, "StorageVersion", "storageversions", "storageversion").with(&[STATUS]),
    ),
    // storagemigration.k8s.io
    since(
        35,
        cluster(
            MIGRATION,
            "StorageVersionMigration",
            "storageversionmigrations",
            "storageversionmigration",
        )
        .with(&[STATUS]),
    )
    .behind("StorageVersionMigrator"),
];

const fn since(since: u8, resource: Resource<'static>) -> Prerelease {
    Prerelease { resource, since, gate: None }
}

impl Prerelease {
    const fn behind(self, gate: &'static str) -> Self {
        Self { gate: Some(gate), ..self }
    }
}

const fn bundle(version: &'static str, first: u8) -> Prerelease {
    let gv = (CERTIFICATES, version);
    let row = cluster(gv, "ClusterTrustBundle", "clustertrustbundles", "clustertrustbundle");
    since(first, row.stored_as((CERTIFICATES, "v1beta1"))).behind("ClusterTrustBundle")
}

const fn policy(version: &'static str, first: u8) -> Prerelease {
    let row = cluster(
        (ADMISSIONREGISTRATION, version),
        "MutatingAdmissionPolicy",
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicy",
    );
    let row = row.in_categories(&["api-extensions"]);
    since(first, row.stored_as((ADMISSIONREGISTRATION, "v1beta1")))
}

const fn policy_binding(version: &'static str, first: u8) -> Prerelease {
    let row = cluster(
        (ADMISSIONREGISTRATION, version),
        "MutatingAdmissionPolicyBinding",
        "mutatingadmissionpolicybindings",
        "mutatingadmissionpolicybinding",
    );
    let row = row.in_categories(&["api-extensions"]);
    since(first, row.stored_as((ADMISSIONREGISTRATION, "v1beta1")))
}

const fn candidate(version: &'static str, first: u8) -> Prerelease {
    let gv = (COORDINATION, version);
    let row = namespaced(gv, "LeaseCandidate", "leasecandidates", "leasecandidate");
    since(first, row.stored_as((COORDINATION, "v1beta1")))
}

const fn class(version: &'static str, first: u8) -> Prerelease {
    let row = cluster((DEVICES, version), "DeviceClass", "deviceclasses", "deviceclass");
    since(first, row.stored_as((DEVICES, "v1")))
}

const fn taint_rule(version: &'static str, first: u8) -> Prerelease {
    let gv = (DEVICES, version);
    let row = cluster(gv, "DeviceTaintRule", "devicetaintrules", "devicetaintrule");
    since(first, row.stored_as((DEVICES, "v1alpha3")).with(&[STATUS]))
}

const fn claim(version: &'static str, first: u8) -> Prerelease {
    let gv = (DEVICES, version);
    let row = namespaced(gv, "ResourceClaim", "resourceclaims", "resourceclaim");
    since(first, row.stored_as((DEVICES, "v1")).with(&[STATUS]))
}

const fn claim_template(version: &'static str, first: u8) -> Prerelease {
    let row = namespaced(
        (DEVICES, version),
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        "resourceclaimtemplate",
    );
    since(first, row.stored_as((DEVICES, "v1")))
}

const fn slice(version: &'static str, first: u8) -> Prerelease {
    let row = cluster((DEVICES, version), "ResourceSlice", "resourceslices", "resourceslice");
    since(first, row.stored_as((DEVICES, "v1")))
}
