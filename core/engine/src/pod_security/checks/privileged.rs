//! `securityContext.privileged` of every container must not be `true`.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-009",
    fields: &["each container's securityContext.privileged"],
    title: "Privileged containers",
    origin: Origin::PodSecurity,
    demands: "No container is privileged.",
    why: "A privileged container has all capabilities and all devices of the host: whoever \
          controls it controls the node.",
    fix: "Remove `securityContext.privileged`, and grant the one device or capability that is \
          needed by other means.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "privileged",
    level: Level::Baseline,
    variants: &[Variant::since(0, |pod, _| check(pod))],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    for container in pod.containers() {
        let at = container.security().field("privileged");
        if at.is_true() {
            found.container(&container, &at, "has all rights on the node");
        }
    }
    found.violation("privileged", |found| {
        format!("{} must not set securityContext.privileged=true", found.containers())
    })
}
