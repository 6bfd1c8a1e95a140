//! `securityContext.runAsNonRoot` must be `true` for the pod or for every container, and `false`
//! nowhere; from v1.35 on not in pods whose `spec.hostUsers` is `false`.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-012",
    fields: &["spec.securityContext.runAsNonRoot", "each container's securityContext.runAsNonRoot"],
    title: "Running as root (declared)",
    origin: Origin::PodSecurity,
    demands: "The pod, or each of its containers, sets `securityContext.runAsNonRoot` to \
              `true`, and none sets it to `false`.",
    why: "Root in a container is root on the host as soon as one wall breaks; most known \
          escapes need it.",
    fix: "Set `securityContext.runAsNonRoot: true` in the pod, and give the image a user other \
          than root.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later; pods with their own users are spared from v1.35 on.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "runAsNonRoot",
    level: Level::Restricted,
    variants: &[
        Variant::since(0, |pod, context| if context.spares(pod) { None } else { check(pod) }),
        Variant::since(35, |pod, _| if pod.has_user_namespace() { None } else { check(pod) })
            .in_releases_since(35),
    ],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut set_to_false = ViolationBuilder::new(&RULE);
    let mut unset = ViolationBuilder::new(&RULE);
    let whole = pod.security().field("runAsNonRoot");
    if whole.truth() == Some(false) {
        set_to_false.pod(&whole, "allows root");
    }
    for container in pod.containers() {
        let at = container.security().field("runAsNonRoot");
        match at.truth() {
            Some(true) => {}
            Some(false) => set_to_false.container(&container, &at, "allows root"),
            None if whole.is_true() => {}
            None => unset.container(&container, &at, "must be set to true, here or in the pod"),
        }
    }
    // An explicit `false` is reported before an unset field.
    let set_to_false = set_to_false.violation(REASON, |found| {
        format!("{} must not set securityContext.runAsNonRoot=false", found.setters())
    });
    set_to_false.or_else(|| {
        unset.violation(REASON, |found| {
            format!("pod or {} must set securityContext.runAsNonRoot=true", found.containers())
        })
    })
}

const REASON: &str = "runAsNonRoot != true";
