//! `securityContext.capabilities` of every container must drop `ALL` and may add only
//! `NET_BIND_SERVICE`; from v1.25 on not in pods whose `spec.os.name` is `windows`.

use super::violations::ViolationBuilder;
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::format;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-005",
    fields: &["each container's securityContext.capabilities.{add,drop}[]"],
    title: "Capabilities (restricted)",
    origin: Origin::PodSecurity,
    demands: "Every container drops `ALL` capabilities and adds none but `NET_BIND_SERVICE`.",
    why: "Even the default capabilities let a process that broke out of its program change \
          owners, send raw packets or kill others. Few programs need any of them.",
    fix: "Set `securityContext.capabilities: {drop: [ALL]}` in every container, and remove what \
          it adds.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.22 and later; Windows pods are spared from v1.25 on.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "capabilities_restricted",
    level: Level::Restricted,
    variants: &[
        Variant::since(22, |pod, _| check(pod)).overriding(&["capabilities_baseline"]),
        Variant::since(25, |pod, _| if pod.is_windows() { None } else { check(pod) })
            .overriding(&["capabilities_baseline"]),
    ],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut not_dropping = ViolationBuilder::new(&RULE);
    let mut adding = ViolationBuilder::new(&RULE);
    for container in pod.containers() {
        let capabilities = container.security().field("capabilities");
        let drop = capabilities.field("drop");
        if drop.items().all(|capability| capability.text() != Some("ALL")) {
            not_dropping.container(&container, &drop, "must contain ALL");
        }
        for capability in capabilities.field("add").items() {
            let name = capability.text_or_empty();
            if name != "NET_BIND_SERVICE" {
                adding.values.insert(name);
                adding.container(&container, &capability, "only NET_BIND_SERVICE may be added");
            }
        }
    }
    let not_dropping = not_dropping.violation(REASON, |found| {
        format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", found.containers())
    });
    let adding = adding.violation(REASON, |found| {
        let (containers, names) = (found.containers(), found.quoted_values());
        format!("{containers} must not include {names} in securityContext.capabilities.add")
    });
    match (not_dropping, adding) {
        (Some(mut both), Some(adding)) => {
            both.detail = format!("{}; {}", both.detail, adding.detail);
            both.labels.extend(adding.labels);
            Some(both)
        }
        (not_dropping, adding) => not_dropping.or(adding),
    }
}

const REASON: &str = "unrestricted capabilities";
