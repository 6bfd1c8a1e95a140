//! Validation of workloads: selectors, counts and the pod template of each kind.

mod batch;
mod job_policies;
mod job_status;
mod rollout;
mod stateful;
mod status;
mod stored_template;

use super::pod_parts::PodValidationOptions;
use super::{annotated_pod, pod_spec};
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::rules::{immutable, labels, metadata};
use crate::selectors::{self, Match};
use crate::{Part, Verdict, format_value};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use ratchet_object::At;
use stored_template::StoredTemplateErrors;

pub(super) use job_status::validate as validate_job_status;
pub(super) use status::validate as validate_status;

/// Fields of a spec that must not be negative.
const COUNTS: [(&str, &[&str]); 6] = [
    ("DaemonSet", &["minReadySeconds", "revisionHistoryLimit"]),
    (
        "Deployment",
        &["replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"],
    ),
    ("ReplicaSet", &["replicas", "minReadySeconds"]),
    ("ReplicationController", &["replicas", "minReadySeconds"]),
    ("StatefulSet", &["replicas", "minReadySeconds"]),
    (
        "CronJob",
        &["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"],
    ),
];

/// Kinds with a selector, the error for an empty one, and whether it is required.
const SELECTORS: [(&str, &str, bool); 4] = [
    ("DaemonSet", "empty selector is invalid for daemonset", false),
    ("Deployment", "empty selector is invalid for deployment", true),
    ("ReplicaSet", "empty selector is invalid for deployment", true),
    ("StatefulSet", "empty selector is invalid for statefulset", true),
];

/// Kinds whose pods must restart always, and the error for a deadline.
const ALWAYS_RESTARTING: [(&str, &str); 5] = [
    ("DaemonSet", "activeDeadlineSeconds in DaemonSet is not Supported"),
    ("Deployment", "activeDeadlineSeconds in ReplicaSet is not Supported"),
    ("ReplicaSet", "activeDeadlineSeconds in ReplicaSet is not Supported"),
    ("ReplicationController", "activeDeadlineSeconds in ReplicationController is not Supported"),
    ("StatefulSet", "activeDeadlineSeconds in StatefulSet is not Supported"),
];

pub(super) const NO_MATCH: &str = "`selector` does not match template `labels`";

/// Validates a workload.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let change = ctx.change;
    let (root, old) = (change.new_root(), change.old_root());
    let kind = change.kind.name;
    if change.part == Part::Sub("scale") && check_scale(&root.field("spec"), verdict) {
        return;
    }
    let (spec, old_spec) = (root.field("spec"), old.map(|old| old.field("spec")));
    // The API looks at the selector of a DaemonSet first, and at those of other kinds last.
    if let ("DaemonSet", Some(old_spec)) = (kind, &old_spec) {
        check_selector_immutable(&spec, old_spec, verdict);
    }
    let before = verdict.errors.len();
    check_spec(ctx, kind, &root, old.as_ref(), verdict);
    // An update of a Job runs the same validation twice and reports its errors twice.
    if let ("Job", Some(old)) = (kind, &old) {
        let again: Vec<_> = verdict.errors.iter().skip(before).cloned().collect();
        verdict.errors.extend(again);
        batch::check_immutable(&root, old, &mut FieldErrors::new(ctx, verdict));
    }
    if kind == "Job" {
        batch::check_standalone(&root, &mut FieldErrors::new(ctx, verdict));
    }
    let Some(old_spec) = old_spec else { return };
    match kind {
        "Deployment" | "ReplicaSet" => {
            check_selector_immutable(&spec, &old_spec, verdict);
        }
        "StatefulSet" => stateful::check_immutable(&spec, &old_spec, verdict),
        _ => {}
    }
}

/// Checks `replicas` of a written Scale; returns whether it was refused.
fn check_scale(spec: &At<'_>, verdict: &mut Verdict) -> bool {
    let replicas = spec.field("replicas");
    let is_negative = replicas.int().is_some_and(|count| count < 0);
    if is_negative {
        verdict.concerns_scale = true;
        let formatted = alloc::format!("{}", replicas.int().unwrap_or_default());
        let rule = &crate::rules::values::RULE;
        let detail = "must be greater than or equal to 0";
        let error = crate::FieldError::new(rule, crate::Cause::Invalid, &replicas, detail);
        verdict.add_error(error.with_value(formatted));
    }
    is_negative
}

fn check_selector_immutable(spec: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let selector = spec.field("selector");
    if !selector.equals(&old.field("selector")) {
        immutable::changed(&selector, format_value::selector(&selector), verdict);
    }
}

fn check_spec(
    ctx: &ValidationContext<'_>,
    kind: &str,
    root: &At<'_>,
    old: Option<&At<'_>>,
    verdict: &mut Verdict,
) {
    let path = ctx.change.kind.pod.map_or(&[][..], |place| place.0);
    let template = root.descend(path);
    let old_template = old.map(|old| old.descend(path));
    let spec = root.field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    for (_, names) in COUNTS.iter().filter(|row| row.0 == kind) {
        names.iter().for_each(|name| errs.not_negative(&spec.field(name)));
    }
    match kind {
        "Deployment" => rollout::check_deployment(&spec, &mut errs),
        "DaemonSet" => rollout::check_daemon_set(&spec, &mut errs),
        "StatefulSet" => stateful::check(&spec, old.is_some(), &mut errs),
        "Job" => {
            batch::check_job(&spec, &mut errs);
            batch::check_selector(root, &mut errs);
        }
        "CronJob" => batch::check_cron_job(root, old, &mut errs),
        _ => {}
    }
    let is_selector_valid = check_selector(kind, &spec, &template, &mut errs);
    if kind == "ReplicationController" && !template.is_set() {
        return errs.required(&template, "");
    }
    // With a malformed selector, these kinds do not validate their template.
    if !is_selector_valid && matches!(kind, "Deployment" | "ReplicaSet") {
        return;
    }
    check_template(ctx, kind, &template, old_template.as_ref(), verdict);
}

