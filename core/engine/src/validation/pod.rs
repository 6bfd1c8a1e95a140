//! Validation of Pods: spec, allowed changes of the spec, and warnings on create.

use super::pod_parts::{self, PodValidationOptions};
use super::{annotated_pod, pod_spec};
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::rules::{immutable, names, placement, pod_annotations};
use crate::{Part, Verdict};
use alloc::collections::BTreeSet;
use alloc::format;
use ratchet_object::At;

const POD: PodValidationOptions<'static> =
    PodValidationOptions { is_pod: true, claims: &[], stored: None };

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let (root, old) = (ctx.change.new_root(), ctx.change.old_root());
    if ctx.change.is_create() {
        pod_annotations::warn_app_armor(&root, verdict);
    }
    let annotations = ["metadata", "annotations"];
    let (own, stored) = (root.descend(&annotations), old.map(|old| old.descend(&annotations)));
    let mut errs = FieldErrors::new(ctx, verdict);
    annotated_pod::check(&own, &root.field("spec"), stored.as_ref(), &mut errs);
    pod_spec::validate(ctx, &root, old.as_ref(), POD, verdict);
    let Some(old) = old else {
        let spec = root.field("spec");
        if !ctx.config.plugins.service_account {
            check_tokens(&spec, verdict);
        }
        check_new(&spec, verdict);
        return annotated_pod::check_profiles(&own, &root, &mut FieldErrors::new(ctx, verdict));
    };
    if let (Part::Main, Some(stored)) = (ctx.change.part, &stored) {
        let mut errs = FieldErrors::new(ctx, verdict);
        annotated_pod::check_changes(&own, stored, &mut errs);
        // The API validates them once more.
        annotated_pod::check(&own, &root.field("spec"), Some(stored), &mut errs);
    }
    let (spec, old) = (root.field("spec"), old.field("spec"));
    match ctx.change.part {
        Part::Main => check_changes(&spec, &old, &mut FieldErrors::new(ctx, verdict)),
        Part::Sub("ephemeralcontainers") => immutable::check_ephemeral(&spec, &old, verdict),
        Part::Sub(_) => {}
    }
}

/// Checks that a pod with a token has an account; where the plugin is on, every pod has one by then.
fn check_tokens(spec: &At<'_>, verdict: &mut Verdict) {
    if !spec.field("serviceAccountName").text_or_empty().is_empty() {
        return;
    }
    for volume in spec.field("volumes").items() {
        for source in volume.field("projected").field("sources").items() {
            let token = source.field("serviceAccountToken");
            if token.is_set() {
                let detail = "must not be specified when serviceAccountName is not set";
                placement::forbidden(&token, detail, verdict);
            }
        }
    }
}

fn check_new(spec: &At<'_>, verdict: &mut Verdict) {
    let ephemeral = spec.field("ephemeralContainers");
    if !ephemeral.is_empty() {
        placement::forbidden(&ephemeral, "cannot be set on create", verdict);
    }
    let node = spec.field("nodeName");
    if !node.text_or_empty().is_empty() && !spec.field("schedulingGates").is_empty() {
        let detail = "cannot be set until all schedulingGates have been cleared";
        placement::forbidden(&node, detail, verdict);
    }
}

/// Checks the limits of mutable fields first, then that no other field changed.
fn check_changes(spec: &At<'_>, old: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for list in ["containers", "initContainers"] {
        let (list, before) = (spec.field(list), old.field(list));
        if list.len() != before.len() {
            let detail = "pod updates may not add or remove containers";
            return immutable::forbidden(&list, detail, errs.verdict);
        }
        for image in list.items().map(|at| at.field("image")) {
            errs.needs_text(&image);
            if image.text_or_empty().trim() != image.text_or_empty() {
                errs.invalid(&image, "must not have leading or trailing whitespace");
            }
        }
    }
    if !check_deadline(spec, old, errs) {
        return;
    }
    check_tolerations(&spec.field("tolerations"), &old.field("tolerations"), errs);
    let gates = old.field("schedulingGates");
    let gates: BTreeSet<_> = gates.items().map(|before| before.field("name").text()).collect();
    for gate in spec.field("schedulingGates").items() {
        let name = gate.field("name");
        if !gates.contains(&name.text()) {
            let text = name.text_or_empty();
            let detail =
                format!("only deletion is allowed, but found new scheduling gate '{text}'");
            errs.forbidden(&name, detail);
        }
    }
    immutable::check_pod(spec, old, errs.verdict);
}

/// Checks that the deadline was only added or shortened; returns whether the API checks any further.
fn check_deadline(spec: &At<'_>, old: &At<'_>, errs: &mut FieldErrors<'_, '_>) -> bool {
    let deadline = spec.field("activeDeadlineSeconds");
    let before = old.field("activeDeadlineSeconds").int();
    let latest = i64::from(i32::MAX);
    match (deadline.int(), before) {
        (Some(now), _) if !(0..=latest).contains(&now) => errs.between(&deadline, 0, latest),
        (Some(now), Some(before)) if before < now => {
            errs.invalid(&deadline, "must be less than or equal to previous value");
        }
        (None, Some(_)) => {
            errs.invalid(&deadline, "must not update from a positive integer to nil value");
            return true;
        }
        _ => return true,
    }
    false
}

/// Checks that tolerations were only added; existing ones may change only their `tolerationSeconds`.
fn check_tolerations(list: &At<'_>, old: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let present: BTreeSet<_> = list.items().map(toleration_parts).collect();
    if old.items().all(|before| present.contains(&toleration_parts(before))) {
        return pod_parts::check_tolerations(list, errs);
    }
    // The server adds most of them: a manifest without any means no change.
    if list.is_set() {
        errs.forbidden(
            list,
            "existing toleration can not be modified except its tolerationSeconds",
        );
    }
}

/// What may not change in a toleration; an unset part is empty.
fn toleration_parts(toleration: At<'_>) -> [Option<&str>; 4] {
    ["key", "operator", "value", "effect"].map(|name| toleration.field(name).text())
}

/// Adds warnings; the API warns about pods on create only.
pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    if ctx.change.is_create() {
        names::warn_host_name(ctx.change, verdict);
        pod_spec::warn(ctx, &ctx.change.new_root(), false, verdict);
    }
}
