//! Validation of the update strategies of Deployments and DaemonSets.

use crate::field_errors::{FieldErrors, format_node, percent};
use crate::format_value;
use alloc::format;
use alloc::string::{String, ToString};
use ratchet_object::{At, Node};

pub(super) fn check_deployment(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let strategy = spec.field("strategy");
    let rolling = strategy.field("rollingUpdate");
    match strategy.field("type").text_or_empty() {
        "" | "RollingUpdate" => {
            let (unavailable, surge) = (rolling.field("maxUnavailable"), rolling.field("maxSurge"));
            errs.int_or_percent(&unavailable);
            errs.int_or_percent(&surge);
            // The default of both is 25%.
            let is_zero = |at: &At<'_>| at.is_set() && amount(at) == 0;
            if is_zero(&unavailable) && is_zero(&surge) {
                errs.invalid(&unavailable, "may not be 0 when `maxSurge` is 0");
            }
            errs.at_most_100_percent(&unavailable);
        }
        "Recreate" => {
            if rolling.is_set() {
                let detail = "may not be specified when strategy `type` is 'Recreate'";
                errs.forbidden(&rolling, detail);
            }
        }
        _ => {
            errs.unsupported(&strategy, format_strategy(&strategy), &["Recreate", "RollingUpdate"]);
        }
    }
    let (deadline, ready) = (spec.field("progressDeadlineSeconds"), spec.field("minReadySeconds"));
    let wait = deadline.int().unwrap_or(600);
    if wait <= ready.int().unwrap_or_default() {
        errs.invalid_as(&deadline, wait.to_string(), "must be greater than minReadySeconds");
    }
}

pub(super) fn check_daemon_set(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let strategy = spec.field("updateStrategy");
    let rolling = strategy.field("rollingUpdate");
    match strategy.field("type").text_or_empty() {
        "OnDelete" => {}
        "" | "RollingUpdate" => {
            let (unavailable, surge) = (rolling.field("maxUnavailable"), rolling.field("maxSurge"));
            for at in [&unavailable, &surge] {
                errs.int_or_percent(at);
                errs.at_most_100_percent(at);
            }
            // The defaults are one unavailable pod and no surge.
            let has_unavailable = !unavailable.is_set() || amount(&unavailable) != 0;
            let has_surge = surge.is_set() && amount(&surge) != 0;
            match (has_unavailable, has_surge) {
                (true, true) => {
                    errs.invalid(&surge, "may not be set when maxUnavailable is non-zero");
                }
                (false, false) => errs.required(&unavailable, "cannot be 0 when maxSurge is 0"),
                _ => {}
            }
        }
        _ => {
            errs.unsupported(&strategy, format_strategy(&strategy), &["RollingUpdate", "OnDelete"]);
        }
    }
}

/// The number, or the percentage.
pub(super) fn amount(at: &At<'_>) -> i64 {
    match at.node().and_then(Node::text) {
        Some(text) => percent(text).unwrap_or_default(),
        None => at.int().unwrap_or_default(),
    }
}

/// A strategy by its Go names in the API server.
fn format_strategy(strategy: &At<'_>) -> String {
    let rolling = strategy.field("rollingUpdate");
    let value = |name: &'static str| match rolling.field(name).node() {
        None => "0".into(),
        node => format_node(node),
    };
    let inner = match rolling.is_set() {
        false => "null".into(),
        true => {
            let (unavailable, surge) = (value("maxUnavailable"), value("maxSurge"));
            format!("{{\"MaxUnavailable\":{unavailable},\"MaxSurge\":{surge}}}")
        }
    };
    let kind = format_value::json(strategy.field("type").text_or_empty());
    format!("{{\"Type\":{kind},\"RollingUpdate\":{inner}}}")
}
