//! Validation of HorizontalPodAutoscalers: bounds, the target, metrics and behavior.

use super::pod_parts::check_container_name;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::format_value;
use crate::name_format::NameFormat;
use alloc::format;
use alloc::string::{String, ToString};
use ratchet_object::{At, Quantity};

const LONGEST_PERIOD: i64 = 1800;
const LONGEST_WINDOW: i64 = 3600;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    let old = ctx.change.old_root().map(|old| old.field("spec"));
    let mut errs = FieldErrors::new(ctx, verdict);
    check_bounds(&spec, old.as_ref(), &mut errs);
    let target = spec.field("scaleTargetRef");
    let before = old.map(|old| old.field("scaleTargetRef"));
    let stays = before.is_some_and(|before| {
        ["apiVersion", "kind"]
            .iter()
            .all(|name| before.field(name).text() == target.field(name).text())
    });
    // The only kind of the core group that can be scaled.
    let is_core = target.field("kind").text_or_empty() == "ReplicationController";
    check_reference(&target, !stays, is_core, &mut errs);
    let metrics = spec.field("metrics");
    let checks_version = !old.is_some_and(|old| has_bad_object(&old.field("metrics")));
    metrics.items().for_each(|metric| check_metric(&metric, checks_version, &mut errs));
    check_percentage(&spec, &mut errs);
    let to_zero = ["Object", "External"];
    let is_counted = |at: At<'_>| to_zero.contains(&at.field("type").text_or_empty());
    if spec.field("minReplicas").int() == Some(0) && !metrics.items().any(is_counted) {
        let detail = "must specify at least one Object or External metric to support scaling to zero replicas";
        errs.forbidden(&metrics, detail);
    }
    for name in ["scaleUp", "scaleDown"] {
        let rules = spec.field("behavior").field(name);
        if rules.is_set() {
            check_rules(&rules, &mut errs);
        }
    }
}

fn check_bounds(spec: &At<'_>, old: Option<&At<'_>>, errs: &mut FieldErrors<'_, '_>) {
    let (least, most) = (spec.field("minReplicas"), spec.field("maxReplicas"));
    // A stored zero may stay.
    let lowest = match old.and_then(|old| old.field("minReplicas").int()) {
        Some(0) => 0,
        _ => 1,
    };
    if least.int().is_some_and(|count| count < lowest) {
        errs.invalid(&least, format!("must be greater than or equal to {lowest}"));
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
}

/// Checks a reference to an object of another kind.
fn check_reference(
    reference: &At<'_>,
    checks_version: bool,
    allows_core: bool,
    errs: &mut FieldErrors<'_, '_>,
) {
    for name in ["kind", "name"] {
        errs.needs_form(&reference.field(name), NameFormat::PathSegment);
    }
    let version = reference.field("apiVersion");
    if let Some(fault) = version_fault(&version, allows_core).filter(|_| checks_version) {
        errs.invalid_as(&version, quoted(version.text_or_empty()), fault);
    }
}

/// The fault of an `apiVersion`, which has a group and a slash; the core group has neither.
fn version_fault(version: &At<'_>, allows_core: bool) -> Option<String> {
    let text = version.text_or_empty();
    match text.matches('/').count() {
        // Go's parser takes a lone slash for nothing at all.
        _ if text == "/" && allows_core => None,
        0 if allows_core => None,
        1 if !text.starts_with('/') || allows_core => None,
        0 | 1 => Some("apiVersion must specify API group".into()),
        _ => Some(format!("unexpected GroupVersion string: {text}")),
    }
}

/// Whether a stored metric describes an object of a malformed version, which then may stay.
fn has_bad_object(metrics: &At<'_>) -> bool {
    metrics.items().any(|metric| {
        let object = metric.field("object");
        let version = object.field("describedObject").field("apiVersion");
        metric.field("type").text_or_empty() == "Object"
            && object.is_set()
            && version_fault(&version, true).is_some()
    })
}

/// Metric types of an autoscaler, and the field of each.
const METRICS: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];

/// The fields in the order in which the API looks for the first one.
const SOURCES: [&str; 5] = ["object", "external", "pods", "resource", "containerResource"];

fn check_metric(metric: &At<'_>, checks_version: bool, errs: &mut FieldErrors<'_, '_>) {
    let kind = metric.field("type");
    let text = kind.text_or_empty();
    let expected = METRICS.iter().find(|row| row.0 == text).map(|row| row.1);
    let unsupported = |errs: &mut FieldErrors<'_, '_>| {
        let formatted = format_value::typed_string(text, errs.ctx.config.release);
        errs.unsupported(&kind, formatted, &METRICS.map(|row| row.0));
    };
    if text.is_empty() {
        errs.required(&kind, "must specify a metric source type");
    }
    if expected.is_none() {
        unsupported(errs);
    }
    let mut present = SOURCES.iter().filter(|name| metric.field(name).is_set());
    if let Some(name) = present.next() {
        check_source(name, &metric.field(name), checks_version, errs);
    }
    match expected {
        None => unsupported(errs),
        Some(name) => {
            let source = metric.field(name);
            if !source.is_set() {
                errs.required(&source, "must populate information for the given metric source");
            }
        }
    }
    if present.next().is_none() {
        return;
    }
    for name in METRICS.iter().map(|row| row.1).filter(|name| Some(*name) != expected) {
        let other = metric.field(name);
        if other.is_set() {
            errs.forbidden(&other, "must populate the given metric source only");
        }
    }
}

