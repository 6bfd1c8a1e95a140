//! Settings of a pod that are deprecated, do nothing or hide one another are worth a word.

use crate::scene::Scene;
use crate::views::protocol;
use crate::{Origin, Ratchet, Rule, Verdict, Warning};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::At;

/// The row.
pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-006",
    fields: &[
        "Pod metadata.annotations, spec.volumes[], spec.nodeSelector, spec.affinity, spec.topologySpreadConstraints[]",
        "Pod spec.imagePullSecrets[].name, spec.hostAliases[].ip",
        "Pod spec.containers[].env[], spec.containers[].ports[]",
        "Node spec.configSource, spec.externalID",
    ],
    title: "pod setting without effect",
    origin: Origin::Api,
    demands: "Deprecated annotations and volume types are replaced; names, addresses and ports of a pod are not repeated.",
    why: "A setting that no longer works (an AppArmor or seccomp annotation, say) leaves the pod less confined than its author believes.",
    fix: "Use the field that the message names, or remove the repeated entry.",
    ratchet: Ratchet::Never,
    versions: "Warnings; the releases are in the messages.",
};

/// Annotations that do nothing any more.
const ANNOTATIONS: [(&str, &str); 3] = [
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

/// Volume types that are gone or going: the field, its name in the message, what is said, since
/// which release it is said, and until which (the last one that still says so).
const VOLUMES: [(&str, &str, &str, u8, u8); 10] = [
    (
        "photonPersistentDisk",
        "photonPersistentDisk",
        "deprecated in v1.11, non-functional in v1.16+",
        0,
        u8::MAX,
    ),
    ("gitRepo", "gitRepo", "deprecated in v1.11", 0, 32),
    ("gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+", 33, u8::MAX),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+", 0, u8::MAX),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+", 0, u8::MAX),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+", 0, u8::MAX),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+", 0, u8::MAX),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+", 0, u8::MAX),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+", 0, u8::MAX),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+", 0, u8::MAX),
];

/// Node labels that were renamed.
const NODE_LABELS: [(&str, &str); 5] = [
    ("beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"),
    (
        "beta.kubernetes.io/instance-type",
        "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
    ),
    ("beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"),
    (
        "failure-domain.beta.kubernetes.io/region",
        "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
    ),
    (
        "failure-domain.beta.kubernetes.io/zone",
        "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
    ),
];

const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APPARMOR_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Says it about the place.
fn say(verdict: &mut Verdict, at: &At<'_>, text: &str) {
    verdict.warn(Warning::new(&RULE, at, format!("{}: {text}", at.path())));
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

fn warn_app_armor_of(pod: &At<'_>, container: &At<'_>, verdict: &mut Verdict) {
    let has_field = |at: &At<'_>| at.field("securityContext").field("appArmorProfile").is_set();
    if has_field(&pod.field("spec")) || has_field(container) {
        return;
    }
    let name = container.field("name").text_or_empty();
    if let Some(at) = annotation(pod, APPARMOR_CONTAINER, name) {
        say(verdict, &at, "deprecated since v1.30; use the \"appArmorProfile\" field instead");
    }
}

fn annotation<'a>(pod: &At<'a>, prefix: &str, name: &str) -> Option<At<'a>> {
    let annotations = pod.field("metadata").field("annotations");
    annotations.entries().find(|(key, _)| key.strip_prefix(prefix) == Some(name)).map(|(_, at)| at)
}

fn containers<'a>(spec: &At<'a>) -> impl Iterator<Item = At<'a>> {
    let spec = *spec;
    CONTAINERS.into_iter().flat_map(move |list| spec.field(list).items())
}

/// Everything the API tells about a pod or a pod template, in its order; the addresses come after.
pub(crate) fn warn(scene: &Scene<'_>, pod: &At<'_>, is_template: bool, verdict: &mut Verdict) {
    let spec = pod.field("spec");
    warn_node_labels(&spec, verdict);
    warn_spreading(&spec, verdict);
    let annotations = pod.field("metadata").field("annotations");
    for (key, text) in ANNOTATIONS {
        let at = annotations.key(key);
        if at.is_set() {
            say(verdict, &at, text);
        }
    }
    let minor = scene.policy.release.minor();
    for volume in spec.field("volumes").items() {
        for (field, shown, text, since, until) in VOLUMES {
            let at = volume.field(field);
            if at.is_set() && (since..=until).contains(&minor) {
                say(verdict, &at.named(volume.path().field(shown)), text);
            }
        }
    }
    warn_repeated(&spec.field("hostAliases"), "ip", "ip", verdict);
    let secrets = spec.field("imagePullSecrets");
    warn_repeated(&secrets, "name", "name", verdict);
    for secret in secrets.items().map(|secret| secret.field("name")) {
        if secret.text_or_empty().is_empty() {
            say(verdict, &secret, "invalid empty name \"\"");
        }
    }
    if !spec.field("securityContext").field("seccompProfile").is_set()
        && annotations.key(SECCOMP_POD).is_set()
    {
        say(
            verdict,
            &annotations.key(SECCOMP_POD),
            "non-functional in v1.27+; use the \"seccompProfile\" field instead",
        );
    }
    for container in containers(&spec) {
        let name = container.field("name").text_or_empty();
        if !container.field("securityContext").field("seccompProfile").is_set()
            && let Some(at) = annotation(pod, SECCOMP_CONTAINER, name)
        {
            say(verdict, &at, "non-functional in v1.27+; use the \"seccompProfile\" field instead");
        }
        if is_template {
            warn_app_armor_of(pod, &container, verdict);
        }
        warn_hidden_variables(&container.field("env"), verdict);
    }
    warn_ports(&spec, verdict);
    let grace = spec.field("terminationGracePeriodSeconds");
    if grace.int().is_some_and(|seconds| seconds < 0) {
        say(verdict, &grace, "must be >= 0; negative values are invalid and will be treated as 1");
    }
}

