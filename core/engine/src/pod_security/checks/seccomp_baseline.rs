//! Until v1.18 the annotations `seccomp.security.alpha.kubernetes.io/pod` and
//! `container.seccomp.security.alpha.kubernetes.io/<container>`, where set, must be `runtime/default`,
//! `docker/default` or begin with `localhost/`; from v1.19 on `securityContext.seccompProfile.type` of
//! the pod and of every container, where a profile is set, must be `RuntimeDefault` or `Localhost`.

use super::violations::{ViolationBuilder, plural};
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::PodView;
use crate::rule::{Origin, Ratchet, Rule};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-015",
    fields: &[
        "spec.securityContext.seccompProfile.type",
        "each container's securityContext.seccompProfile.type",
        "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod], up to v1.18",
    ],
    title: "Seccomp profiles (baseline)",
    origin: Origin::PodSecurity,
    demands: "A pod does not switch seccomp off.",
    why: "Seccomp keeps a process from system calls that it never needs. `Unconfined` opens all \
          of them, and with them every fault of the kernel behind them.",
    fix: "Remove the profile, or set `type: RuntimeDefault`.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later: annotations until v1.18, fields from v1.19 on; the \
               restricted level has its own check from v1.19 on.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "seccompProfile_baseline",
    level: Level::Baseline,
    variants: &[
        Variant::since(0, |pod, _| check_annotations(pod)),
        Variant::since(19, |pod, _| check_profiles(pod, &RULE)),
    ],
};

const ON_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const ON_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const LABEL: &str = "leaves the container without a seccomp profile";

/// Reports profiles that are set to a type other than `RuntimeDefault` and `Localhost`; the restricted level does too.
pub(super) fn check_profiles(pod: &PodView<'_>, rule: &'static Rule) -> Option<Violation> {
    let mut found = ViolationBuilder::new(rule);
    if let Some(kind) = bad_profile(pod.security()) {
        found.values.insert(kind.text_or_empty());
        found.pod(&kind, LABEL);
    }
    for container in pod.containers() {
        if let Some(kind) = bad_profile(container.security()) {
            found.values.insert(kind.text_or_empty());
            found.container(&container, &kind, LABEL);
        }
    }
    found.violation(REASON, |found| {
        let (setters, types) = (found.setters(), found.quoted_values());
        format!("{setters} must not set securityContext.seccompProfile.type to {types}")
    })
}

pub(super) const REASON: &str = "seccompProfile";

fn bad_profile(security: At<'_>) -> Option<At<'_>> {
    let profile = security.field("seccompProfile");
    let kind = profile.field("type");
    let is_bad = profile.is_set() && !matches!(kind.text(), Some("RuntimeDefault" | "Localhost"));
    is_bad.then_some(kind)
}

fn check_annotations(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let mut items = BTreeSet::new();
    let (on_pod, on_containers) =
        (pod.annotations_with(ON_POD), pod.annotations_with(ON_CONTAINER));
    let of_containers = pod.containers().map(|container| (ON_CONTAINER, container.name));
    for (prefix, name) in core::iter::once((ON_POD, "")).chain(of_containers) {
        let annotations = if prefix == ON_POD { &on_pod } else { &on_containers };
        if let Some(at) = annotations.get(name)
            && !is_allowed_annotation(at.text_or_empty())
        {
            items.insert(format!("{prefix}{name}={}", Quoted(at.text_or_empty())));
            found.label(at, LABEL);
        }
    }
    found.violation(REASON, |_| {
        let noun = plural(items.len(), "annotation", "annotations");
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        format!("forbidden {noun} {}", items.join(", "))
    })
}

fn is_allowed_annotation(value: &str) -> bool {
    matches!(value, "runtime/default" | "docker/default") || value.starts_with("localhost/")
}
