//! Jobs, alone and in the template of a CronJob, and when a CronJob starts them.

use super::{NO_MATCH, shown_labels};
use crate::forms::{self, Form};
use crate::pen::{Pen, node_shown};
use crate::rules::immutable;
use crate::selectors::{self, Match};
use crate::{Change, cron, internal, shown};
use alloc::format;
use ratchet_object::At;

const COUNTS: [&str; 7] = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
];
const INDEXED: &str = "requires indexed completion mode";
const MOST_AT_ONCE: i64 = 100_000;
const LONGEST_CRON_NAME: usize = 52;

/// What of a Job never changes, beside its template.
const FIXED: [&str; 4] = ["podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"];

pub(super) fn check_job(spec: &At<'_>, pen: &mut Pen<'_, '_>) {
    for name in COUNTS {
        pen.not_negative(&spec.field(name));
    }
    let [completions, parallelism, failed, backoff] =
        ["completions", "parallelism", "maxFailedIndexes", "backoffLimitPerIndex"]
            .map(|name| spec.field(name));
    if failed.is_set() && !backoff.is_set() {
        pen.required(&backoff, "when maxFailedIndexes is specified");
    }
    let mode = spec.field("completionMode");
    pen.one_of(&mode, &["NonIndexed", "Indexed"]);
    match mode.text_or_empty() {
        "Indexed" => {
            if !completions.is_set() {
                pen.required(&completions, "when completion mode is Indexed");
            }
            if parallelism.int().is_some_and(|count| count > MOST_AT_ONCE) {
                let detail = "must be less than or equal to 100000 when completion mode is Indexed";
                pen.invalid(&parallelism, detail);
            }
            if let (Some(failed_count), Some(all)) = (failed.int(), completions.int())
                && failed_count > all
            {
                pen.invalid(&failed, "must be less than or equal to completions");
            }
            if failed.int().is_some_and(|count| count > MOST_AT_ONCE) {
                pen.invalid(&failed, "must be less than or equal to 100000");
            }
        }
        "" | "NonIndexed" => {
            for at in [&backoff, &failed] {
                if at.is_set() {
                    pen.invalid(at, INDEXED);
                }
            }
        }
        _ => {}
    }
    pen.one_of(&spec.field("podReplacementPolicy"), &["Failed", "TerminatingOrFailed"]);
}

/// What only a Job of its own has: a name for its pods, and a selector that was made for it.
pub(super) fn check_own(root: &At<'_>, pen: &mut Pen<'_, '_>) {
    check_name(root, pen);
    let spec = root.field("spec");
    if spec.field("selector").is_set() && !spec.field("manualSelector").is_true() {
        check_generated(root, &spec.field("selector"), pen);
    }
}

/// The pods of an indexed Job are called after it.
fn check_name(root: &At<'_>, pen: &mut Pen<'_, '_>) {
    let spec = root.field("spec");
    let name = root.field("metadata").field("name");
    let count = spec.field("completions").int().unwrap_or_default();
    if spec.field("completionMode").text_or_empty() == "Indexed" && count > 0 {
        let host = format!("{}-{}", name.text_or_empty(), count - 1);
        if !forms::fits(Form::Label, &host) {
            let detail = format!("will not able to create pod with invalid DNS label: {host}");
            pen.invalid(&name, detail);
        }
    }
}

/// A selector is generated, unless it is made by hand; behind most doors it is not there yet.
pub(super) fn check_selector(root: &At<'_>, pen: &mut Pen<'_, '_>) {
    let spec = root.field("spec");
    let selector = spec.field("selector");
    let labels = spec.field("template").field("metadata").field("labels");
    let is_manual = spec.field("manualSelector").is_true();
    if !is_manual && !selector.is_set() {
        return;
    }
    if !selector.is_set() {
        pen.required(&selector, "");
    }
    selectors::check(&selector, pen);
    let has_uid = !root.field("metadata").field("uid").text_or_empty().is_empty();
    if (is_manual || has_uid) && selectors::matches(&selector, &labels) == Match::No {
        pen.invalid_as(&labels, shown_labels(&labels), NO_MATCH);
    }
}

const OWN_LABELS: [(&str, &str); 4] = [
    ("controller-uid", "uid"),
    ("job-name", "name"),
    ("batch.kubernetes.io/controller-uid", "uid"),
    ("batch.kubernetes.io/job-name", "name"),
];

fn check_generated(root: &At<'_>, selector: &At<'_>, pen: &mut Pen<'_, '_>) {
    let metadata = root.field("metadata");
    if metadata.field("uid").text_or_empty().is_empty() {
        return;
    }
    let is_own = selector.field("matchExpressions").is_empty()
        && selector.field("matchLabels").entries().all(|(key, at)| {
            let row = OWN_LABELS.iter().find(|row| row.0 == key);
            row.is_some_and(|row| metadata.field(row.1).text() == at.text())
        });
    if !is_own {
        pen.invalid_as(selector, shown::selector(selector), "`selector` not auto-generated");
    }
}

