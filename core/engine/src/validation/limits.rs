//! Validation of ResourceQuotas, LimitRanges, PodDisruptionBudgets, PriorityClasses and HorizontalPodAutoscalers.

use super::pod_parts::{check_quantity, is_standard};
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::name_format::{self, NameFormat};
use crate::rules::immutable;
use crate::{format_value, selectors};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ratchet_object::{At, Quantity};

const SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];
const HIGHEST_PRIORITY: i64 = 1_000_000_000;
const SYSTEM: [(&str, i64); 2] =
    [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];

pub(super) fn validate_quota(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    for (name, at) in spec.field("hard").entries() {
        check_quota_name(name, &at, &mut errs);
        check_quantity(name, &at, &mut errs);
    }
    let scopes = spec.field("scopes");
    let formatted = format_value::tree(scopes.node());
    let has = |name: &str| scopes.items().any(|at| at.text_or_empty() == name);
    for _ in scopes.items().filter(|at| !SCOPES.contains(&at.text_or_empty())) {
        errs.invalid_as(&scopes, formatted.clone(), "unsupported scope");
    }
    for pair in [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]] {
        if pair.iter().all(|name| has(name)) {
            errs.invalid_as(&scopes, formatted.clone(), "conflicting scopes");
        }
    }
    let Some(old) = ctx.change.old_root() else { return };
    let sorted = |list: &At<'_>| {
        let mut all: Vec<alloc::string::String> =
            list.items().map(|at| at.text_or_empty().into()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    if sorted(&scopes) != sorted(&old.field("spec").field("scopes")) {
        immutable::changed(&scopes, formatted, verdict);
    }
}

fn check_quota_name(name: &str, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !name_format::is_valid(NameFormat::Qualified, name) {
        return errs.form_of(at, name, NameFormat::Qualified);
    }
    let is_page = name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
    if name.contains('/') || is_page {
        return;
    }
    if !is_standard(name) {
        let detail = "must be a standard resource type or fully qualified";
        errs.invalid_as(at, quoted(name), detail);
    }
    if !is_standard(name) || name == "storage" {
        errs.invalid_as(at, quoted(name), "must be a standard resource for quota");
    }
}

pub(super) fn validate_limits(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let mut errs = FieldErrors::new(ctx, verdict);
    let mut seen: Vec<&str> = Vec::new();
    for limit in ctx.change.new_root().field("spec").field("limits").items() {
        let kind = limit.field("type");
        let text = kind.text_or_empty();
        if !name_format::is_valid(NameFormat::Qualified, text) {
            errs.form(&kind, NameFormat::Qualified);
        } else if !text.contains('/')
            && !["Pod", "Container", "PersistentVolumeClaim"].contains(&text)
        {
            let formatted = format_value::typed_string(text, ctx.config.release);
            errs.invalid_as(&kind, formatted, "must be a standard limit type or fully qualified");
        }
        if seen.contains(&text) {
            errs.duplicate(&kind, format_value::typed_string(text, ctx.config.release));
        }
        seen.push(text);
        check_limit(&limit, text, &mut errs);
    }
}

