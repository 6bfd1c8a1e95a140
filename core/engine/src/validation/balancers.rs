//! Validation of `status.loadBalancer.ingress[]` of Services and Ingresses.

use crate::context::ValidationContext;
use crate::fields::Field;
use crate::rules::value::FieldCheck;
use crate::{StoredValues, Verdict};
use ratchet_object::At;

/// The load balancer entries of an object.
pub(super) fn of<'a>(root: &At<'a>) -> impl Iterator<Item = At<'a>> + use<'a> {
    root.field("status").field("loadBalancer").field("ingress").items()
}

/// The addresses of the stored object.
pub(super) fn stored_ips<'a>(ctx: &ValidationContext<'a>) -> StoredValues<'a> {
    let old = ctx.change.old_root();
    old.iter().flat_map(of).map(|at| at.field("ip").text_or_empty()).collect()
}

/// Checks the address of one entry.
pub(super) fn check_ip(
    ctx: &ValidationContext<'_>,
    balancer: &At<'_>,
    field: &'static Field,
    stored: &StoredValues<'_>,
    verdict: &mut Verdict,
) {
    let ip = balancer.field("ip");
    if !ip.text_or_empty().is_empty() {
        FieldCheck::with_ratchet(ctx, field, stored).check(ctx, &ip, ip.text_or_empty(), verdict);
    }
}

/// Warns about the addresses; warnings have the path of the entry, not of its `ip`.
pub(super) fn warn(ctx: &ValidationContext<'_>, field: &'static Field, verdict: &mut Verdict) {
    for balancer in of(&ctx.change.new_root()) {
        let ip = balancer.field("ip");
        if !ip.text_or_empty().is_empty() {
            let at = ip.with_path(*balancer.path());
            FieldCheck::without_ratchet(field).warn(ctx, &at, ip.text_or_empty(), verdict);
        }
    }
}
