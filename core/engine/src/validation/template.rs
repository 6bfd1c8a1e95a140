//! Warnings of the kinds with a pod template, and the changes on update that trigger them.

use super::pod_spec;
use crate::context::ValidationContext;
use crate::difference::SWAPPED_CONTROLLER_WARNINGS;
use crate::rules::ineffective_setting::{warn_at, warn_text};
use crate::rules::{byte_amounts, names};
use crate::{Change, Verdict};
use ratchet_object::{At, Object};

/// The change that triggers warnings about the template on update.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WarnOn {
    /// Any change of the spec or the annotations.
    SpecOrAnnotations,
    /// Any change of the spec.
    Spec,
    /// Any change of the pod template.
    Template,
}

/// The trigger of each kind.
const WARN_ON: [(&str, WarnOn); 8] = [
    ("CronJob", WarnOn::Spec),
    ("DaemonSet", WarnOn::Template),
    ("Deployment", WarnOn::SpecOrAnnotations),
    ("Job", WarnOn::Spec),
    ("PodTemplate", WarnOn::Template),
    ("ReplicaSet", WarnOn::Spec),
    ("ReplicationController", WarnOn::Spec),
    ("StatefulSet", WarnOn::Spec),
];

const MANY_COMPLETIONS: i64 = 100_000;
const MUCH_PARALLELISM: i64 = 10_000;
const UNTRACKED: &str = "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
const NEGATIVE_HISTORY: &str =
    "a negative value retains all historical revisions; a value >= 0 is recommended";
const ZONE_IN_SCHEDULE: &str = "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let change = ctx.change;
    names::warn_host_name(change, verdict);
    match change.old_object() {
        Some(old) if !should_warn(change, old) => {}
        Some(old) if is_swapped(ctx) => warn_stored(ctx, old, verdict),
        _ => {
            warn_indexed(change, verdict);
            pod_spec::warn(ctx, &template_of(change, change.new_object()), true, verdict);
        }
    }
    let spec = change.new_root().field("spec");
    match change.kind.name {
        "StatefulSet" => warn_stateful(change, &spec, verdict),
        "CronJob" if !change.is_create() => {
            let schedule = spec.field("schedule");
            if schedule.text_or_empty().contains("TZ") {
                warn_text(verdict, &schedule, ZONE_IN_SCHEDULE);
            }
        }
        _ => {}
    }
}

/// Whether warnings are about the stored template, as on update of a ReplicationController.
fn is_swapped(ctx: &ValidationContext<'_>) -> bool {
    ctx.change.kind.name == "ReplicationController"
        && !ctx.config.follows_proposal(&SWAPPED_CONTROLLER_WARNINGS)
}

fn warn_stored<'a>(ctx: &ValidationContext<'a>, old: &'a Object<'a>, verdict: &mut Verdict) {
    let before = verdict.warnings.len();
    pod_spec::warn(ctx, &template_of(ctx.change, old), true, verdict);
    // The stored template has no position in the source text of the new one.
    let template = template_of(ctx.change, ctx.change.new_object());
    for warning in verdict.warnings.iter_mut().skip(before) {
        warning.span = template.span();
    }
}

/// Warns about a Job, alone or in a CronJob, with more indexes than can be tracked.
fn warn_indexed(change: &Change<'_>, verdict: &mut Verdict) {
    let place: &[&str] = match change.kind.name {
        "Job" => &["spec"],
        "CronJob" => &["spec", "jobTemplate", "spec"],
        _ => return,
    };
    let spec = change.new_root().descend(place);
    let exceeds = |name, most| spec.field(name).int().is_some_and(|count| count > most);
    if spec.field("completionMode").text_or_empty() == "Indexed"
        && exceeds("completions", MANY_COMPLETIONS)
        && exceeds("parallelism", MUCH_PARALLELISM)
    {
        warn_at(verdict, &spec, UNTRACKED);
    }
}

/// Warns about the claims and the `revisionHistoryLimit` of a StatefulSet.
fn warn_stateful(change: &Change<'_>, spec: &At<'_>, verdict: &mut Verdict) {
    for claim in spec.field("volumeClaimTemplates").items() {
        // The API omits `spec` from the path on create, and writes it with a capital on update.
        let path = match change.is_create() {
            true => *claim.path(),
            false => claim.path().field("Spec"),
        };
        byte_amounts::warn_claim(&claim.field("spec").with_path(path), verdict);
    }
    let limit = spec.field("revisionHistoryLimit");
    if limit.int().is_some_and(|limit| limit < 0) {
        warn_at(verdict, &limit, NEGATIVE_HISTORY);
    }
}

fn should_warn<'a>(change: &Change<'a>, old: &'a Object<'a>) -> bool {
    let new = change.new_object();
    let differs = |field: &[&'a str]| {
        let (new, old) = (new.root().descend(field), old.root().descend(field));
        !new.equals(&old)
    };
    let row = WARN_ON.iter().find(|(kind, _)| *kind == change.kind.name);
    match row.map(|(_, should_warn)| should_warn) {
        Some(WarnOn::Spec) => differs(&["spec"]),
        Some(WarnOn::SpecOrAnnotations) => {
            differs(&["spec"]) || differs(&["metadata", "annotations"])
        }
        Some(WarnOn::Template) | None => {
            differs(change.kind.pod.map_or(&["spec"], |place| place.0))
        }
    }
}

fn template_of<'a>(change: &Change<'a>, object: &'a Object<'a>) -> At<'a> {
    object.root().descend(change.kind.pod.map_or(&[], |place| place.0))
}