fn check_source(name: &str, source: &At<'_>, checks_version: bool, errs: &mut FieldErrors<'_, '_>) {
    match name {
        "object" => check_reference(&source.field("describedObject"), checks_version, true, errs),
        "resource" | "containerResource" => {
            let resource = source.field("name");
            match resource.text_or_empty() {
                "" => errs.required(&resource, "must specify a resource name"),
                text if name == "containerResource" => check_container_name(text, &resource, errs),
                _ => {}
            }
        }
        _ => {}
    }
    if name == "containerResource" {
        let container = source.field("container");
        match container.text_or_empty() {
            "" => errs.required(&container, "must specify a container"),
            _ => errs.form(&container, NameFormat::Label),
        }
    }
    if matches!(name, "object" | "external" | "pods") {
        let metric = source.field("metric").field("name");
        match metric.text_or_empty() {
            "" => errs.required(&metric, "must specify a metric name"),
            _ => errs.form(&metric, NameFormat::PathSegment),
        }
    }
    let target = source.field("target");
    check_target(&target, errs);
    check_amounts(name, &target, errs);
}

fn check_target(target: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
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
    check_utilization(&target.field("averageUtilization"), errs);
}

/// Checks the percentage of version v1, which is a metric for every other version and in errors.
fn check_percentage(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let percentage = spec.field("targetCPUUtilizationPercentage");
    if percentage.is_set() {
        let metric = spec.path().field("metrics").index(0);
        let target = metric.field("resource").field("target");
        check_utilization(&percentage.with_path(target.field("averageUtilization")), errs);
    }
}

fn check_utilization(utilization: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if utilization.int().is_some_and(|percent| percent < 1) {
        errs.invalid(utilization, "must be greater than 0");
    }
}

/// Checks that a target has one of the amounts that its source can have.
fn check_amounts(name: &str, target: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let [value, average, utilization] =
        ["value", "averageValue", "averageUtilization"].map(|name| target.field(name));
    match name {
        "pods" => {
            if !average.is_set() {
                errs.required(&average, "must specify a positive target averageValue");
            }
        }
        "object" => {
            if !value.is_set() && !average.is_set() {
                errs.required(&average, "must set either a target value or averageValue");
            }
        }
        "external" => match (value.is_set(), average.is_set()) {
            (false, false) => {
                let detail = "must set either a target value for metric or a per-pod target";
                errs.required(&average, detail);
            }
            (true, true) => {
                let detail = "may not set both a target value for metric and a per-pod target";
                errs.forbidden(&value, detail);
            }
            _ => {}
        },
        _ => match (utilization.is_set(), average.is_set()) {
            (false, false) => {
                let detail = "must set either a target raw value or a target utilization";
                errs.required(&utilization, detail);
            }
            (true, true) => {
                let detail = "may not set both a target raw value and a target utilization";
                errs.forbidden(&average, detail);
            }
            _ => {}
        },
    }
}

fn check_rules(rules: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let window = rules.field("stabilizationWindowSeconds");
    if window.int().is_some_and(|seconds| seconds < 0) {
        errs.invalid(&window, "must be greater than or equal to zero");
    }
    if window.int().is_some_and(|seconds| seconds > LONGEST_WINDOW) {
        errs.invalid(&window, format!("must be less than or equal to {LONGEST_WINDOW}"));
    }
    errs.one_of(&rules.field("selectPolicy"), &["Disabled", "Max", "Min"]);
    let policies = rules.field("policies");
    // An unset list has a default.
    if policies.is_set() && policies.is_empty() {
        errs.required(&policies, "must specify at least one Policy");
    }
    policies.items().for_each(|policy| check_policy(&policy, errs));
    let tolerance = rules.field("tolerance");
    if let Some(amount) = Quantity::at(&tolerance).filter(|amount| amount.is_negative()) {
        let detail = "must be greater than or equal to 0";
        errs.invalid_as(&tolerance, quoted(&amount.to_string()), detail);
    }
}

fn check_policy(policy: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let kind = policy.field("type");
    if !matches!(kind.text_or_empty(), "Pods" | "Percent") {
        let formatted = format_value::typed_string(kind.text_or_empty(), errs.ctx.config.release);
        errs.unsupported(&kind, formatted, &["Percent", "Pods"]);
    }
    for name in ["value", "periodSeconds"] {
        let at = policy.field(name);
        let number = at.int().unwrap_or_default();
        if number <= 0 {
            errs.invalid_as(&at, format!("{number}"), "must be greater than zero");
        }
        if name == "periodSeconds" && number > LONGEST_PERIOD {
            errs.invalid(&at, format!("must be less than or equal to {LONGEST_PERIOD}"));
        }
    }
}
