//! `securityContext.appArmorProfile.type` of the pod and of every container, where a profile is set,
//! must be `RuntimeDefault` or `Localhost`; annotations `container.apparmor.security.beta.kubernetes.io/*`
//! must be empty, `runtime/default` or begin with `localhost/`.

use super::violations::{ViolationBuilder, plural, quoted};
use crate::pod_security::check::{Check, Variant, Violation};
use crate::pod_security::level::Level;
use crate::pod_security::pod::{APP_ARMOR_ANNOTATION, PodView};
use crate::rule::{Origin, Ratchet, Rule};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Quoted;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-PSA-003",
    fields: &[
        "spec.securityContext.appArmorProfile.type",
        "each container's securityContext.appArmorProfile.type",
        "metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]",
    ],
    title: "AppArmor profiles",
    origin: Origin::PodSecurity,
    demands: "A pod keeps the default AppArmor profile or names one that is installed on the \
              node; it does not switch AppArmor off.",
    why: "The default profile keeps a container from mounting, tracing and writing where only \
          the host should. `Unconfined` removes that wall.",
    fix: "Remove the profile, or set `type: RuntimeDefault`, or `type: Localhost` with the name \
          of a profile. Replace the deprecated annotation by the field.",
    ratchet: Ratchet::SignificantChange,
    versions: "Pod Security v1.0 and later.",
};

pub(super) static CHECK: Check = Check {
    rule: &RULE,
    id: "appArmorProfile",
    level: Level::Baseline,
    variants: &[Variant::since(0, |pod, _| check(pod))],
};

fn check(pod: &PodView<'_>) -> Option<Violation> {
    let mut found = ViolationBuilder::new(&RULE);
    let whole = pod.security().field("appArmorProfile");
    let kind = whole.field("type");
    if whole.is_set() && !is_allowed(kind.text_or_empty()) {
        found.values.insert(kind.text_or_empty());
        found.pod(&kind, LABEL);
    }
    let on_containers = pod.annotations_with(APP_ARMOR_ANNOTATION);
    for container in pod.containers() {
        let profile = pod.app_armor(&container, &on_containers);
        if let Some((kind, at)) = profile.filter(|(kind, _)| !is_allowed(kind)) {
            found.values.insert(kind);
            found.container(&container, &at, LABEL);
        }
    }
    let mut annotations = BTreeSet::new();
    for (key, at) in pod.annotations().entries() {
        let value = at.text_or_empty();
        if key.starts_with(APP_ARMOR_ANNOTATION) && !is_allowed_annotation(value) {
            annotations.insert(format!("{key}={}", Quoted(value)));
            found.label(&at, LABEL);
        }
    }
    let count = found.values.len() + annotations.len();
    let reason = plural(count, "forbidden AppArmor profile", "forbidden AppArmor profiles");
    found.violation(reason, |found| {
        let annotated = match annotations.len() {
            0 => None,
            1 => Some("annotation".to_string()),
            _ => Some("annotations".to_string()),
        };
        let set = found.by_pod || !found.names.is_empty();
        let setters: Vec<String> =
            set.then(|| found.setters()).into_iter().chain(annotated).collect();
        let values: Vec<&str> =
            found.values.iter().copied().chain(annotations.iter().map(String::as_str)).collect();
        let (setters, values) = (setters.join(" and "), quoted(&values));
        format!("{setters} must not set AppArmor profile type to {values}")
    })
}

const LABEL: &str = "leaves the container without an AppArmor profile";

fn is_allowed(kind: &str) -> bool {
    matches!(kind, "RuntimeDefault" | "Localhost")
}

fn is_allowed_annotation(value: &str) -> bool {
    value.is_empty() || value == "runtime/default" || value.starts_with("localhost/")
}
