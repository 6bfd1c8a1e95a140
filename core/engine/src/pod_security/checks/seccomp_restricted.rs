//! `securityContext.seccompProfile.type` must be `RuntimeDefault` or `Localhost` for the pod or for
//! every container, and nothing else anywhere; from v1.25 on not in pods whose `spec.os.name` is
//! `windows`.

use super::seccomp_baseline::{REASON, check_profiles};
use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-016",
    fields: &[
        "spec.securityContext.seccompProfile.type",
        "each container's securityContext.seccompProfile.type",
    ],
    title: "Seccomp profiles (restricted)",
    origin: Origin::PodSecurity,
    demands: "The pod, or each of its containers, sets a seccomp profile that filters system \
              calls.",
    why: "Without a profile, which is the default of Kubernetes, a process may make every \
          system call, and with it reach every fault of the kernel behind them.",
    fix: "Set `securityContext.seccompProfile: {type: RuntimeDefault}` in the pod.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.19 and later; Windows pods are spared from v1.25 on.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "seccompProfile_restricted",
    level: Level::Restricted,
    variants: &[
        Variant::since(19, |pod, _| check(pod)).overriding(&["seccompProfile_baseline"]),
        Variant::since(25, |pod, _| if pod.is_windows() { None } else { check(pod) })
            .overriding(&["seccompProfile_baseline"]),
    ],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    // A bad type is reported before an unset profile.
    check_profiles(pod, &RULE).or_else(|| check_unset(pod))
}

fn check_unset(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    if pod.security().field("seccompProfile").is_set() {
        return None;
    }
    for container in pod.containers() {
        let at = container.security().field("seccompProfile");
        if !at.is_set() {
            found.container(&container, &at, "must be set, here or in the pod");
        }
    }
    found.violation(REASON, |found| {
        let containers = found.containers();
        format!(
            "pod or {containers} must set securityContext.seccompProfile.type to \
             \"RuntimeDefault\" or \"Localhost\""
        )
    })
}
