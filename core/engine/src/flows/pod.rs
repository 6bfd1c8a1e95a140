//! Pod: its spec, most of which cannot change.

use super::pod_spec;
use crate::rules::{immutable, placement, pod_notes};
use crate::scene::Scene;
use crate::{Part, Verdict};

pub(super) fn validate(scene: &Scene<'_>, verdict: &mut Verdict) {
    let (root, old) = (scene.change.new_root(), scene.change.old_root());
    if scene.change.is_create() {
        pod_notes::warn_app_armor(&root, verdict);
        let ephemeral = root.field("spec").field("ephemeralContainers");
        if !ephemeral.is_empty() {
            placement::forbidden(&ephemeral, "cannot be set on create", verdict);
        }
    }
    pod_spec::validate(scene, &root, old.as_ref(), verdict);
    let Some(old) = old else { return };
    let (spec, old) = (root.field("spec"), old.field("spec"));
    match scene.change.part {
        Part::Main => immutable::check_pod(&spec, &old, verdict),
        Part::Sub("ephemeralcontainers") => immutable::check_ephemeral(&spec, &old, verdict),
        Part::Sub(_) => {}
    }
}

/// The API speaks about pods only when they are created.
pub(super) fn warn(scene: &Scene<'_>, verdict: &mut Verdict) {
    if scene.change.is_create() {
        pod_spec::warn(scene, &scene.change.new_root(), false, verdict);
    }
}
