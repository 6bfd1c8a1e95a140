//! `status.loadBalancer.ingress[]`, which Services and Ingresses have alike.

use crate::fields::Field;
use crate::rules::value::Reading;
use crate::scene::Scene;
use crate::{Kept, Verdict};
use ratchet_object::At;

/// The balancers of an object.
pub(super) fn of<'a>(root: &At<'a>) -> impl Iterator<Item = At<'a>> + use<'a> {
    root.field("status").field("loadBalancer").field("ingress").items()
}

/// The addresses that the stored object holds.
pub(super) fn kept<'a>(scene: &Scene<'a>) -> Kept<'a> {
    let old = scene.change.old_root();
    old.iter().flat_map(of).map(|at| at.field("ip").text_or_empty()).collect()
}

/// Checks the address of one balancer.
pub(super) fn check_ip(
    scene: &Scene<'_>,
    balancer: &At<'_>,
    field: &'static Field,
    kept: &Kept<'_>,
    verdict: &mut Verdict,
) {
    let ip = balancer.field("ip");
    if !ip.text_or_empty().is_empty() {
        Reading::keeping(scene, field, kept).check(scene, &ip, ip.text_or_empty(), verdict);
    }
}

/// Warnings name the entry, not its `ip`.
pub(super) fn warn(scene: &Scene<'_>, field: &'static Field, verdict: &mut Verdict) {
    for balancer in of(&scene.change.new_root()) {
        let ip = balancer.field("ip");
        if !ip.text_or_empty().is_empty() {
            let at = ip.named(*balancer.path());
            Reading::fresh(field).warn(scene, &at, ip.text_or_empty(), verdict);
        }
    }
}