/// A Job's pods end.
pub(super) fn check_restarts(restarts: &At<'_>, change: &Change<'_>, pen: &mut Pen<'_, '_>) {
    match restarts.text_or_empty() {
        "" | "Always" => pen.required(restarts, "valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        "OnFailure" => {
            let root = change.new_root();
            let spec = if change.kind.name == "Job" {
                root.field("spec")
            } else {
                root.descend(&["spec", "jobTemplate", "spec"])
            };
            if spec.field("podFailurePolicy").is_set() {
                let shown = shown::named("OnFailure", pen.scene.policy.release);
                let detail = "only \"Never\" is supported when podFailurePolicy is specified";
                pen.invalid_as(restarts, shown, detail);
            }
        }
        _ => pen.one_of(restarts, &["OnFailure", "Never"]),
    }
}

pub(super) fn check_cron_job(root: &At<'_>, old: Option<&At<'_>>, pen: &mut Pen<'_, '_>) {
    let spec = root.field("spec");
    let name = root.field("metadata").field("name");
    if old.is_none() && name.text_or_empty().len() > LONGEST_CRON_NAME {
        pen.invalid(&name, "must be no more than 52 characters");
    }
    let old = old.map(|old| old.field("spec"));
    let (schedule, zone) = (spec.field("schedule"), spec.field("timeZone"));
    if pen.needs_text(&schedule) {
        check_schedule(&schedule, &zone, old.as_ref(), pen);
    }
    if !old.is_some_and(|old| zone.equals(&old.field("timeZone"))) {
        check_zone(&zone, pen);
    }
    pen.one_of(&spec.field("concurrencyPolicy"), &["Allow", "Forbid", "Replace"]);
    let job = spec.field("jobTemplate").field("spec");
    check_job(&job, pen);
    let selector = job.field("selector");
    if selector.is_set() {
        pen.invalid_as(&selector, shown::selector(&selector), "`selector` will be auto-generated");
    }
    let manual = job.field("manualSelector");
    if manual.is_true() {
        pen.unsupported(&manual, "true", &["nil", "false"]);
    }
}

fn check_schedule(at: &At<'_>, zone: &At<'_>, old: Option<&At<'_>>, pen: &mut Pen<'_, '_>) {
    let text = at.text_or_empty();
    if let Some(fault) = cron::fault(text) {
        pen.invalid(at, fault);
    }
    if !text.contains("TZ") {
        return;
    }
    let was_there = old.is_some_and(|old| old.field("schedule").text_or_empty().contains("TZ"));
    if !was_there {
        pen.invalid(at, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    } else if zone.is_set() {
        pen.invalid(at, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
    }
}

/// A time zone has a name that one can have; whether there is one of that name is not known here.
fn check_zone(zone: &At<'_>, pen: &mut Pen<'_, '_>) {
    if !zone.is_set() {
        return;
    }
    let text = zone.text_or_empty();
    if text.is_empty() {
        return pen.invalid(zone, "timeZone must be nil or non-empty string");
    }
    let is_odd = |part: &str| {
        let is_part =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
        matches!(part, "" | "." | "..") || part.starts_with('-') || !part.bytes().all(is_part)
    };
    if text.split('/').any(is_odd) {
        return pen.invalid(zone, format!("unknown time zone {text}"));
    }
    if text.eq_ignore_ascii_case("local") {
        let detail =
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        pen.invalid(zone, detail);
    }
}

/// What an update of a Job may not change.
pub(super) fn check_kept(spec: &At<'_>, old: &At<'_>, pen: &mut Pen<'_, '_>) {
    check_completions(spec, old, pen);
    let (selector, before) = (spec.field("selector"), old.field("selector"));
    // The server generated the one that is left out.
    if selector.is_set() && !selector.equals(&before) {
        immutable::changed(&selector, shown::selector(&selector), pen.verdict);
    }
    let template = spec.field("template");
    if immutable::is_job_changed(spec, old) {
        let shown = internal::shown("PodTemplateSpec", &template);
        immutable::changed(&template, shown, pen.verdict);
    }
    let mode = |at: &At<'_>| match at.field("completionMode").text_or_empty() {
        "Indexed" => "Indexed",
        "" | "NonIndexed" => "NonIndexed",
        _ => "",
    };
    if mode(spec) != mode(old) {
        let shown = shown::named(mode(spec), pen.scene.policy.release);
        immutable::changed(&spec.field("completionMode"), shown, pen.verdict);
    }
    for name in FIXED {
        let at = spec.field(name);
        if !at.equals(&old.field(name)) {
            immutable::changed(&at, node_shown(at.node()), pen.verdict);
        }
    }
}

fn check_completions(spec: &At<'_>, old: &At<'_>, pen: &mut Pen<'_, '_>) {
    let completions = spec.field("completions");
    let (new, before) = (completions.int(), old.field("completions").int());
    // Left out, both are one, unless it is parallelism alone that is given.
    let is_defaulted = new.is_none() && !spec.field("parallelism").is_set();
    if new == before || (is_defaulted && before == Some(1)) {
        return;
    }
    if spec.field("completionMode").text_or_empty() != "Indexed" {
        return immutable::changed(&completions, node_shown(completions.node()), pen.verdict);
    }
    if new.is_some() && new != spec.field("parallelism").int() {
        pen.invalid(&completions, "can only be modified in tandem with spec.parallelism");
    }
}
