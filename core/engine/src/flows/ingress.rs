//! Ingress: hosts that are not addresses, and the addresses of its load balancers.

use super::{balancers, routing};
use crate::Verdict;
use crate::fields;
use crate::pen::Pen;
use crate::rules::host_names;
use crate::scene::Scene;

pub(super) fn validate(scene: &Scene<'_>, verdict: &mut Verdict) {
    let spec = scene.change.new_root().field("spec");
    routing::check_ingress(&spec, &mut Pen::new(scene, verdict));
    for rule in scene.change.new_root().field("spec").field("rules").items() {
        let host = rule.field("host");
        if !host.text_or_empty().is_empty() {
            host_names::check_not_an_ip(&host, host.text_or_empty(), verdict);
            host_names::check_rule_host(&host, host.text_or_empty(), verdict);
        }
    }
}

pub(super) fn validate_status(scene: &Scene<'_>, verdict: &mut Verdict) {
    let kept = balancers::kept(scene);
    for balancer in balancers::of(&scene.change.new_root()) {
        balancers::check_ip(scene, &balancer, &fields::INGRESS_INGRESS, &kept, verdict);
        host_names::check_balancer(&balancer.field("hostname"), verdict);
    }
}

pub(super) fn warn_status(scene: &Scene<'_>, verdict: &mut Verdict) {
    balancers::warn(scene, &fields::INGRESS_INGRESS, verdict);
}
