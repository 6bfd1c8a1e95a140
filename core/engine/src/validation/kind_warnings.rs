//! Warnings about deprecated annotations, labels and settings of the smaller kinds, one function per kind.

use crate::context::ValidationContext;
use crate::rules::ineffective_setting::{warn_at, warn_text};
use crate::rules::{byte_amounts, node_labels};
use crate::{Verdict, field_errors};
use alloc::format;
use ratchet_object::{At, Quantity};

/// Annotations that became fields: the kind, the annotation, and the message.
const ANNOTATIONS: [(&str, &str, &str); 3] = [
    ("PersistentVolume", STORAGE_CLASS, STORAGE_CLASS_FIELD),
    (
        "PersistentVolume",
        "volume.beta.kubernetes.io/mount-options",
        "deprecated since v1.31; use \"mountOptions\" attribute instead",
    ),
    ("PersistentVolumeClaim", STORAGE_CLASS, STORAGE_CLASS_FIELD),
];
const STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
const STORAGE_CLASS_FIELD: &str =
    "deprecated since v1.8; use \"storageClassName\" attribute instead";

/// Removed volume types: the field, its name in the path, and the message.
const VOLUMES: [(&str, &str, &str); 6] = [
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    (
        "photonPersistentDisk",
        "photonPersistentDisk",
        "deprecated in v1.11, non-functional in v1.16+",
    ),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

const RECYCLE: &str = "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";
const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";
const TOKENS_IN_SECRETS: &str = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

/// Resources that a quota counts as requests and as limits, and the short name of the requests, if any.
const REQUESTS_AND_LIMITS: [(&str, &str, Option<&str>); 4] = [
    ("requests.cpu", "limits.cpu", Some("cpu")),
    ("requests.memory", "limits.memory", Some("memory")),
    ("requests.storage", "limits.storage", None),
    ("requests.ephemeral-storage", "limits.ephemeral-storage", None),
];

fn warn_annotations(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let kind = ctx.change.kind.name;
    for (_, key, text) in ANNOTATIONS.iter().filter(|row| row.0 == kind) {
        let at = annotation(&ctx.change.new_root(), key);
        if at.is_set() {
            warn_at(verdict, &at, text);
        }
    }
}

fn annotation<'a>(root: &At<'a>, key: &'a str) -> At<'a> {
    root.field("metadata").field("annotations").key(key)
}

pub(super) fn persistent_volume(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    warn_annotations(ctx, verdict);
    let spec = ctx.change.new_root().field("spec");
    let policy = spec.field("persistentVolumeReclaimPolicy");
    if policy.text_or_empty() == "Recycle" {
        warn_at(verdict, &policy, RECYCLE);
    }
    let terms = spec.descend(&["nodeAffinity", "required", "nodeSelectorTerms"]);
    terms.items().for_each(|term| node_labels::warn_term(&term, false, verdict));
    for (field, name, text) in VOLUMES {
        let at = spec.field(field);
        if at.is_set() {
            warn_at(verdict, &at.with_path(spec.path().field(name)), text);
        }
    }
}

pub(super) fn claim(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    warn_annotations(ctx, verdict);
    byte_amounts::warn_claim(&ctx.change.new_root().field("spec"), verdict);
}

pub(super) fn storage_class(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    for topology in ctx.change.new_root().field("allowedTopologies").items() {
        for expression in topology.field("matchLabelExpressions").items() {
            node_labels::warn_bare_key(&expression.field("key"), verdict);
        }
    }
}

pub(super) fn storage_capacity(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    node_labels::warn_selector(&ctx.change.new_root().field("nodeTopology"), verdict);
}

pub(super) fn runtime_class(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let selector = ctx.change.new_root().field("scheduling").field("nodeSelector");
    for (at, message) in node_labels::of_map(&selector) {
        // The API reports the path of the map, not of the label.
        warn_at(verdict, &at.with_path(*selector.path()), message);
    }
}

pub(super) fn ingress(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let at = annotation(&root, INGRESS_CLASS);
    let has_field = root.field("spec").field("ingressClassName").is_set();
    if ctx.change.is_create() && at.is_set() && !has_field {
        let text = format!(
            "annotation \"{INGRESS_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"
        );
        warn_text(verdict, &at, text);
    }
}

pub(super) fn service_account(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let at = annotation(&ctx.change.new_root(), MOUNTABLE_SECRETS);
    let is_stored =
        ctx.change.old_root().is_some_and(|old| annotation(&old, MOUNTABLE_SECRETS).is_set());
    if ctx.config.release.since(32) && at.is_set() && !is_stored {
        let text =
            "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
        warn_at(verdict, &at, text);
    }
}

pub(super) fn quota(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let hard = ctx.change.new_root().field("spec").field("hard");
    if !ctx.change.is_create() {
        return;
    }
    for (requests, limits, bare) in REQUESTS_AND_LIMITS {
        let named = Some(requests).into_iter().chain(bare).find(|name| hard.key(name).is_set());
        let Some(requests) = named else { continue };
        let amounts = (Quantity::at(&hard.key(requests)), Quantity::at(&hard.key(limits)));
        if let (Some(request), Some(limit)) = amounts
            && request.exceeds(limit)
        {
            let text = format!(
                "ResourceQuota {requests} ({request}) should be less than {limits} ({limit})"
            );
            warn_text(verdict, &hard.key(requests), text);
        }
    }
}

pub(super) fn storage_driver(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let requests = spec.field("tokenRequests");
    let before = ctx.change.old_root().map(|old| old.field("spec").field("tokenRequests"));
    let is_new = before.is_none_or(|before| !before.equals(&requests));
    let is_due = ctx.config.emulated.since(35) && is_new && !requests.is_empty();
    if is_due && !spec.field("serviceAccountTokenInSecrets").is_set() {
        warn_text(verdict, &requests, TOKENS_IN_SECRETS);
    }
}

pub(super) fn resource_slice(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let driver = ctx.change.new_root().field("spec").field("driver");
    let text = driver.text_or_empty();
    if text.chars().any(char::is_uppercase) {
        let formatted = field_errors::quoted(text);
        let text =
            format!("driver names should be lowercase; {formatted} contains uppercase characters");
        warn_at(verdict, &driver, &text);
    }
}
