//! Ingress: hosts that are not addresses, and the addresses of its load balancers.

use crate::fields;
use crate::judge::Scene;
use crate::rules::host_names;
use crate::rules::value::Reading;
use crate::{Kept, Verdict};
use ratchet_object::At;

pub(super) fn validate(scene: &Scene<'_>, verdict: &mut Verdict) {
    for rule in scene.change.new_root().field("spec").field("rules").items() {
        let host = rule.field("host");
        if !host.text_or_empty().is_empty() {
            host_names::check_not_an_ip(&host, host.text_or_empty(), verdict);
        }
    }
}

pub(super) fn validate_status(scene: &Scene<'_>, verdict: &mut Verdict) {
    let old = scene.change.old_root();
    let kept: Kept<'_> =
        old.iter().flat_map(balancers).map(|at| at.field("ip").text_or_empty()).collect();
    for balancer in balancers(&scene.change.new_root()) {
        let ip = balancer.field("ip");
        if !ip.text_or_empty().is_empty() {
            let reading = Reading::keeping(&fields::INGRESS_INGRESS, &kept);
            reading.check(scene, &ip, ip.text_or_empty(), verdict);
        }
        host_names::check_balancer(&balancer.field("hostname"), verdict);
    }
}

pub(super) fn warn_status(scene: &Scene<'_>, verdict: &mut Verdict) {
    for balancer in balancers(&scene.change.new_root()) {
        let ip = balancer.field("ip");
        if !ip.text_or_empty().is_empty() {
            // The API names the entry here, not its `ip`.
            let at = ip.named(*balancer.path());
            Reading::fresh(&fields::INGRESS_INGRESS).warn(scene, &at, ip.text_or_empty(), verdict);
        }
    }
}

/// `status.loadBalancer.ingress[]`.
pub(super) fn balancers<'a>(root: &At<'a>) -> impl Iterator<Item = At<'a>> + use<'a> {
    root.field("status").field("loadBalancer").field("ingress").items()
}
