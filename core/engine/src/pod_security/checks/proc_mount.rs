//! `securityContext.procMount` of every container must be absent or `Default`; in the baseline level
//! from v1.35 on not in pods whose `spec.hostUsers` is `false`.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-010",
    fields: &["each container's securityContext.procMount"],
    title: "Masks of /proc",
    origin: Origin::PodSecurity,
    demands: "Every container keeps the default masks of `/proc`.",
    why: "Without the masks a container sees and changes kernel settings of the host under \
          `/proc` and `/sys`, which has led to escapes before.",
    fix: "Remove `securityContext.procMount`. If the program builds containers itself, give the \
          pod its own users with `hostUsers: false`.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later; from v1.35 on the baseline level spares pods with \
               their own users.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "procMount",
    level: Level::Baseline,
    variants: &[
        Variant::since(0, |pod, context| if context.spares(pod) { None } else { check(pod) }),
        Variant::since(35, |pod, _| if pod.has_user_namespace() { None } else { check(pod) })
            .in_releases_since(35),
    ],
};

/// The check of the restricted level, which covers pods with user namespaces too.
pub(super) static RESTRICTED: Check = Check {
    rule: &RULE,
    id: "procMount_restricted",
    level: Level::Restricted,
    variants: &[Variant::since(35, |pod, _| check(pod))
        .in_releases_since(35)
        .overriding(&["procMount"])],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    for container in pod.containers() {
        let at = container.security().field("procMount");
        let mask = at.text_or_empty();
        if at.is_set() && mask != "Default" {
            found.values.insert(mask);
            found.container(&container, &at, "uncovers parts of /proc");
        }
    }
    found.violation("procMount", |found| {
        let (containers, masks) = (found.containers(), found.quoted_values());
        format!("{containers} must not set securityContext.procMount to {masks}")
    })
}