fn warn_node_labels(spec: &At<'_>, verdict: &mut Verdict) {
    let selector = spec.field("nodeSelector");
    for (label, text) in NODE_LABELS {
        let at = selector.key(label);
        if at.is_set() {
            say(verdict, &at, text);
        }
    }
    let affinity = spec.field("affinity").field("nodeAffinity");
    let required =
        affinity.field("requiredDuringSchedulingIgnoredDuringExecution").field("nodeSelectorTerms");
    let preferred = affinity.field("preferredDuringSchedulingIgnoredDuringExecution");
    let terms = required.items().chain(preferred.items().map(|term| term.field("preference")));
    for expression in terms.flat_map(|term| term.field("matchExpressions").items()) {
        let key = expression.field("key");
        let row = NODE_LABELS.iter().find(|(label, _)| *label == key.text_or_empty());
        if let Some((label, text)) = row {
            say(verdict, &key, &format!("{label} is {text}"));
        }
    }
}

fn warn_spreading(spec: &At<'_>, verdict: &mut Verdict) {
    for constraint in spec.field("topologySpreadConstraints").items() {
        let key = constraint.field("topologyKey");
        let row = NODE_LABELS.iter().find(|(label, _)| *label == key.text_or_empty());
        if let Some((label, text)) = row {
            say(verdict, &key, &format!("{label} is {text}"));
        }
        let selector = constraint.field("labelSelector");
        if !selector.is_set() {
            say(verdict, &selector, "a null labelSelector results in matching no pod");
        }
    }
}

fn warn_repeated<'a>(list: &At<'a>, field: &'a str, word: &str, verdict: &mut Verdict) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for at in list.items().map(|item| item.field(field)) {
        let text = at.text_or_empty();
        if !seen.insert(text) {
            say(verdict, &at, &format!("duplicate {word} {}", Quoted(text)));
        }
    }
}

/// A variable that is set twice hides the first value, unless the second one is built from it.
fn warn_hidden_variables(env: &At<'_>, verdict: &mut Verdict) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for item in env.items() {
        let name = item.field("name").text_or_empty();
        if seen.insert(name) {
            continue;
        }
        let value = item.field("value").text_or_empty();
        let reference = format!("$({name})");
        if item.field("valueFrom").is_set() || value == reference || !value.contains(&reference) {
            let text = format!(
                "hides previous definition of {}, which may be dropped when using apply",
                Quoted(name)
            );
            say(verdict, &item, &text);
        }
    }
}

/// A port as it was met before.
struct Met<'a> {
    host_port: i64,
    host_ip: &'a str,
    at: At<'a>,
}

/// The same port of the same protocol twice in one pod.
fn warn_ports(spec: &At<'_>, verdict: &mut Verdict) {
    let mut seen: BTreeMap<(i64, &str), Vec<Met<'_>>> = BTreeMap::new();
    for at in containers(spec).flat_map(|container| container.field("ports").items()) {
        // Each pair is told, so that a few thousand ports are millions of words; enough is enough.
        if verdict.unlisted > 0 {
            return;
        }
        let protocol = protocol(&at);
        let number = at.field("containerPort").int().unwrap_or(0);
        let host_port = at.field("hostPort").int().unwrap_or(0);
        let host_ip = at.field("hostIP").text_or_empty();
        let others = seen.entry((number, protocol)).or_default();
        for other in &*others {
            if host_port == other.host_port && host_ip == other.host_ip {
                say(verdict, &at, &format!("duplicate port definition with {}", other.at.path()));
            } else if host_port == 0 || other.host_port == 0 {
                say(verdict, &at, &format!("overlapping port definition with {}", other.at.path()));
            }
        }
        others.push(Met { host_port, host_ip, at });
    }
}
