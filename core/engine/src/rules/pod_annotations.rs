//! Annotations of a pod that became fields: those that do nothing any more, and those of AppArmor and seccomp.

use super::pod_notes::{containers, say};
use crate::Verdict;
use ratchet_object::At;

/// Annotations that do nothing any more.
const DEAD: [(&str, &str); 3] = [
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

/// Tells of the annotations that do nothing any more.
pub(crate) fn warn_dead(pod: &At<'_>, verdict: &mut Verdict) {
    for (key, text) in DEAD {
        let at = annotations(pod).key(key);
        if at.is_set() {
            say(verdict, &at, text);
        }
    }
}

/// Tells of the seccomp annotation of a pod that has no such field.
pub(crate) fn warn_seccomp(pod: &At<'_>, verdict: &mut Verdict) {
    let at = annotations(pod).key(SECCOMP_POD);
    if at.is_set() && !profile(&pod.field("spec"), "seccompProfile").is_set() {
        say(verdict, &at, SECCOMP);
    }
}

/// Tells of the seccomp annotation of a container that has no such field.
pub(crate) fn warn_seccomp_of(pod: &At<'_>, container: &At<'_>, verdict: &mut Verdict) {
    if !profile(container, "seccompProfile").is_set()
        && let Some(at) = annotation(pod, SECCOMP_CONTAINER, container)
    {
        say(verdict, &at, SECCOMP);
    }
}

/// A pod that is created has its AppArmor annotations read into fields, with a word about each,
/// even if the pod is refused afterwards.
pub(crate) fn warn_app_armor(pod: &At<'_>, verdict: &mut Verdict) {
    if pod.field("spec").field("os").field("name").text_or_empty() != "windows" {
        for container in containers(&pod.field("spec")) {
            warn_app_armor_of(pod, &container, verdict);
        }
    }
}

/// Tells of the AppArmor annotation of a container that has no such field, unless the pod's field says the same.
pub(crate) fn warn_app_armor_of(pod: &At<'_>, container: &At<'_>, verdict: &mut Verdict) {
    if profile(container, "appArmorProfile").is_set() {
        return;
    }
    let Some(at) = annotation(pod, APP_ARMOR_CONTAINER, container) else { return };
    let of_pod = profile(&pod.field("spec"), "appArmorProfile");
    let is_said = app_armor_of(at.text_or_empty()).is_some_and(|(kind, file)| {
        of_pod.field("type").text_or_empty() == kind
            && of_pod.field("localhostProfile").text_or_empty() == file
    });
    if !is_said {
        say(verdict, &at, APP_ARMOR);
    }
}

/// The type and the file that an annotation stands for, if it stands for any.
fn app_armor_of(annotation: &str) -> Option<(&'static str, &str)> {
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
