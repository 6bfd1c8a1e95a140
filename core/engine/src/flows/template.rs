//! What the kinds that hold a pod template tell about it: when they speak is a row each.

use super::pod_spec;
use crate::difference::SWAPPED_CONTROLLER_WARNINGS;
use crate::scene::Scene;
use crate::{Change, Verdict};
use ratchet_object::{At, Object};

/// What must change for an update to be told about its template.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaks {
    /// The spec, or an annotation.
    SpecOrAnnotations,
    /// The spec.
    Spec,
    /// The template.
    Template,
}

/// When each kind speaks.
const SPEAKS: [(&str, Speaks); 8] = [
    ("CronJob", Speaks::Spec),
    ("DaemonSet", Speaks::Template),
    ("Deployment", Speaks::SpecOrAnnotations),
    ("Job", Speaks::Spec),
    ("PodTemplate", Speaks::Template),
    ("ReplicaSet", Speaks::Spec),
    ("ReplicationController", Speaks::Spec),
    ("StatefulSet", Speaks::Spec),
];

pub(super) fn warn(scene: &Scene<'_>, verdict: &mut Verdict) {
    let change = scene.change;
    let Some(old) = change.old_object() else {
        let template = template_of(change, change.new_object());
        return pod_spec::warn(scene, &template, true, verdict);
    };
    if !speaks(change, old) {
        return;
    }
    let swapped = change.kind.name == "ReplicationController"
        && !scene.policy.follows_proposal(&SWAPPED_CONTROLLER_WARNINGS);
    let template = template_of(change, change.new_object());
    if !swapped {
        return pod_spec::warn(scene, &template, true, verdict);
    }
    let before = verdict.warnings.len();
    pod_spec::warn(scene, &template_of(change, old), true, verdict);
    // What the stored template says has no place in the text of the new one.
    for warning in verdict.warnings.iter_mut().skip(before) {
        warning.span = template.span();
    }
}

fn speaks<'a>(change: &Change<'a>, old: &'a Object<'a>) -> bool {
    let new = change.new_object();
    let differs = |field: &[&'a str]| {
        let (new, old) = (new.root().descend(field), old.root().descend(field));
        !new.equals(&old)
    };
    let row = SPEAKS.iter().find(|(kind, _)| *kind == change.kind.name);
    match row.map(|(_, speaks)| speaks) {
        Some(Speaks::Spec) => differs(&["spec"]),
        Some(Speaks::SpecOrAnnotations) => {
            differs(&["spec"]) || differs(&["metadata", "annotations"])
        }
        Some(Speaks::Template) | None => {
            differs(change.kind.pod.map_or(&["spec"], |place| place.0))
        }
    }
}

fn template_of<'a>(change: &Change<'a>, object: &'a Object<'a>) -> At<'a> {
    object.root().descend(change.kind.pod.map_or(&[], |place| place.0))
}
