//! `ports[*].hostPort` of every container must be absent or 0.

use super::violations::{ViolationBuilder, plural};
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-008",
    fields: &["each container's ports[].hostPort"],
    title: "Host ports",
    origin: Origin::PodSecurity,
    demands: "No container listens on a port of the host.",
    why: "A port of the host is open to the node's network, past network policies, and can be \
          taken from the program that should answer there.",
    fix: "Remove `hostPort` and give the pod a Service. In a pod with `hostNetwork` every port \
          is a port of the host.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "hostPorts",
    level: Level::Baseline,
    variants: &[Variant::since(0, |pod, _| check(pod))],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    // Kubernetes sorts the ports as strings.
    let mut ports = BTreeSet::new();
    for container in pod.containers() {
        for (port, at) in pod.host_ports(&container) {
            ports.insert(port.to_string());
            found.container(&container, &at, "takes a port of the host");
        }
    }
    found.violation("hostPort", |found| {
        let verb = plural(found.names.len(), "uses", "use");
        let noun = plural(ports.len(), "hostPort", "hostPorts");
        let ports: Vec<&str> = ports.iter().map(String::as_str).collect();
        format!("{} {verb} {noun} {}", found.containers(), ports.join(", "))
    })
}
