//! `spec.securityContext.sysctls[*].name` must be one of those that only touch the pod itself.

use super::violations::{ViolationBuilder, listed};
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::vec::Vec;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-017",
    fields: &["spec.securityContext.sysctls[].name"],
    title: "Kernel settings",
    origin: Origin::PodSecurity,
    demands: "A pod sets only kernel settings (sysctls) that have namespaces of their own and \
              touch nobody else.",
    why: "Other settings change the node for every pod on it, or switch protections of the \
          kernel off.",
    fix: "Remove the setting, or let the administrator set it on the node.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later; the list grew in v1.27, v1.29, v1.32 and v1.37.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "sysctls",
    level: Level::Baseline,
    variants: &[
        Variant::since(0, |pod, _| check(pod, 0)),
        Variant::since(27, |pod, _| check(pod, 27)),
        Variant::since(29, |pod, _| check(pod, 29)),
        Variant::since(32, |pod, _| check(pod, 32)).in_releases_since(32),
        Variant::since(37, |pod, _| check(pod, 37)).in_releases_since(37),
    ],
};

/// Sysctls that affect only the pod, each with the first version that allows it.
static SAFE: [(&str, u8); 14] = [
    ("kernel.shm_rmid_forced", 0),
    ("net.ipv4.ip_local_port_range", 0),
    ("net.ipv4.ip_local_reserved_ports", 27),
    ("net.ipv4.ip_unprivileged_port_start", 0),
    ("net.ipv4.ping_group_range", 0),
    ("net.ipv4.tcp_fin_timeout", 29),
    ("net.ipv4.tcp_keepalive_intvl", 29),
    ("net.ipv4.tcp_keepalive_probes", 29),
    ("net.ipv4.tcp_keepalive_time", 29),
    ("net.ipv4.tcp_notsent_lowat", 37),
    ("net.ipv4.tcp_rmem", 32),
    ("net.ipv4.tcp_slow_start_after_idle", 37),
    ("net.ipv4.tcp_syncookies", 0),
    ("net.ipv4.tcp_wmem", 32),
];

fn check(pod: &PodView<'_>, minor: u8) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let mut names = Vec::new();
    for sysctl in pod.security().field("sysctls").items() {
        let at = sysctl.field("name");
        let name = at.text_or_empty();
        if !SAFE.iter().any(|(safe, since)| *safe == name && *since <= minor) {
            names.push(name);
            found.label(&at, "changes more than the pod itself");
        }
    }
    found.violation("forbidden sysctls", |_| listed(&names))
}