fn check_limit(limit: &At<'_>, kind: &str, errs: &mut FieldErrors<'_, '_>) {
    let [least, most, default, request] =
        ["min", "max", "default", "defaultRequest"].map(|name| limit.field(name));
    if kind == "Pod" {
        for at in [&default, &request].into_iter().filter(|at| at.entries().len() > 0) {
            errs.forbidden(at, "may not be specified when `type` is 'Pod'");
        }
    }
    if kind == "PersistentVolumeClaim"
        && !least.field("storage").is_set()
        && !most.field("storage").is_set()
    {
        let detail =
            "either minimum or maximum storage value is required, but neither was provided";
        errs.required(&limit.with_path(limit.path().field("limits")), detail);
    }
    // Each pair: lower and upper bound, the field to report, the names of both, and whether the lower value is reported.
    let above = |one: &At<'_>, other: &At<'_>| {
        let (one, other) = (Quantity::at(one)?, Quantity::at(other)?);
        one.exceeds(other).then(|| (one.to_string(), other.to_string()))
    };
    let mut names: Vec<&str> = Vec::new();
    for map in [&least, &most, &default, &request] {
        names.extend(map.entries().map(|(name, _)| name));
    }
    names.sort_unstable();
    names.dedup();
    for name in names {
        let [low, high, mut usual, mut requested] =
            [&least, &most, &default, &request].map(|map| map.key(name));
        // Defaulting of a container's limit: `default` is `max`, and `defaultRequest` is `default` or `min`.
        if kind == "Container" {
            usual = or_default(usual, &high);
            requested = or_default(or_default(requested, &usual), &low);
        }
        let pairs = [
            (&low, &high, &low, "min value", "max value", true),
            (&low, &requested, &requested, "min value", "default request value", false),
            (&requested, &high, &requested, "default request value", "max value", true),
            (&requested, &usual, &requested, "default request value", "default limit value", true),
            (&low, &usual, &usual, "min value", "default value", true),
            (&usual, &high, &usual, "default value", "max value", false),
        ];
        for (one, other, at, first, second, shows_first) in pairs {
            if let Some((lower, upper)) = above(one, other) {
                let detail = format!("{first} {lower} is greater than {second} {upper}");
                let formatted = if shows_first { &lower } else { &upper };
                errs.invalid_as(at, quoted(formatted), detail);
            }
        }
    }
}

/// The value `at`, or `other` under its path if unset.
fn or_default<'a>(at: At<'a>, other: &At<'a>) -> At<'a> {
    if at.is_set() { at } else { other.with_path(*at.path()) }
}

pub(super) fn validate_budget(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let mut errs = FieldErrors::new(ctx, verdict);
    let bounds = ["minAvailable", "maxUnavailable"].map(|name| spec.field(name));
    if bounds.iter().all(At::is_set) {
        let [least, most] = bounds.each_ref().map(|at| format_node(at.node()));
        let policy = format_node(spec.field("unhealthyPodEvictionPolicy").node());
        let selector = format_value::selector(&spec.field("selector"));
        let formatted = format!(
            "{{\"MinAvailable\":{least},\"Selector\":{selector},\"MaxUnavailable\":{most},\"UnhealthyPodEvictionPolicy\":{policy}}}"
        );
        errs.invalid_as(&spec, formatted, "minAvailable and maxUnavailable cannot be both set");
    }
    for at in bounds.iter().filter(|at| at.is_set()) {
        errs.int_or_percent(at);
        errs.at_most_100_percent(at);
    }
    selectors::check(&spec.field("selector"), &mut errs);
}

pub(super) fn validate_priority(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let (root, old) = (ctx.change.new_root(), ctx.change.old_root());
    let (name, value) = (root.field("metadata").field("name"), root.field("value"));
    let number = value.int().unwrap_or_default();
    let mut errs = FieldErrors::new(ctx, verdict);
    if let Some(old) = old {
        if old.field("value").int().unwrap_or_default() != number {
            immutable::forbidden(&value, "may not be changed in an update.", verdict);
        }
        return;
    }
    let text = name.text_or_empty();
    if text.starts_with("system-") {
        let known = SYSTEM.iter().find(|row| row.0 == text);
        let fault = match known {
            None => format!("{text} is not a known system priority class"),
            Some((_, expected)) if *expected != number => {
                format!("value of {text} PriorityClass must be {expected}")
            }
            Some(_) if root.field("globalDefault").is_true() => {
                format!("globalDefault of {text} PriorityClass must be false")
            }
            Some(_) => return,
        };
        let detail = format!(
            "priority class names with 'system-' prefix are reserved for system use only. error: {fault}"
        );
        errs.forbidden(&name, detail);
    } else if number > HIGHEST_PRIORITY {
        let detail =
            format!("maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}");
        errs.forbidden(&value, detail);
    }
}

