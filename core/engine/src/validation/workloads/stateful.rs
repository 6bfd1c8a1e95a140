//! Validation of StatefulSets: strategies, claims and immutable fields.

use super::super::volume_claim;
use super::rollout::amount;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node};
use crate::name_format::NameFormat;
use crate::rules::immutable;
use crate::{Verdict, format_value};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const IMMUTABLE: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/// Immutable fields.
const FIXED: [&str; 4] = ["serviceName", "podManagementPolicy", "selector", "volumeClaimTemplates"];

pub(super) fn check(spec: &At<'_>, is_update: bool, errs: &mut FieldErrors<'_, '_>) {
    let policy = spec.field("podManagementPolicy");
    if !matches!(policy.text_or_empty(), "" | "OrderedReady" | "Parallel") {
        let formatted = format_value::typed_string(policy.text_or_empty(), errs.ctx.config.release);
        errs.invalid_as(&policy, formatted, "must be 'OrderedReady' or 'Parallel'");
    }
    check_strategy(&spec.field("updateStrategy"), errs);
    let retention = spec.field("persistentVolumeClaimRetentionPolicy");
    for name in ["whenDeleted", "whenScaled"] {
        errs.one_of(&retention.field(name), &["Retain", "Delete"]);
    }
    let start = spec.field("ordinals").field("start");
    errs.not_negative(&start);
    // These are immutable: admitted values stay.
    if !is_update {
        errs.form_if_set(&spec.field("serviceName"), NameFormat::Label);
        for claim in spec.field("volumeClaimTemplates").items() {
            volume_claim::check(&claim.field("spec"), None, errs);
        }
    }
}

fn check_strategy(strategy: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let rolling = strategy.field("rollingUpdate");
    match strategy.field("type").text_or_empty() {
        "OnDelete" if rolling.is_set() => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            errs.invalid_as(&rolling, format_rolling_update(&rolling), detail);
        }
        "OnDelete" => {}
        "" | "RollingUpdate" => {
            errs.not_negative(&rolling.field("partition"));
            let unavailable = rolling.field("maxUnavailable");
            if unavailable.is_set() {
                errs.int_or_percent(&unavailable);
                if amount(&unavailable) == 0 {
                    errs.invalid(&unavailable, "cannot be 0");
                }
                errs.at_most_100_percent(&unavailable);
            }
        }
        kind => {
            let rolling =
                if rolling.is_set() { format_rolling_update(&rolling) } else { "null".into() };
            let formatted =
                format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", format_value::json(kind));
            errs.invalid_as(strategy, formatted, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
}

fn format_rolling_update(rolling: &At<'_>) -> String {
    let partition = rolling.field("partition").int().unwrap_or_default();
    let unavailable = format_node(rolling.field("maxUnavailable").node());
    format!("{{\"Partition\":{partition},\"MaxUnavailable\":{unavailable}}}")
}

/// The names of the volume claim templates, which the pods can mount.
pub(super) fn claims<'a>(ctx: &ValidationContext<'a>, kind: &str) -> Vec<&'a str> {
    if kind != "StatefulSet" {
        return Vec::new();
    }
    let list = ctx.change.new_root().field("spec").field("volumeClaimTemplates");
    list.items().map(|at| at.field("metadata").field("name").text_or_empty()).collect()
}

pub(super) fn check_immutable(spec: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let changed = FIXED.iter().any(|name| {
        let (new, old) = (spec.field(name), old.field(name));
        let is_defaulted = *name == "podManagementPolicy" && !new.is_set();
        !is_defaulted
            && (immutable::is_field_changed(name, &new, &old) || (new.is_zero() && !old.is_zero()))
    });
    if changed {
        immutable::forbidden(spec, IMMUTABLE, verdict);
    }
}
