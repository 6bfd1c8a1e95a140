//! Warnings about pod annotations that became fields: non-functional ones, and those of AppArmor and seccomp.

use super::ineffective_setting::warn_at;
use crate::Verdict;
use alloc::collections::BTreeMap;
use ratchet_object::At;

/// Non-functional annotations and their messages.
const NON_FUNCTIONAL: [(&str, &str); 3] = [
    (
        "scheduler.alpha.kubernetes.io/critical-pod",
        "non-functional in v1.16+; use the \"priorityClassName\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
    (
        "security.alpha.kubernetes.io/unsafe-sysctls",
        "non-functional in v1.11+; use the \"sysctls\" field instead",
    ),
];

const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const SECCOMP: &str = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
const APP_ARMOR_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";
const APP_ARMOR: &str = "deprecated since v1.30; use the \"appArmorProfile\" field instead";
const LONGEST_PROFILE: usize = 4095;

/// Warns about non-functional annotations.
pub(crate) fn warn_non_functional(pod: &At<'_>, verdict: &mut Verdict) {
    for (key, text) in NON_FUNCTIONAL {
        let at = annotations(pod).key(key);
        if at.is_set() {
            warn_at(verdict, &at, text);
        }
    }
}

/// Warns about the seccomp annotation of a pod that does not set the field.
pub(crate) fn warn_seccomp(pod: &At<'_>, verdict: &mut Verdict) {
    let at = annotations(pod).key(SECCOMP_POD);
    if at.is_set() && !profile(&pod.field("spec"), "seccompProfile").is_set() {
        warn_at(verdict, &at, SECCOMP);
    }
}

/// The annotations of a pod that are about its containers, each by the name of its container.
pub(crate) struct ContainerAnnotations<'a> {
    seccomp: BTreeMap<&'a str, At<'a>>,
    app_armor: BTreeMap<&'a str, At<'a>>,
}

impl<'a> ContainerAnnotations<'a> {
    pub(crate) fn of(pod: &At<'a>) -> Self {
        let all = annotations(pod);
        Self {
            seccomp: by_container(&all, SECCOMP_CONTAINER),
            app_armor: by_container(&all, APP_ARMOR_CONTAINER),
        }
    }

    /// Warns about the seccomp annotation of a container that does not set the field.
    pub(crate) fn warn_seccomp(&self, container: &At<'_>, verdict: &mut Verdict) {
        if !profile(container, "seccompProfile").is_set()
            && let Some(at) = self.seccomp.get(container.field("name").text_or_empty())
        {
            warn_at(verdict, at, SECCOMP);
        }
    }

    /// Warns about the AppArmor annotation of a container that does not set the field, unless the pod's field is equal.
    pub(crate) fn warn_app_armor(&self, pod: &At<'_>, container: &At<'_>, verdict: &mut Verdict) {
        if profile(container, "appArmorProfile").is_set() {
            return;
        }
        let Some(at) = self.app_armor.get(container.field("name").text_or_empty()) else { return };
        let of_pod = profile(&pod.field("spec"), "appArmorProfile");
        let is_in_pod_field = parse_app_armor(at.text_or_empty()).is_some_and(|(kind, file)| {
            of_pod.field("type").text_or_empty() == kind
                && of_pod.field("localhostProfile").text_or_empty() == file
        });
        if !is_in_pod_field {
            warn_at(verdict, at, APP_ARMOR);
        }
    }
}

/// The annotations whose keys are a prefix and the name of a container, by that name.
pub(crate) fn by_container<'a>(annotations: &At<'a>, prefix: &str) -> BTreeMap<&'a str, At<'a>> {
    annotations.entries().filter_map(|(key, at)| Some((key.strip_prefix(prefix)?, at))).collect()
}

/// Warns about AppArmor annotations of a new pod. The API converts them to fields on create, with a warning for each,
/// even if the pod is refused afterwards.
pub(crate) fn warn_app_armor(pod: &At<'_>, verdict: &mut Verdict) {
    if pod.field("spec").field("os").field("name").text_or_empty() != "windows" {
        let annotations = ContainerAnnotations::of(pod);
        for container in pod.field("spec").containers() {
            annotations.warn_app_armor(pod, &container, verdict);
        }
    }
}

/// The profile type and file of an AppArmor annotation, if it is valid.
fn parse_app_armor(annotation: &str) -> Option<(&'static str, &str)> {
    match annotation {
        "unconfined" => Some(("Unconfined", "")),
        "runtime/default" => Some(("RuntimeDefault", "")),
        _ => {
            let file = annotation.strip_prefix("localhost/")?;
            let is_fine = !file.is_empty() && file.trim() == file && file.len() <= LONGEST_PROFILE;
            is_fine.then_some(("Localhost", file))
        }
    }
}

fn profile<'a>(at: &At<'a>, name: &'static str) -> At<'a> {
    at.field("securityContext").field(name)
}

fn annotations<'a>(pod: &At<'a>) -> At<'a> {
    pod.field("metadata").field("annotations")
}
