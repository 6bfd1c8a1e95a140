//! Validation of Jobs and CronJobs: counts, selectors, schedules and immutable fields.

use super::{NO_MATCH, format_labels, job_policies};
use crate::field_errors::{FieldErrors, format_node};
use crate::name_format::{self, NameFormat};
use crate::rules::immutable::{self, JobChanges};
use crate::selectors::{self, Match};
use crate::{Change, cron, format_value, internal, time_zones};
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

/// Immutable fields of a Job, beside its template, and the types of those that have members.
const FIXED: [(&str, &str); 4] = [
    ("podFailurePolicy", "PodFailurePolicy"),
    ("backoffLimitPerIndex", ""),
    ("managedBy", ""),
    ("successPolicy", "SuccessPolicy"),
];

pub(super) fn check_job(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for name in COUNTS {
        errs.not_negative(&spec.field(name));
    }
    let [completions, parallelism, failed, backoff] =
        ["completions", "parallelism", "maxFailedIndexes", "backoffLimitPerIndex"]
            .map(|name| spec.field(name));
    if failed.is_set() && !backoff.is_set() {
        errs.required(&backoff, "when maxFailedIndexes is specified");
    }
    job_policies::check_manager(&spec.field("managedBy"), errs);
    let mode = spec.field("completionMode");
    errs.one_of(&mode, &["NonIndexed", "Indexed"]);
    match mode.text_or_empty() {
        "Indexed" => {
            if !completions.is_set() {
                errs.required(&completions, "when completion mode is Indexed");
            }
            if parallelism.int().is_some_and(|count| count > MOST_AT_ONCE) {
                let detail = "must be less than or equal to 100000 when completion mode is Indexed";
                errs.invalid(&parallelism, detail);
            }
            if let (Some(failed_count), Some(all)) = (failed.int(), completions.int())
                && failed_count > all
            {
                errs.invalid(&failed, "must be less than or equal to completions");
            }
            if failed.int().is_some_and(|count| count > MOST_AT_ONCE) {
                errs.invalid(&failed, "must be less than or equal to 100000");
            }
            if completions.int().is_some_and(|count| count > MOST_AT_ONCE) && backoff.is_set() {
                check_many(&parallelism, &failed, errs);
            }
        }
        "" | "NonIndexed" => {
            for at in [&backoff, &failed] {
                if at.is_set() {
                    errs.invalid(at, INDEXED);
                }
            }
        }
        _ => {}
    }
    job_policies::check(spec, errs);
    let replacement = spec.field("podReplacementPolicy");
    if spec.field("podFailurePolicy").is_set() {
        errs.one_of(&replacement, &["Failed"]);
    } else {
        errs.one_of(&replacement, &["Failed", "TerminatingOrFailed"]);
    }
}

/// Checks a Job of very many indexes that counts failures of each.
fn check_many(parallelism: &At<'_>, failed: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    const MOST: i64 = 10_000;
    const DETAIL: &str = "must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index";
    if !failed.is_set() {
        errs.required(failed, "must be specified when completions is above 100000");
    }
    for at in [parallelism, failed] {
        if at.int().is_some_and(|count| count > MOST) {
            errs.invalid(at, DETAIL);
        }
    }
}

/// Checks what a Job has outside a CronJob: the names of its pods, and a generated selector.
pub(super) fn check_standalone(root: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_name(root, errs);
    let spec = root.field("spec");
    if spec.field("selector").is_set() && !spec.field("manualSelector").is_true() {
        check_generated(root, &spec.field("selector"), errs);
    }
}

/// Checks that the name of an indexed Job gives valid pod host names.
fn check_name(root: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let spec = root.field("spec");
    let name = root.field("metadata").field("name");
    let count = spec.field("completions").int().unwrap_or_default();
    if spec.field("completionMode").text_or_empty() == "Indexed" && count > 0 {
        let host = format!("{}-{}", name.text_or_empty(), count - 1);
        if !name_format::is_valid(NameFormat::Label, &host) {
            let detail = format!("will not able to create pod with invalid DNS label: {host}");
            errs.invalid(&name, detail);
        }
    }
}

