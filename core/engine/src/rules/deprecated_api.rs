//! Rule RTC-API-005: warnings about deprecated APIs, whether the request succeeds or not.

use crate::context::ValidationContext;
use crate::{ApiConfig, Origin, Ratchet, Rule, Verdict, Warning};
use alloc::format;
use alloc::string::String;
use ratchet_object::GroupVersionKind;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-005",
    fields: &["Endpoints", "EndpointSlice addressType FQDN"],
    title: "deprecated API",
    origin: Origin::Api,
    demands: "The Endpoints API is deprecated; EndpointSlices replace it.",
    why: "Endpoints cannot hold dual-stack addresses or more than a thousand of them, and new features are not built for it.",
    fix: "Write discovery.k8s.io/v1 EndpointSlices instead.",
    ratchet: Ratchet::Never,
    versions: "A warning since 1.33.",
};

/// A version of a kind that goes, and what replaces it.
struct Lifecycle {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    /// The first release in which it is deprecated, as a minor number.
    deprecated: u8,
    /// The release that no longer has it; 0 if it stays.
    removed: u8,
    /// The version that replaces it, if one is named, and the kind.
    replacement: &'static str,
}

const fn goes(
    (group, version, kind): (&'static str, &'static str, &'static str),
    deprecated: u8,
    removed: u8,
    replacement: &'static str,
) -> Lifecycle {
    Lifecycle { group, version, kind, deprecated, removed, replacement }
}

const DEVICES: &str = "resource.k8s.io";
const COORDINATION: &str = "coordination.k8s.io";
const POLICIES: &str = "admissionregistration.k8s.io";

/// Every version that 1.36 can serve and that is deprecated in some release up to 1.37.
#[rustfmt::skip] // one row a line
static LIFECYCLES: &[Lifecycle] = &[
    goes(("", "v1", "Endpoints"), 33, 0, "discovery.k8s.io/v1 EndpointSlice"),
    goes((POLICIES, "v1alpha1", "MutatingAdmissionPolicy"), 35, 38, ""),
    goes((POLICIES, "v1alpha1", "MutatingAdmissionPolicyBinding"), 35, 38, ""),
    goes((POLICIES, "v1beta1", "MutatingAdmissionPolicy"), 37, 40, "admissionregistration.k8s.io/v1 MutatingAdmissionPolicy"),
    goes((POLICIES, "v1beta1", "MutatingAdmissionPolicyBinding"), 37, 40, "admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding"),
    goes(("certificates.k8s.io", "v1alpha1", "ClusterTrustBundle"), 34, 37, ""),
    goes(("certificates.k8s.io", "v1beta1", "ClusterTrustBundle"), 37, 40, ""),
    goes((COORDINATION, "v1alpha2", "LeaseCandidate"), 35, 38, ""),
    goes((COORDINATION, "v1beta1", "LeaseCandidate"), 36, 39, ""),
    goes(("networking.k8s.io", "v1beta1", "IPAddress"), 34, 37, ""),
    goes(("networking.k8s.io", "v1beta1", "ServiceCIDR"), 34, 37, ""),
    goes((DEVICES, "v1alpha3", "DeviceTaintRule"), 36, 39, ""),
    goes((DEVICES, "v1beta1", "DeviceClass"), 35, 38, ""),
    goes((DEVICES, "v1beta1", "ResourceClaim"), 35, 38, ""),
    goes((DEVICES, "v1beta1", "ResourceClaimTemplate"), 35, 38, ""),
    goes((DEVICES, "v1beta1", "ResourceSlice"), 35, 38, ""),
    goes((DEVICES, "v1beta2", "DeviceClass"), 36, 39, ""),
    goes((DEVICES, "v1beta2", "ResourceClaim"), 36, 39, ""),
    goes((DEVICES, "v1beta2", "ResourceClaimTemplate"), 36, 39, ""),
    goes((DEVICES, "v1beta2", "ResourceSlice"), 36, 39, ""),
    goes(("storage.k8s.io", "v1beta1", "VolumeAttributesClass"), 34, 37, "storage.k8s.io/v1 VolumeAttributesClass"),
];

pub(crate) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let kind = ctx.change.kind;
    let root = ctx.change.new_root();
    let api_version = root.field("apiVersion");
    let version = api_version.text_or_empty().rsplit('/').next().unwrap_or_default();
    let gvk = GroupVersionKind { group: kind.group, version, kind: kind.name };
    if let Some(message) = deprecation(gvk, ctx.config) {
        verdict.warn(Warning::new(&RULE, &root.field("kind"), message));
    }
}

/// The deprecation warning for any use of a version of a kind, also for reading it.
pub fn deprecation(gvk: GroupVersionKind<'_>, config: &ApiConfig) -> Option<String> {
    let is_it =
        |row: &&Lifecycle| (row.group, row.version, row.kind) == (gvk.group, gvk.version, gvk.kind);
    let row = LIFECYCLES.iter().find(is_it)?;
    if !config.release.since(row.deprecated) {
        return None;
    }
    let mut text = match row.group {
        "" => format!("{} {}", row.version, row.kind),
        group => format!("{group}/{} {}", row.version, row.kind),
    };
    text.push_str(&format!(" is deprecated in v1.{}+", row.deprecated));
    if row.removed != 0 {
        text.push_str(&format!(", unavailable in v1.{}+", row.removed));
    }
    if !row.replacement.is_empty() {
        text.push_str(&format!("; use {}", row.replacement));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Behavior, Release};

    fn of(group: &str, version: &str, kind: &str) -> Option<String> {
        let config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
        deprecation(GroupVersionKind { group, version, kind }, &config)
    }

    #[test]
    fn versions_that_go_are_told_with_what_replaces_them() {
        let endpoints =
            "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
        assert_eq!(of("", "v1", "Endpoints").as_deref(), Some(endpoints));
        let ranges =
            "networking.k8s.io/v1beta1 ServiceCIDR is deprecated in v1.34+, unavailable in v1.37+";
        assert_eq!(of("networking.k8s.io", "v1beta1", "ServiceCIDR").as_deref(), Some(ranges));
        let class = "storage.k8s.io/v1beta1 VolumeAttributesClass is deprecated in v1.34+, unavailable in v1.37+; use storage.k8s.io/v1 VolumeAttributesClass";
        assert_eq!(
            of("storage.k8s.io", "v1beta1", "VolumeAttributesClass").as_deref(),
            Some(class)
        );
        assert_eq!(of("networking.k8s.io", "v1", "ServiceCIDR"), None);
        assert_eq!(of(POLICIES, "v1beta1", "MutatingAdmissionPolicy"), None);
    }
}
