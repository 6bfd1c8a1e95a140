//! Validation of ServiceCIDRs: a second range may be added, and nothing else changed.

use crate::context::ValidationContext;
use crate::fields;
use crate::rules::value::FieldCheck;
use crate::rules::{address_families, cluster_ips, immutable, placement};
use crate::views::texts;
use crate::{Cause, FieldError, Verdict, format_value};
use alloc::format;
use ratchet_net::Quoted;
use ratchet_object::At;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let list = ctx.change.new_root().field("spec").field("cidrs");
    let Some(old) = ctx.change.old_root().map(|root| root.field("spec").field("cidrs")) else {
        return check(ctx, &list, verdict);
    };
    let (new, before) = (texts(&list), texts(&old));
    let mut changed = |index: usize| {
        if let (Some(at), Some(text)) = (list.items().nth(index), new.get(index))
            && before.get(index) != Some(text)
        {
            immutable::changed(&at, format!("{}", Quoted(text)), verdict);
        }
    };
    match (before.len(), new.len()) {
        (one, other) if one == other => (0..new.len()).for_each(changed),
        (1, 2) => {
            changed(0);
            check(ctx, &list, verdict);
        }
        _ => immutable::changed(&list, format_value::list(&new, ctx.config.release), verdict),
    }
}

fn check(ctx: &ValidationContext<'_>, list: &At<'_>, verdict: &mut Verdict) {
    let all = texts(list);
    if all.is_empty() {
        return placement::required(list, "at least one CIDR required", verdict);
    }
    if all.len() > 2 {
        let texts = format_value::list(&all, ctx.config.release);
        let formatted = if ctx.config.release.since(34) {
            format!("{{\"CIDRs\":{texts}}}")
        } else {
            format!("networking.ServiceCIDRSpec{{CIDRs:{texts}}}")
        };
        let detail = "may only hold up to 2 values";
        let error = FieldError::new(&cluster_ips::RULE, Cause::Invalid, list, detail);
        return verdict.add_error(error.with_value(formatted));
    }
    for at in list.items() {
        FieldCheck::without_ratchet(&fields::SERVICE_CIDRS).check(
            ctx,
            &at,
            at.text_or_empty(),
            verdict,
        );
    }
    address_families::check_service_cidrs(list, &all, ctx.config.release, verdict);
}