pub(super) fn validate_autoscaler(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let (least, most) = (spec.field("minReplicas"), spec.field("maxReplicas"));
    let mut errs = FieldErrors::new(ctx, verdict);
    if least.int().is_some_and(|count| count < 1) {
        errs.invalid(&least, "must be greater than or equal to 1");
    }
    let count = most.int().unwrap_or_default();
    match count {
        0 => errs.required(&most, "must be set and greater than 0"),
        count if count < 0 => errs.invalid(&most, "must be greater than or equal to 1"),
        _ => {}
    }
    // The default is one.
    if least.int().unwrap_or(1) > count {
        errs.invalid_as(
            &most,
            format!("{count}"),
            "must be greater than or equal to `minReplicas`",
        );
    }
    spec.field("metrics").items().for_each(|metric| check_metric(&metric, &mut errs));
    let target = spec.field("scaleTargetRef");
    for name in ["kind", "name"] {
        errs.needs_form(&target.field(name), NameFormat::PathSegment);
    }
    let version = target.field("apiVersion");
    // A stored value may stay.
    let before = ctx.change.old_root().map(|old| old.field("spec").field("scaleTargetRef"));
    let stays = |before: At<'_>| {
        ["apiVersion", "kind"]
            .iter()
            .all(|name| before.field(name).text() == target.field(name).text())
    };
    if before.is_some_and(stays) {
        return;
    }
    match version.text_or_empty().matches('/').count() {
        1 => {}
        // The only kind of the core group that can be scaled.
        0 if target.field("kind").text_or_empty() == "ReplicationController" => {}
        0 => {
            let formatted = quoted(version.text_or_empty());
            errs.invalid_as(&version, formatted, "apiVersion must specify API group");
        }
        _ => {
            let detail = format!("unexpected GroupVersion string: {}", version.text_or_empty());
            errs.invalid(&version, detail);
        }
    }
}

/// Metric types of an autoscaler, and the field of each.
const METRICS: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

fn check_metric(metric: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let kind = metric.field("type");
    let text = kind.text_or_empty();
    let Some((_, field)) = METRICS.iter().find(|row| row.0 == text) else {
        if text.is_empty() {
            errs.required(&kind, "must specify a metric source type");
        }
        // The API checks the type twice.
        for _ in 0..2 {
            let formatted = format_value::typed_string(text, errs.ctx.config.release);
            errs.unsupported(&kind, formatted, &METRICS.map(|row| row.0));
        }
        return;
    };
    let source = metric.field(field);
    if !source.is_set() {
        errs.required(&source, "must populate information for the given metric source");
    }
    for (_, other) in METRICS.iter().filter(|row| row.1 != *field) {
        if metric.field(other).is_set() {
            errs.forbidden(&metric.field(other), "must populate the given metric source only");
        }
    }
    if source.is_set() {
        check_target(&source, errs);
    }
    if *field == "resource" && source.is_set() && source.field("name").text_or_empty().is_empty() {
        errs.required(&source.field("name"), "must specify a resource name");
    }
}

fn check_target(source: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let target = source.field("target");
    let kind = target.field("type");
    let text = kind.text_or_empty();
    if text.is_empty() {
        errs.required(&kind, "must specify a metric target type");
    }
    if !matches!(text, "Utilization" | "Value" | "AverageValue") {
        let formatted = format_value::typed_string(text, errs.ctx.config.release);
        errs.invalid_as(&kind, formatted, "must be either Utilization, Value, or AverageValue");
    }
    for name in ["value", "averageValue"] {
        let at = target.field(name);
        if let Some(amount) = Quantity::at(&at).filter(|amount| !amount.is_positive()) {
            errs.invalid_as(&at, quoted(&amount.to_string()), "must be positive");
        }
    }
    let utilization = target.field("averageUtilization");
    if utilization.int().is_some_and(|percent| percent < 1) {
        errs.invalid(&utilization, "must be greater than 0");
    }
}
