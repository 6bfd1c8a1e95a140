//! Warnings about pod annotations that became fields: non-functional ones, and those of AppArmor and seccomp.

use super::ineffective_setting::warn_at;
use crate::Verdict;
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

/// Warns about the seccomp annotation of a container that does not set the field.
pub(crate) fn warn_container_seccomp(pod: &At<'_>, container: &At<'_>, verdict: &mut Verdict) {
    if !profile(container, "seccompProfile").is_set()
        && let Some(at) = annotation(pod, SECCOMP_CONTAINER, container)
    {
        warn_at(verdict, &at, SECCOMP);
    }
}

/// Warns about AppArmor annotations of a new pod. The API converts them to fields on create, with a warning for each,
/// even if the pod is refused afterwards.
pub(crate) fn warn_app_armor(pod: &At<'_>, verdict: &mut Verdict) {
    if pod.field("spec").field("os").field("name").text_or_empty() != "windows" {
        for container in pod.field("spec").containers() {
            warn_container_app_armor(pod, &container, verdict);
        }
    }
}

/// Warns about the AppArmor annotation of a container that does not set the field, unless the pod's field is equal.
pub(crate) fn warn_container_app_armor(pod: &At<'_>, container: &At<'_>, verdict: &mut Verdict) {
    if profile(container, "appArmorProfile").is_set() {
        return;
    }
    let Some(at) = annotation(pod, APP_ARMOR_CONTAINER, container) else { return };
    let of_pod = profile(&pod.field("spec"), "appArmorProfile");
    let is_in_pod_field = parse_app_armor(at.text_or_empty()).is_some_and(|(kind, file)| {
        of_pod.field("type").text_or_empty() == kind
            && of_pod.field("localhostProfile").text_or_empty() == file
    });
    if !is_in_pod_field {
        warn_at(verdict, &at, APP_ARMOR);
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

fn annotation<'a>(pod: &At<'a>, prefix: &str, container: &At<'_>) -> Option<At<'a>> {
    let name = container.field("name").text_or_empty();
    let mut all = annotations(pod).entries();
    all.find(|(key, _)| key.strip_prefix(prefix) == Some(name)).map(|(_, at)| at)
}