/// Checks the selector, which is generated unless `manualSelector` is set; behind most doors it does not exist yet.
pub(super) fn check_selector(root: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let spec = root.field("spec");
    let selector = spec.field("selector");
    let labels = spec.field("template").field("metadata").field("labels");
    let is_manual = spec.field("manualSelector").is_true();
    let has_uid = !root.field("metadata").field("uid").text_or_empty().is_empty();
    if !is_manual && !selector.is_set() && !has_uid {
        return;
    }
    if !selector.is_set() {
        errs.required(&selector, "");
    }
    selectors::check(&selector, errs);
    if (is_manual || has_uid) && selectors::matches(&selector, &labels) == Match::No {
        errs.invalid_as(&labels, format_labels(&labels), NO_MATCH);
    }
}

const OWN_LABELS: [(&str, &str); 4] = [
    ("controller-uid", "uid"),
    ("job-name", "name"),
    ("batch.kubernetes.io/controller-uid", "uid"),
    ("batch.kubernetes.io/job-name", "name"),
];

fn check_generated(root: &At<'_>, selector: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let metadata = root.field("metadata");
    let is_malformed = || {
        let labels = root.descend(&["spec", "template", "metadata", "labels"]);
        selectors::matches(selector, &labels) == Match::Malformed
    };
    if metadata.field("uid").text_or_empty().is_empty() || is_malformed() {
        return;
    }
    let is_own = selector.field("matchExpressions").is_empty()
        && selector.field("matchLabels").entries().all(|(key, at)| {
            let row = OWN_LABELS.iter().find(|row| row.0 == key);
            row.is_some_and(|row| metadata.field(row.1).text() == at.text())
        });
    if !is_own {
        errs.invalid_as(
            selector,
            format_value::selector(selector),
            "`selector` not auto-generated",
        );
    }
}

/// How a Job counts what is done.
fn completion_mode<'a>(spec: &At<'a>) -> &'a str {
    match spec.field("completionMode").text_or_empty() {
        "" => "NonIndexed",
        mode => mode,
    }
}

/// Checks that the restart policy lets the pods of a Job end.
pub(super) fn check_restarts(
    restarts: &At<'_>,
    change: &Change<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    match restarts.text_or_empty() {
        "" | "Always" => errs.required(restarts, "valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        "OnFailure" => {
            let root = change.new_root();
            let spec = if change.kind.name == "Job" {
                root.field("spec")
            } else {
                root.descend(&["spec", "jobTemplate", "spec"])
            };
            if spec.field("podFailurePolicy").is_set() {
                let formatted = format_value::typed_string("OnFailure", errs.ctx.config.release);
                let detail = "only \"Never\" is supported when podFailurePolicy is specified";
                errs.invalid_as(restarts, formatted, detail);
            }
        }
        _ => errs.one_of(restarts, &["OnFailure", "Never"]),
    }
}

pub(super) fn check_cron_job(root: &At<'_>, old: Option<&At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    let spec = root.field("spec");
    let name = root.field("metadata").field("name");
    if old.is_none() && name.text_or_empty().len() > LONGEST_CRON_NAME {
        errs.invalid(&name, "must be no more than 52 characters");
    }
    let old = old.map(|old| old.field("spec"));
    let (schedule, zone) = (spec.field("schedule"), spec.field("timeZone"));
    if errs.needs_text(&schedule) {
        check_schedule(&schedule, &zone, old.as_ref(), errs);
    }
    if !old.is_some_and(|old| zone.equals(&old.field("timeZone"))) {
        check_zone(&zone, errs);
    }
    errs.one_of(&spec.field("concurrencyPolicy"), &["Allow", "Forbid", "Replace"]);
    let job = spec.field("jobTemplate").field("spec");
    check_job(&job, errs);
    let selector = job.field("selector");
    if selector.is_set() {
        errs.invalid_as(
            &selector,
            format_value::selector(&selector),
            "`selector` will be auto-generated",
        );
    }
    let manual = job.field("manualSelector");
    if manual.is_true() {
        errs.unsupported(&manual, "true", &["nil", "false"]);
    }
}

