//! Warnings about deprecated, ineffective or repeated settings of pods and pod templates, in the API's order.

use super::ineffective_setting::warn_at;
use super::pod_annotations::ContainerAnnotations;
use super::{byte_amounts, container_ports, node_labels, pod_annotations, volume_paths};
use crate::Verdict;
use crate::context::ValidationContext;
use alloc::collections::BTreeSet;
use alloc::format;
use ratchet_net::Quoted;
use ratchet_object::At;

/// Deprecated volume types: the field, its name in the path, the message, and the first and the last release with it.
/// A type without a message has a claim, whose amounts are checked.
const VOLUMES: [(&str, &str, &str, u8, u8); 11] = [
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
    ("ephemeral", "ephemeral", "", 0, u8::MAX),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+", 0, u8::MAX),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+", 0, u8::MAX),
];

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Adds all warnings about a pod or a pod template, in the API's order; those about addresses come after.
pub(crate) fn warn(
    ctx: &ValidationContext<'_>,
    pod: &At<'_>,
    is_template: bool,
    verdict: &mut Verdict,
) {
    let spec = pod.field("spec");
    warn_node_labels(&spec, verdict);
    warn_spreading(&spec, verdict);
    pod_annotations::warn_non_functional(pod, verdict);
    let volumes = spec.field("volumes");
    volumes.items().for_each(|volume| warn_volume(ctx, &volume, verdict));
    volume_paths::warn(&volumes, verdict);
    warn_repeated(&spec.field("hostAliases"), "ip", "ip", verdict);
    let secrets = spec.field("imagePullSecrets");
    warn_repeated(&secrets, "name", "name", verdict);
    for secret in secrets.items().map(|secret| secret.field("name")) {
        if secret.text_or_empty().is_empty() {
            warn_at(verdict, &secret, "invalid empty name \"\"");
        }
    }
    for resource in ["memory", "ephemeral-storage"] {
        byte_amounts::warn(&spec.field("overhead").key(resource), verdict);
    }
    pod_annotations::warn_seccomp(pod, verdict);
    let annotations = ContainerAnnotations::of(pod);
    for container in spec.containers() {
        annotations.warn_seccomp(&container, verdict);
        if is_template {
            annotations.warn_app_armor(pod, &container, verdict);
        }
        byte_amounts::warn_container(&container, verdict);
        warn_hidden_variables(&container.field("env"), verdict);
    }
    container_ports::warn(&spec, !is_template, verdict);
    let grace = spec.field("terminationGracePeriodSeconds");
    if grace.int().is_some_and(|seconds| seconds < 0) {
        warn_at(
            verdict,
            &grace,
            "must be >= 0; negative values are invalid and will be treated as 1",
        );
    }
    warn_affinity(&spec.field("affinity"), verdict);
}

fn warn_volume(ctx: &ValidationContext<'_>, volume: &At<'_>, verdict: &mut Verdict) {
    let minor = ctx.config.release.minor();
    for (field, name, text, since, until) in VOLUMES {
        let at = volume.field(field);
        if !at.is_set() || !(since..=until).contains(&minor) {
            continue;
        }
        match text {
            "" => byte_amounts::warn_claim(&at.field("volumeClaimTemplate").field("spec"), verdict),
            text => warn_at(verdict, &at.with_path(volume.path().field(name)), text),
        }
    }
}

fn warn_node_labels(spec: &At<'_>, verdict: &mut Verdict) {
    for (at, message) in node_labels::of_map(&spec.field("nodeSelector")) {
        warn_at(verdict, &at, message);
    }
    let affinity = spec.field("affinity").field("nodeAffinity");
    let required = affinity.field(REQUIRED).field("nodeSelectorTerms");
    required.items().for_each(|term| node_labels::warn_term(&term, false, verdict));
    for term in affinity.field(PREFERRED).items() {
        node_labels::warn_term(&term.field("preference"), true, verdict);
    }
}

fn warn_spreading(spec: &At<'_>, verdict: &mut Verdict) {
    for constraint in spec.field("topologySpreadConstraints").items() {
        node_labels::warn_key(&constraint.field("topologyKey"), verdict);
        warn_no_selector(&constraint, verdict);
    }
}

fn warn_affinity(affinity: &At<'_>, verdict: &mut Verdict) {
    for field in ["podAffinity", "podAntiAffinity"].map(|name| affinity.field(name)) {
        field.field(REQUIRED).items().for_each(|term| warn_no_selector(&term, verdict));
        for term in field.field(PREFERRED).items() {
            warn_no_selector(&term.field("podAffinityTerm"), verdict);
        }
    }
}

fn warn_no_selector(term: &At<'_>, verdict: &mut Verdict) {
    let selector = term.field("labelSelector");
    if !selector.is_set() {
        warn_at(verdict, &selector, "a null labelSelector results in matching no pod");
    }
}

fn warn_repeated<'a>(list: &At<'a>, field: &'a str, label: &str, verdict: &mut Verdict) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for at in list.items().map(|item| item.field(field)) {
        let text = at.text_or_empty();
        if !seen.insert(text) {
            warn_at(verdict, &at, &format!("duplicate {label} {}", Quoted(text)));
        }
    }
}

/// Warns about a variable that is set twice, which hides the first value, unless the second one refers to it.
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
            warn_at(verdict, &item, &text);
        }
    }
}
