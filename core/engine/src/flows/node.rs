//! Node: its pod ranges, which cannot change once they are set.

use crate::fields;
use crate::rules::value::Reading;
use crate::rules::{address_families, immutable, pod_notes};
use crate::scene::Scene;
use crate::views::list_or_single;
use crate::{Kept, Verdict, Warning};
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) fn validate(scene: &Scene<'_>, verdict: &mut Verdict) {
    let root = scene.change.new_root();
    let new = ranges(&root);
    let old = scene.change.old_root().map(|root| ranges(&root)).unwrap_or_default();
    let stored: Kept<'_> = texts(&old).into_iter().collect();
    let reading = Reading::keeping(scene, &fields::NODE_POD_CIDRS, &stored);
    for at in &new {
        reading.check(scene, at, at.text_or_empty(), verdict);
    }
    let list = root.field("spec").field("podCIDRs");
    address_families::check_pod_cidrs(&list, &texts(&new), scene.policy.release, verdict);
    check_unchanged(&list, &new, &old, verdict);
}

fn check_unchanged(list: &At<'_>, new: &[At<'_>], old: &[At<'_>], verdict: &mut Verdict) {
    const ONCE_SET: &str = "node updates may not change podCIDR except from \"\" to valid";
    let changes = match (old.len(), new.len()) {
        (0, _) => 0,
        (before, after) if before != after => 1,
        _ => texts(new).iter().zip(texts(old)).filter(|(new, old)| *new != old).count(),
    };
    for _ in 0..changes {
        immutable::forbidden(list, ONCE_SET, verdict);
    }
}

pub(super) fn warn(scene: &Scene<'_>, verdict: &mut Verdict) {
    let root = scene.change.new_root();
    let spec = root.field("spec");
    let notes = [
        ("configSource", "spec.configSource: the feature is removed"),
        ("externalID", "spec.externalID: this field is deprecated, and is unused by Kubernetes"),
    ];
    for (name, told) in notes {
        let at = spec.field(name);
        if at.is_set() && at.text() != Some("") {
            verdict.warn(Warning::new(&pod_notes::RULE, &at, told));
        }
    }
    for at in ranges(&root) {
        Reading::fresh(&fields::NODE_POD_CIDRS).warn(scene, &at, at.text_or_empty(), verdict);
    }
}

fn ranges<'a>(root: &At<'a>) -> Vec<At<'a>> {
    let spec = root.field("spec");
    list_or_single(spec.field("podCIDRs"), spec.field("podCIDR"), |item| *item)
}

fn texts<'a>(ranges: &[At<'a>]) -> Vec<&'a str> {
    ranges.iter().map(At::text_or_empty).collect()
}
