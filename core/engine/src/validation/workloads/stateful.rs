//! StatefulSets: how they count, replace and keep, and what of them never changes.

use super::super::storage;
use super::rollout::amount;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, node_shown};
use crate::forms::NameFormat;
use crate::rules::immutable;
use crate::{Verdict, shown};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const KEPT: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/// What may not change, some of it with a default.
const FIXED: [&str; 4] = ["serviceName", "podManagementPolicy", "selector", "volumeClaimTemplates"];

pub(super) fn check(spec: &At<'_>, is_update: bool, errs: &mut FieldErrors<'_, '_>) {
    let policy = spec.field("podManagementPolicy");
    if !matches!(policy.text_or_empty(), "" | "OrderedReady" | "Parallel") {
        let shown = shown::named(policy.text_or_empty(), errs.ctx.policy.release);
        errs.invalid_as(&policy, shown, "must be 'OrderedReady' or 'Parallel'");
    }
    check_strategy(&spec.field("updateStrategy"), errs);
    let retention = spec.field("persistentVolumeClaimRetentionPolicy");
    for name in ["whenDeleted", "whenScaled"] {
        errs.one_of(&retention.field(name), &["Delete", "Retain"]);
    }
    let start = spec.field("ordinals").field("start");
    errs.not_negative(&start);
    // These are fixed: what was let in before stays.
    if !is_update {
        errs.form_if_set(&spec.field("serviceName"), NameFormat::Label);
        for claim in spec.field("volumeClaimTemplates").items() {
            storage::check_claim(&claim.field("spec"), errs);
        }
    }
}

fn check_strategy(strategy: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let rolling = strategy.field("rollingUpdate");
    match strategy.field("type").text_or_empty() {
        "OnDelete" if rolling.is_set() => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            errs.invalid_as(&rolling, shown_rolling(&rolling), detail);
        }
        "OnDelete" => {}
        "" | "RollingUpdate" => {
            errs.not_negative(&rolling.field("partition"));
            let unavailable = rolling.field("maxUnavailable");
            if unavailable.is_set() {
                errs.count_or_share(&unavailable);
                if amount(&unavailable) == 0 {
                    errs.invalid(&unavailable, "cannot be 0");
                }
                errs.at_most_all(&unavailable);
            }
        }
        kind => {
            let rolling = if rolling.is_set() { shown_rolling(&rolling) } else { "null".into() };
            let shown = format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", shown::json(kind));
            errs.invalid_as(strategy, shown, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
}

fn shown_rolling(rolling: &At<'_>) -> String {
    let partition = rolling.field("partition").int().unwrap_or_default();
    let unavailable = node_shown(rolling.field("maxUnavailable").node());
    format!("{{\"Partition\":{partition},\"MaxUnavailable\":{unavailable}}}")
}

/// The volumes that the set brings: the names of its claims.
pub(super) fn claims<'a>(ctx: &ValidationContext<'a>, kind: &str) -> Vec<&'a str> {
    if kind != "StatefulSet" {
        return Vec::new();
    }
    let list = ctx.change.new_root().field("spec").field("volumeClaimTemplates");
    list.items().map(|at| at.field("metadata").field("name").text_or_empty()).collect()
}

pub(super) fn check_kept(spec: &At<'_>, old: &At<'_>, verdict: &mut Verdict) {
    let changed = FIXED.iter().any(|name| {
        let (new, old) = (spec.field(name), old.field(name));
        let is_defaulted = *name == "podManagementPolicy" && !new.is_set();
        !is_defaulted && (immutable::is_more(name, &new, &old) || (new.is_zero() && !old.is_zero()))
    });
    if changed {
        immutable::forbidden(spec, KEPT, verdict);
    }
}