fn check_schedule(
    at: &At<'_>,
    zone: &At<'_>,
    old: Option<&At<'_>>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let text = at.text_or_empty();
    if let Some(fault) = cron::fault(text) {
        errs.invalid(at, fault);
    }
    if !text.contains("TZ") {
        return;
    }
    let was_stored = old.is_some_and(|old| old.field("schedule").text_or_empty().contains("TZ"));
    if !was_stored {
        errs.invalid(at, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    } else if zone.is_set() {
        errs.invalid(at, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
    }
}

/// Checks the name of a time zone.
fn check_zone(zone: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !zone.is_set() {
        return;
    }
    let text = zone.text_or_empty();
    if text.is_empty() {
        return errs.invalid(zone, "timeZone must be nil or non-empty string");
    }
    let is_invalid = |part: &str| {
        let is_part =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
        matches!(part, "" | "." | "..") || part.starts_with('-') || !part.bytes().all(is_part)
    };
    if text.split('/').any(is_invalid) {
        return errs.invalid(zone, format!("unknown time zone {text}"));
    }
    if text.eq_ignore_ascii_case("local") {
        let detail =
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
        errs.invalid(zone, detail);
    }
    // Go knows the zone of the machine by this name.
    if text != "Local" && !time_zones::is_known(text) {
        errs.invalid(zone, format!("unknown time zone {text}"));
    }
}

/// Checks the immutable fields of a Job on update.
pub(super) fn check_immutable(root: &At<'_>, stored: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let (spec, old) = (&root.field("spec"), &stored.field("spec"));
    check_completions(spec, old, errs);
    let (selector, before) = (spec.field("selector"), old.field("selector"));
    // An unset one is generated by the server.
    if selector.is_set() && !selector.equals(&before) {
        immutable::changed(&selector, format_value::selector(&selector), errs.verdict);
    }
    let may = JobChanges::of(stored, &errs.ctx.config.gates);
    if immutable::is_job_changed(spec, old, may) {
        let template = spec.field("template");
        let (at, name) = match may.resources {
            true => (template.field("spec"), "PodSpec"),
            false => (template, "PodTemplateSpec"),
        };
        immutable::changed(&at, internal::format_as(name, &at), errs.verdict);
    }
    let [mode, before] = [completion_mode(spec), completion_mode(old)];
    if mode != before {
        let formatted = format_value::typed_string(mode, errs.ctx.config.release);
        immutable::changed(&spec.field("completionMode"), formatted, errs.verdict);
    }
    for (name, kind) in FIXED {
        let at = spec.field(name);
        if !at.equals(&old.field(name)) {
            let formatted = match kind {
                kind if !kind.is_empty() && at.is_set() => internal::format_as(kind, &at),
                _ => format_node(at.node()),
            };
            immutable::changed(&at, formatted, errs.verdict);
        }
    }
}

fn check_completions(spec: &At<'_>, old: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let completions = spec.field("completions");
    let (new, before) = (completions.int(), old.field("completions").int());
    // Both default to one, unless only parallelism is set.
    let is_defaulted = new.is_none() && !spec.field("parallelism").is_set();
    if new == before || (is_defaulted && before == Some(1)) {
        return;
    }
    if spec.field("completionMode").text_or_empty() != "Indexed" {
        return immutable::changed(&completions, format_node(completions.node()), errs.verdict);
    }
    if new.is_some() && new != spec.field("parallelism").int() {
        errs.invalid(&completions, "can only be modified in tandem with spec.parallelism");
    }
}
