//! Check `capabilities_baseline`: `securityContext.capabilities.add` of every container has only default capabilities.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-004",
    fields: &["each container's securityContext.capabilities.add[]"],
    title: "Added capabilities (baseline)",
    origin: Origin::PodSecurity,
    demands: "A container adds no capability beyond those that container runtimes give by \
              default.",
    why: "Capabilities such as `SYS_ADMIN`, `NET_RAW` or `SYS_PTRACE` are parts of root on the \
          host: they allow mounting, forging packets and reading other processes.",
    fix: "Remove the capability from `securityContext.capabilities.add`. A program that needs \
          it belongs into a namespace whose level is `privileged`.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later; the restricted level has its own check from v1.22 \
               on.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "capabilities_baseline",
    level: Level::Baseline,
    variants: &[Variant::since(0, |pod, _| check(pod))],
};

/// Compared exactly: `chown` and `CAP_CHOWN` are not allowed.
const ALLOWED: [&str; 13] = [
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    for container in pod.containers() {
        for capability in container.security().descend(&["capabilities", "add"]).items() {
            let name = capability.text_or_empty();
            if !ALLOWED.contains(&name) {
                found.values.insert(name);
                found.container(&container, &capability, "more than the default capabilities");
            }
        }
    }
    found.violation("non-default capabilities", |found| {
        let (containers, names) = (found.containers(), found.quoted_values());
        format!("{containers} must not include {names} in securityContext.capabilities.add")
    })
}
