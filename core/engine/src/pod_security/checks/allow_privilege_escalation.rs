//! `securityContext.allowPrivilegeEscalation` of every container must be `false`; from v1.25 on not
//! in pods whose `spec.os.name` is `windows`.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-002",
    fields: &["each container's securityContext.allowPrivilegeEscalation"],
    title: "Privilege escalation",
    origin: Origin::PodSecurity,
    demands: "Every container sets `securityContext.allowPrivilegeEscalation` to `false`.",
    why: "Otherwise a setuid program in the image, or a file with capabilities, gives a process \
          more rights than the container was started with.",
    fix: "Set `securityContext.allowPrivilegeEscalation: false` in every container, init \
          containers included.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.8 and later; Windows pods are spared from v1.25 on.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "allowPrivilegeEscalation",
    level: Level::Restricted,
    variants: &[
        Variant::since(8, |pod, _| check(pod)),
        Variant::since(25, |pod, _| if pod.is_windows() { None } else { check(pod) }),
    ],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    for container in pod.containers() {
        let at = container.security().field("allowPrivilegeEscalation");
        if at.truth() != Some(false) {
            found.container(&container, &at, "must be set to false");
        }
    }
    found.violation("allowPrivilegeEscalation != false", |found| {
        format!("{} must set securityContext.allowPrivilegeEscalation=false", found.containers())
    })
}
