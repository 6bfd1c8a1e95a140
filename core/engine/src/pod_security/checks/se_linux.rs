//! `securityContext.seLinuxOptions` of the pod and of every container: `type` must be empty,
//! `container_t`, `container_init_t` or `container_kvm_t` (from v1.31 on also `container_engine_t`),
//! `user` and `role` must be empty.

use super::violations::{ViolationBuilder, plural, quoted};
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-014",
    fields: &[
        "spec.securityContext.seLinuxOptions.{type,user,role}",
        "each container's securityContext.seLinuxOptions.{type,user,role}",
    ],
    title: "SELinux labels",
    origin: Origin::PodSecurity,
    demands: "A pod keeps the SELinux user and role, and a type made for containers.",
    why: "A type such as `spc_t` lifts the walls that SELinux puts around containers.",
    fix: "Remove `type`, `user` and `role` from `seLinuxOptions`; `level` may stay.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later; `container_engine_t` is allowed from v1.31 on.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "seLinuxOptions",
    level: Level::Baseline,
    variants: &[
        Variant::since(0, |pod, _| check(pod, TYPES)),
        Variant::since(31, |pod, _| check(pod, TYPES_SINCE_31)).in_releases_since(31),
    ],
};

const TYPES: &[&str] = &["", "container_t", "container_init_t", "container_kvm_t"];
const TYPES_SINCE_31: &[&str] =
    &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];
const LABEL: &str = "an SELinux label that is not made for containers";

fn check(pod: &PodView<'_>, types: &[&str]) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let mut bad_types = BTreeSet::new();
    let (mut sets_user, mut sets_role) = (false, false);
    let owners = core::iter::once((None, pod.security()))
        .chain(pod.containers().map(|container| (Some(container), container.security())));
    for (container, security) in owners {
        let options = security.field("seLinuxOptions");
        let (kind, user, role) =
            (options.field("type"), options.field("user"), options.field("role"));
        let mut add = |at: &At<'_>| match &container {
            None => found.pod(at, LABEL),
            Some(container) => found.container(container, at, LABEL),
        };
        if !types.contains(&kind.text_or_empty()) {
            add(&kind);
            bad_types.insert(kind.text_or_empty());
        }
        if !user.text_or_empty().is_empty() {
            add(&user);
            sets_user = true;
        }
        if !role.text_or_empty().is_empty() {
            add(&role);
            sets_role = true;
        }
    }
    found.violation("seLinuxOptions", |found| {
        let noun = plural(bad_types.len(), "type", "types");
        let types = (!bad_types.is_empty()).then(|| format!("{noun} {}", quoted(&bad_types)));
        let user = sets_user.then(|| "user may not be set".into());
        let role = sets_role.then(|| "role may not be set".into());
        let faults: Vec<String> = [types, user, role].into_iter().flatten().collect();
        let (setters, faults) = (found.setters(), faults.join("; "));
        format!("{setters} set forbidden securityContext.seLinuxOptions: {faults}")
    })
}
