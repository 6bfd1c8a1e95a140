//! `securityContext.windowsOptions.hostProcess` of the pod and of every container must not be `true`.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-018",
    fields: &[
        "spec.securityContext.windowsOptions.hostProcess",
        "each container's securityContext.windowsOptions.hostProcess",
    ],
    title: "Windows host processes",
    origin: Origin::PodSecurity,
    demands: "No container runs as a process of the Windows host.",
    why: "A host process has the rights of the node's own services: whoever controls it \
          controls the node.",
    fix: "Remove `securityContext.windowsOptions.hostProcess`.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "windowsHostProcess",
    level: Level::Baseline,
    variants: &[Variant::since(0, |pod, _| check(pod))],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let whole = pod.security().descend(&["windowsOptions", "hostProcess"]);
    if whole.is_true() {
        found.pod(&whole, "runs as a process of the host");
    }
    for container in pod.containers() {
        let at = container.security().descend(&["windowsOptions", "hostProcess"]);
        if at.is_true() {
            found.container(&container, &at, "runs as a process of the host");
        }
    }
    found.violation("hostProcess", |found| {
        let setters = found.setters();
        format!("{setters} must not set securityContext.windowsOptions.hostProcess=true")
    })
}
