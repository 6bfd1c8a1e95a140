//! Validation of ResourceQuotas, LimitRanges, PodDisruptionBudgets and PriorityClasses.

use super::pod_parts::{
    can_overcommit, check_container_name, check_preemption, check_quantity, check_resource_name,
    is_standard,
};
use super::quota_scopes;
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::name_format::{self, NameFormat};
use crate::rules::immutable;
use crate::{format_value, selectors};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use ratchet_object::{At, Members, Quantity};

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
    quota_scopes::check(&spec, &mut errs);
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
    let is_well_formed = name_format::is_valid(NameFormat::Qualified, name);
    if !is_well_formed {
        errs.form_of(at, name, NameFormat::Qualified);
    }
    let is_page = name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
    if name.contains('/') || is_page {
        return;
    }
    if is_well_formed && !is_standard(name) {
        let detail = "must be a standard resource type or fully qualified";
        errs.invalid_as(at, quoted(name), detail);
    }
    if !is_standard(name) || name == "storage" {
        errs.invalid_as(at, quoted(name), "must be a standard resource for quota");
    }
}

pub(super) fn validate_limits(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let mut errs = FieldErrors::new(ctx, verdict);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
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
        if !seen.insert(text) {
            errs.duplicate(&kind, format_value::typed_string(text, ctx.config.release));
        }
        check_limit(&limit, text, &mut errs);
    }
}

fn check_limit(limit: &At<'_>, kind: &str, errs: &mut FieldErrors<'_, '_>) {
    let [least, most, default, request, ratio] =
        ["min", "max", "default", "defaultRequest", "maxLimitRequestRatio"]
            .map(|name| limit.field(name));
    check_names(&[&most, &least], kind, errs);
    if kind == "Pod" {
        for at in [&default, &request].into_iter().filter(|at| at.entries().len() > 0) {
            errs.forbidden(at, "may not be specified when `type` is 'Pod'");
        }
    } else {
        check_names(&[&default, &request], kind, errs);
    }
    if kind == "PersistentVolumeClaim"
        && !least.field("storage").is_set()
        && !most.field("storage").is_set()
    {
        let detail =
            "either minimum or maximum storage value is required, but neither was provided";
        errs.required(&limit.with_path(limit.path().field("limits")), detail);
    }
    check_names(&[&ratio], kind, errs);
    // Each pair: lower and upper bound, the field to report, the names of both, and whether the lower value is reported.
    let above = |one: &At<'_>, other: &At<'_>| {
        let (one, other) = (Quantity::at(one)?, Quantity::at(other)?);
        one.exceeds(other).then(|| (one.to_string(), other.to_string()))
    };
    let mut maps =
        [&least, &most, &default, &request, &ratio].map(|map| (map, Members::of(map.node())));
    let names: BTreeSet<&str> =
        maps.iter().flat_map(|(map, _)| map.entries()).map(|(name, _)| name).collect();
    for name in names {
        let [low, high, mut usual, mut requested, ratio] =
            maps.each_mut().map(|(map, members)| map.key_among(members, name));
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
        check_ratio(&ratio, &low, &high, errs);
        let differs = |one: Quantity, other: Quantity| one.exceeds(other) || other.exceeds(one);
        if let (Some(limit), Some(amount)) = (Quantity::at(&usual), Quantity::at(&requested))
            && !can_overcommit(name)
            && differs(limit, amount)
        {
            let detail = format!(
                "default value {limit} must equal to defaultRequest value {amount} in {name}"
            );
            errs.invalid_as(&requested, quoted(&amount.to_string()), detail);
        }
    }
}

/// Checks the names of the resources of a limit.
fn check_names(maps: &[&At<'_>], kind: &str, errs: &mut FieldErrors<'_, '_>) {
    for (name, at) in maps.iter().flat_map(|map| map.entries()) {
        match kind {
            "Pod" | "Container" => check_container_name(name, &at, errs),
            _ => {
                check_resource_name(name, &at, errs);
            }
        }
    }
}

/// Checks how many times a request its limit may be: at least once, and no more than the bounds allow.
fn check_ratio(at: &At<'_>, low: &At<'_>, high: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let Some(ratio) = Quantity::at(at) else { return };
    let formatted = quoted(&ratio.to_string());
    if Quantity::whole(1).exceeds(ratio) {
        errs.invalid_as(at, formatted.clone(), format!("ratio {ratio} is less than 1"));
    }
    let (Some(low), Some(high)) = (Quantity::at(low), Quantity::at(high)) else { return };
    // The API divides floating-point numbers: by zero, the most is infinite or no number.
    let [ratio_value, low, high] = [ratio, low, high].map(|amount| amount.thousandths() as f64);
    let (ratio_value, most) = (ratio_value / 1000.0, high / low);
    if ratio_value > most {
        let detail = format!("ratio {ratio} is greater than max/min = {most:.6}");
        errs.invalid_as(at, formatted, detail);
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
            Some(_) => alloc::string::String::new(),
        };
        if !fault.is_empty() {
            let detail = format!(
                "priority class names with 'system-' prefix are reserved for system use only. error: {fault}"
            );
            errs.forbidden(&name, detail);
        }
    } else if number > HIGHEST_PRIORITY {
        let detail =
            format!("maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}");
        errs.forbidden(&value, detail);
    }
    check_preemption(&root.field("preemptionPolicy"), &mut errs);
}
