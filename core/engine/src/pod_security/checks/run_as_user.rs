//! `securityContext.runAsUser` of the pod and of every container must not be 0; from v1.35 on not in
//! pods whose `spec.hostUsers` is `false`.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-013",
    fields: &["spec.securityContext.runAsUser", "each container's securityContext.runAsUser"],
    title: "Running as root (by number)",
    origin: Origin::PodSecurity,
    demands: "Neither the pod nor a container asks for user 0.",
    why: "User 0 is root, on the host too if the pod has no users of its own.",
    fix: "Remove `runAsUser: 0`, or name another user.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.23 and later; pods with their own users are spared from v1.35 on.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "runAsUser",
    level: Level::Restricted,
    variants: &[
        Variant::since(23, |pod, context| if context.spares(pod) { None } else { check(pod) }),
        Variant::since(35, |pod, _| if pod.has_user_namespace() { None } else { check(pod) })
            .in_releases_since(35),
    ],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let whole = pod.security().field("runAsUser");
    if whole.int() == Some(0) {
        found.pod(&whole, "user 0 is root");
    }
    for container in pod.containers() {
        let at = container.security().field("runAsUser");
        if at.int() == Some(0) {
            found.container(&container, &at, "user 0 is root");
        }
    }
    found.violation("runAsUser=0", |found| format!("{} must not set runAsUser=0", found.setters()))
}
