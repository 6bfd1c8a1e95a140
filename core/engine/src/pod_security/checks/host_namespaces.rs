//! `spec.hostNetwork`, `spec.hostPID` and `spec.hostIPC` must not be `true`.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;
use alloc::vec::Vec;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-006",
    fields: &["spec.hostNetwork, spec.hostPID, spec.hostIPC"],
    title: "Namespaces of the host",
    origin: Origin::PodSecurity,
    demands: "A pod has its own network, process and IPC namespaces.",
    why: "In the host's namespaces a container can listen to the traffic of the node, reach \
          services bound to its loopback address, see and signal all processes, and share \
          memory with them.",
    fix: "Remove `hostNetwork`, `hostPID` and `hostIPC`.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "hostNamespaces",
    level: Level::Baseline,
    variants: &[Variant::since(0, |pod, _| check(pod))],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let mut names = Vec::new();
    for name in ["hostNetwork", "hostPID", "hostIPC"] {
        let at = pod.spec().field(name);
        if at.is_true() {
            names.push(format!("{name}=true"));
            found.label(&at, "shares a namespace of the host");
        }
    }
    found.violation("host namespaces", |_| names.join(", "))
}
