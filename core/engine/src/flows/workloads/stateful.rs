//! StatefulSets: how they count, replace and keep, and what of them never changes.

use super::super::storage;
use super::rollout::amount;
use crate::forms::Form;
use crate::pen::{Pen, node_shown};
use crate::rules::immutable;
use crate::scene::Scene;
use crate::{Verdict, shown};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const KEPT: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/// What may not change, some of it with a default.
const FIXED: [&str; 4] = ["serviceName", "podManagementPolicy", "selector", "volumeClaimTemplates"];

pub(super) fn check(spec: &At<'_>, is_update: bool, pen: &mut Pen<'_, '_>) {
    let policy = spec.field("podManagementPolicy");
    if !matches!(policy.text_or_empty(), "" | "OrderedReady" | "Parallel") {
        let shown = shown::named(policy.text_or_empty(), pen.scene.policy.release);
        pen.invalid_as(&policy, shown, "must be 'OrderedReady' or 'Parallel'");
    }
    check_strategy(&spec.field("updateStrategy"), pen);
    let retention = spec.field("persistentVolumeClaimRetentionPolicy");
    for name in ["whenDeleted", "whenScaled"] {
        pen.one_of(&retention.field(name), &["Delete", "Retain"]);
    }
    let start = spec.field("ordinals").field("start");
    pen.not_negative(&start);
    // These are fixed: what was let in before stays.
    if !is_update {
        pen.form_if_set(&spec.field("serviceName"), Form::Label);
        for claim in spec.field("volumeClaimTemplates").items() {
            storage::check_claim(&claim.field("spec"), pen);
        }
    }
}

fn check_strategy(strategy: &At<'_>, pen: &mut Pen<'_, '_>) {
    let rolling = strategy.field("rollingUpdate");
    match strategy.field("type").text_or_empty() {
        "OnDelete" if rolling.is_set() => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            pen.invalid_as(&rolling, shown_rolling(&rolling), detail);
        }
        "OnDelete" => {}
        "" | "RollingUpdate" => {
            pen.not_negative(&rolling.field("partition"));
            let unavailable = rolling.field("maxUnavailable");
            if unavailable.is_set() {
                pen.count_or_share(&unavailable);
                if amount(&unavailable) == 0 {
                    pen.invalid(&unavailable, "cannot be 0");
                }
                pen.at_most_all(&unavailable);
            }
        }
        kind => {
            let rolling = if rolling.is_set() { shown_rolling(&rolling) } else { "null".into() };
            let shown = format!("{{\"Type\":{},\"RollingUpdate\":{rolling}}}", shown::json(kind));
            pen.invalid_as(strategy, shown, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }
}

fn shown_rolling(rolling: &At<'_>) -> String {
    let partition = rolling.field("partition").int().unwrap_or_default();
    let unavailable = node_shown(rolling.field("maxUnavailable").node());
    format!("{{\"Partition\":{partition},\"MaxUnavailable\":{unavailable}}}")
}

/// The volumes that the set brings: the names of its claims.
pub(super) fn claims<'a>(scene: &Scene<'a>, kind: &str) -> Vec<&'a str> {
    if kind != "StatefulSet" {
        return Vec::new();
    }
    let list = scene.change.new_root().field("spec").field("volumeClaimTemplates");
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
