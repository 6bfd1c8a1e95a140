//! Validation of Ingresses: backends, hosts of rules, and load balancers in the status.

use super::{balancers, routing};
use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::fields;
use crate::name_format::NameFormat;
use crate::rules::host_names;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let spec = ctx.change.new_root().field("spec");
    routing::check_ingress(&spec, &mut FieldErrors::new(ctx, verdict));
    for rule in ctx.change.new_root().field("spec").field("rules").items() {
        let host = rule.field("host");
        if !host.text_or_empty().is_empty() {
            host_names::check_not_an_ip(&host, host.text_or_empty(), verdict);
            host_names::check_rule_host(&host, host.text_or_empty(), verdict);
        }
    }
    let class = spec.field("ingressClassName");
    if class.is_set() {
        FieldErrors::new(ctx, verdict).form(&class, NameFormat::Subdomain);
    }
}

pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let stored = balancers::stored_ips(ctx);
    for balancer in balancers::of(&ctx.change.new_root()) {
        balancers::check_ip(ctx, &balancer, &fields::INGRESS_INGRESS, &stored, verdict);
        host_names::check_balancer(&balancer.field("hostname"), verdict);
    }
}

pub(super) fn warn_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    balancers::warn(ctx, &fields::INGRESS_INGRESS, verdict);
}
