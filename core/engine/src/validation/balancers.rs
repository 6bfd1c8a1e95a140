//! `status.loadBalancer.ingress[]`, which Services and Ingresses have alike.

use crate::context::ValidationContext;
use crate::fields::Field;
use crate::rules::value::FieldCheck;
use crate::{StoredValues, Verdict};
use ratchet_object::At;

/// The balancers of an object.
pub(super) fn of<'a>(root: &At<'a>) -> impl Iterator<Item = At<'a>> + use<'a> {
    root.field("status").field("loadBalancer").field("ingress").items()
}

/// The addresses that the stored object holds.
pub(super) fn kept<'a>(ctx: &ValidationContext<'a>) -> StoredValues<'a> {
    let old = ctx.change.old_root();
    old.iter().flat_map(of).map(|at| at.field("ip").text_or_empty()).collect()
}

/// Checks the address of one balancer.
pub(super) fn check_ip(
    ctx: &ValidationContext<'_>,
    balancer: &At<'_>,
    field: &'static Field,
    kept: &StoredValues<'_>,
    verdict: &mut Verdict,
) {
    let ip = balancer.field("ip");
    if !ip.text_or_empty().is_empty() {
        FieldCheck::keeping(ctx, field, kept).check(ctx, &ip, ip.text_or_empty(), verdict);
    }
}

/// Warnings name the entry, not its `ip`.
pub(super) fn warn(ctx: &ValidationContext<'_>, field: &'static Field, verdict: &mut Verdict) {
    for balancer in of(&ctx.change.new_root()) {
        let ip = balancer.field("ip");
        if !ip.text_or_empty().is_empty() {
            let at = ip.named(*balancer.path());
            FieldCheck::fresh(field).warn(ctx, &at, ip.text_or_empty(), verdict);
        }
    }
}