/// Checks that a selector is present, well-formed, and matches the labels of the template; returns whether it is
/// well-formed.
fn check_selector(
    kind: &str,
    spec: &At<'_>,
    template: &At<'_>,
    errs: &mut FieldErrors<'_, '_>,
) -> bool {
    let (selector, labels) = (spec.field("selector"), template.field("metadata").field("labels"));
    if kind == "ReplicationController" {
        check_plain_selector(&selector, template, errs);
        return true;
    }
    let Some((_, empty_detail, is_required)) = SELECTORS.iter().find(|row| row.0 == kind) else {
        return true;
    };
    if selector.is_set() {
        selectors::check(&selector, errs);
        if selectors::requirement_count(&selector) == 0 {
            errs.invalid_as(&selector, format_value::selector(&selector), *empty_detail);
        }
    } else if *is_required {
        errs.required(&selector, "");
    }
    let result = selectors::matches(&selector, &labels);
    match result {
        Match::Yes => {}
        Match::No => errs.invalid_as(&labels, format_labels(&labels), NO_MATCH),
        Match::Malformed if *is_required => {
            let detail = if kind == "StatefulSet" { "" } else { "invalid label selector" };
            errs.invalid_as(&selector, format_value::selector(&selector), detail);
        }
        Match::Malformed => {}
    }
    result != Match::Malformed
}

/// Checks the selector of a ReplicationController, a plain map of labels that defaults to those of the template.
fn check_plain_selector(selector: &At<'_>, template: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let labels = template.field("metadata").field("labels");
    if selector.entries().len() == 0 {
        if labels.entries().len() == 0 {
            errs.required(selector, "");
        }
        return;
    }
    let texts: BTreeMap<&str, Option<&str>> =
        labels.entries().map(|(name, label)| (name, label.text())).collect();
    let is_label = |(key, at): (&str, At<'_>)| texts.get(key) == Some(&at.text());
    if template.is_set() && !selector.entries().all(is_label) {
        errs.invalid_as(&labels, format_labels(&labels), NO_MATCH);
    }
}

/// Labels as the server formats a map; one that is not written is `null`.
pub(super) fn format_labels(labels: &At<'_>) -> alloc::string::String {
    format_value::tree(labels.node())
}

fn check_template(
    ctx: &ValidationContext<'_>,
    kind: &str,
    template: &At<'_>,
    old: Option<&At<'_>>,
    verdict: &mut Verdict,
) {
    let spec = template.field("spec");
    let claims = stateful::claims(ctx, kind);
    let options = PodValidationOptions { is_pod: false, claims: &claims, stored: None };
    // The release does not validate the template of a StatefulSet whose stored one is invalid.
    let stored = match old.filter(|_| kind == "StatefulSet") {
        Some(old) => StoredTemplateErrors::of(ctx, old, options),
        None => StoredTemplateErrors::default(),
    };
    let skips = stored.skips_validation;
    // The API omits `metadata` from the path of a template's labels.
    let labels_path = template.path().field("labels");
    let annotations_path = template.path().field("annotations");
    let times = if kind == "StatefulSet" && !skips { 2 } else { 1 };
    for _ in 0..times {
        let metadata = template.field("metadata");
        labels::check_map(&metadata.field("labels").with_path(labels_path), verdict);
        let annotations = metadata.field("annotations").with_path(annotations_path);
        metadata::check_annotations(&annotations, verdict);
        let stored = old.map(|old| old.field("metadata").field("annotations"));
        let mut errs = FieldErrors::new(ctx, verdict);
        annotated_pod::check(&annotations, &spec, stored.as_ref(), &mut errs);
    }
    if !skips {
        let before = verdict.errors.len();
        pod_spec::validate(ctx, template, old, options, verdict);
        stored.exempt(verdict, before);
        let mut errs = FieldErrors::new(ctx, verdict);
        let ephemeral = spec.field("ephemeralContainers");
        if !ephemeral.is_empty() {
            errs.forbidden(&ephemeral, "ephemeral containers not allowed in pod template");
        }
    }
    let mut errs = FieldErrors::new(ctx, verdict);
    let restarts = spec.field("restartPolicy");
    if let Some((_, detail)) = ALWAYS_RESTARTING.iter().find(|row| row.0 == kind) {
        errs.one_of(&restarts, &["Always"]);
        let deadline = spec.field("activeDeadlineSeconds");
        if deadline.is_set() {
            errs.forbidden(&deadline, *detail);
        }
    }
    if matches!(kind, "Job" | "CronJob") {
        batch::check_restarts(&restarts, errs.ctx.change, &mut errs);
    }
}
