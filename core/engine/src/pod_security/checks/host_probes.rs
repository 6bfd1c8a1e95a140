//! `httpGet.host` and `tcpSocket.host` of every probe (`livenessProbe`, `readinessProbe`,
//! `startupProbe`) and of `lifecycle.postStart` and `lifecycle.preStop` must be empty, as released;
//! or empty, `127.0.0.1` or `::1`, as KEP-4940 proposes.

use super::violations::{ViolationBuilder, containers, listed, plural};
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::collections::BTreeSet;
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-001",
    fields: &[
        "spec.{containers,initContainers}[].{liveness,readiness,startup}Probe.{httpGet,tcpSocket}.host",
        "spec.{containers,initContainers}[].lifecycle.{postStart,preStop}.{httpGet,tcpSocket}.host",
    ],
    title: "Hosts of probes and lifecycle handlers",
    origin: Origin::Kep(4940),
    demands: "Probes and lifecycle handlers do not name a host: the kubelet asks the pod \
              itself. Where the proposal decides, the loopback addresses `127.0.0.1` and `::1` \
              are allowed too.",
    why: "The kubelet sends these requests from the node, past network policies. Whoever may \
          create a pod can make it knock at any address that the node reaches, such as a cloud \
          metadata service, and read from the probe's result whether something answers: blind \
          server-side request forgery (SSRF).",
    fix: "Remove `host`; without it the request goes to the pod's own address. If the program \
          listens on loopback only, use an `exec` probe; or, where the proposal decides \
          (`--behavior proposal`), write `127.0.0.1` or `::1`, the only hosts that it allows. \
          Released Kubernetes refuses these as well.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.34 and later, in Kubernetes 1.34 and later.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "hostProbesAndHostLifecycle",
    level: Level::Baseline,
    variants: &[Variant::since(34, |pod, context| {
        if context.allows_loopback_hosts { check_proposed(pod) } else { check_released(pod) }
    })
    .in_releases_since(34)],
};

/// Hosts that the proposal allows.
const LOOPBACK: [&str; 2] = ["127.0.0.1", "::1"];

const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
const HOOKS: [&str; 2] = ["postStart", "preStop"];
const HANDLERS: [&str; 2] = ["httpGet", "tcpSocket"];

fn check_released(pod: &PodView<'_>) -> Option<Violation> {
    let found = hosts(pod, str::is_empty);
    found.violation("probe or lifecycle host", |found| {
        let names: BTreeSet<&str> = found.names.iter().copied().collect();
        let noun = plural(found.values.len(), "host", "hosts");
        let hosts = found.quoted_values();
        format!("{} {} probe or lifecycle {noun} {hosts}", containers(&names), uses(&names))
    })
}

fn check_proposed(pod: &PodView<'_>) -> Option<Violation> {
    let found = hosts(pod, |host| host.is_empty() || LOOPBACK.contains(&host));
    found.violation("probeHost", |found| {
        let names: BTreeSet<&str> = found.names.iter().copied().collect();
        let noun = plural(found.values.len(), "probeHost", "probeHosts");
        format!("{} {} {noun} {}", containers(&names), uses(&names), listed(&found.values))
    })
}

fn uses(names: &BTreeSet<&str>) -> &'static str {
    plural(names.len(), "uses", "use")
}

fn hosts<'a>(pod: &PodView<'a>, is_allowed: impl Fn(&str) -> bool) -> ViolationBuilder<'a> {
    let mut found = ViolationBuilder::new(&RULE);
    for container in pod.containers() {
        let lifecycle = container.at.field("lifecycle");
        let probes = PROBES.into_iter().map(|probe| container.at.field(probe));
        let hooks = HOOKS.into_iter().map(|hook| lifecycle.field(hook));
        for handler in probes.chain(hooks) {
            for kind in HANDLERS {
                let host = handler.field(kind).field("host");
                let text = host.text_or_empty();
                if !is_allowed(text) {
                    found.values.insert(text);
                    found.container(&container, &host, "the kubelet would ask this host");
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_proposal_allows_is_named_where_the_way_out_is_told() {
        for host in LOOPBACK {
            assert!(RULE.fix.contains(host) && RULE.demands.contains(host), "{host}");
        }
    }
}
