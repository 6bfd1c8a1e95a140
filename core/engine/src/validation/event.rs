//! Validation of Events: loose rules through the core API, and strict ones through `events.k8s.io`.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::internal;
use crate::name_format::NameFormat;
use crate::rules::immutable;
use alloc::format;
use core::mem;
use ratchet_object::At;

const LONGEST_WORD: usize = 128;
const LONGEST_NOTE: usize = 1024;
const ELSEWHERE: &str = "does not match event.namespace";
const UNSET: &str = "needs to be unset";

/// Fields that `events.k8s.io` names otherwise: the name in errors, and there.
const RENAMED: [(&str, &str); 6] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

/// What never changes through `events.k8s.io`, as often and in the order in which errors name it.
const FIXED: [&str; 14] = [
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "reason",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingController",
    "reportingInstance",
];

/// Validates an event of the core API. Its strategy leaves metadata to the checks of every kind, which come after it on
/// create and are left out if there is an error.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let metadata = ctx.change.is_create().then(|| mem::take(&mut verdict.errors));
    check_common(&Event { root: ctx.change.new_root(), is_strict: false }, ctx, verdict);
    if verdict.errors.is_empty() {
        verdict.errors = metadata.unwrap_or_default();
    }
}

/// Validates an event of `events.k8s.io`.
pub(super) fn validate_strict(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let event = Event { root: ctx.change.new_root(), is_strict: true };
    match ctx.change.old_root() {
        None => {
            let metadata = mem::take(&mut verdict.errors);
            check_common(&event, ctx, verdict);
            verdict.errors.extend(metadata);
            check_new(&event, &mut FieldErrors::new(ctx, verdict));
        }
        Some(old) => {
            check_common(&event, ctx, verdict);
            check_fixed(&event, &Event { root: old, is_strict: true }, ctx, verdict);
        }
    }
}

/// An event of either group.
struct Event<'a> {
    root: At<'a>,
    is_strict: bool,
}

impl<'a> Event<'a> {
    /// The field with this name in errors.
    fn field(&self, name: &'a str) -> At<'a> {
        self.own_field(name).with_path(self.root.path().field(name))
    }

    /// The same field under the name that the event itself has for it.
    fn own_field(&self, name: &'a str) -> At<'a> {
        let renamed = RENAMED.iter().find(|row| self.is_strict && row.0 == name);
        self.root.field(renamed.map_or(name, |row| row.1))
    }

    fn has_time(&self, name: &'a str) -> bool {
        !self.own_field(name).text_or_empty().is_empty()
    }
}

/// Checks what both groups demand: an event with a time says who reports what.
fn check_common(event: &Event<'_>, ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let namespace = event.root.field("metadata").field("namespace").text_or_empty();
    // Without a namespace there is nothing to compare with.
    if namespace.is_empty() {
        return;
    }
    let mut errs = FieldErrors::new(ctx, verdict);
    let involved = event.field("involvedObject").field("namespace");
    let has_time = event.has_time("eventTime");
    let is_consistent = match (involved.text_or_empty(), has_time) {
        ("", false) => namespace == "default",
        ("", true) => matches!(namespace, "default" | "kube-system"),
        (text, false) => text == namespace,
        (_, true) => true,
    };
    if !is_consistent {
        errs.invalid_as(&involved, quoted(involved.text_or_empty()), ELSEWHERE);
    }
    if has_time {
        let name = if event.is_strict { "reportingController" } else { "reportingComponent" };
        let reporter = event.field(name);
        errs.needs_text(&reporter);
        errs.form(&reporter, NameFormat::Qualified);
        for name in ["reportingInstance", "action", "reason"] {
            let at = event.field(name);
            errs.needs_text(&at);
            check_length(&at, LONGEST_WORD, &mut errs);
        }
        check_length(&event.field("message"), LONGEST_NOTE, &mut errs);
    }
    errs.form_of(&event.field("namespace"), namespace, NameFormat::Subdomain);
}

fn check_length(at: &At<'_>, most: usize, errs: &mut FieldErrors<'_, '_>) {
    if at.text_or_empty().len() > most {
        errs.invalid_as(at, quoted(""), format!("can have at most {most} characters"));
    }
}

/// Checks what is demanded of a new event of `events.k8s.io` alone.
fn check_new(event: &Event<'_>, errs: &mut FieldErrors<'_, '_>) {
    check_series(event, errs);
    errs.needs_text(&event.field("eventTime"));
    let sort = event.field("type");
    if !matches!(sort.text_or_empty(), "Normal" | "Warning") {
        let detail = format!("has invalid value: {}", sort.text_or_empty());
        errs.invalid_as(&sort, quoted(""), detail);
    }
    let source = event.own_field("source");
    let has_source =
        ["component", "host"].iter().any(|name| !source.field(name).text_or_empty().is_empty());
    let is_set = [
        ("firstTimestamp", event.has_time("firstTimestamp")),
        ("lastTimestamp", event.has_time("lastTimestamp")),
        ("count", event.own_field("count").int().is_some_and(|count| count != 0)),
        ("source", has_source),
    ];
    for (name, _) in is_set.into_iter().filter(|(_, is_set)| *is_set) {
        errs.invalid_as(&event.field(name), quoted(""), UNSET);
    }
}

fn check_series(event: &Event<'_>, errs: &mut FieldErrors<'_, '_>) {
    let series = event.root.field("series");
    if series.is_set() {
        let count = series.field("count");
        if count.int().unwrap_or_default() < 2 {
            errs.invalid_as(&count, quoted(""), "should be at least 2");
        }
        errs.needs_text(&series.field("lastObservedTime"));
    }
}

/// Checks that nothing but the series and metadata changed.
fn check_fixed(
    event: &Event<'_>,
    old: &Event<'_>,
    ctx: &ValidationContext<'_>,
    verdict: &mut Verdict,
) {
    if !event.own_field("series").equals(&old.own_field("series")) {
        check_series(event, &mut FieldErrors::new(ctx, verdict));
    }
    for name in FIXED {
        let at = event.own_field(name);
        if at.equals(&old.own_field(name)) {
            continue;
        }
        let formatted = match name {
            "involvedObject" => internal::format_as("ObjectReference", &at),
            "related" if at.is_set() => internal::format_as("ObjectReference", &at),
            "source" => internal::format_as("EventSource", &at),
            "related" | "firstTimestamp" | "lastTimestamp" | "eventTime" => format_node(at.node()),
            "count" => format!("{}", at.int().unwrap_or_default()),
            _ => quoted(at.text_or_empty()),
        };
        immutable::changed(&event.field(name), formatted, verdict);
    }
}
