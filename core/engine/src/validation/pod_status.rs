//! Validation of pod IPs and host IPs in the status of a Pod.

use crate::context::ValidationContext;
use crate::difference::FREE_HOST_IP;
use crate::fields::{self, Field};
use crate::rules::address_families;
use crate::rules::value::FieldCheck;
use crate::views::list_or_single;
use crate::{FieldError, StoredValues, Verdict};
use alloc::vec::Vec;
use ratchet_object::At;

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let status = ctx.change.new_root().field("status");
    let old = ctx.change.old_root().map(|root| root.field("status"));
    let stored = old.as_ref().map(pod_ips).unwrap_or_default();
    check(
        ctx,
        &status.field("podIPs"),
        &pod_ips(&status),
        &stored,
        &fields::POD_IPS,
        "PodIP",
        verdict,
    );

    let hosts = host_ips(&status);
    if let Some(first) = hosts.first() {
        let single = status.field("hostIP").text_or_empty();
        if first.text_or_empty() != single {
            let at = first.with_path(first.path().field("ip"));
            let detail = "must be equal to `hostIP`";
            verdict.add_error(FieldError::invalid(
                &address_families::RULE,
                &at,
                first.text_or_empty(),
                detail,
            ));
        }
    }
    let stored = old.as_ref().map(host_ips).unwrap_or_default();
    check(ctx, &status.field("hostIPs"), &hosts, &stored, &fields::HOST_IPS, "HostIP", verdict);
    if let Some(single) = lone_host_ip(ctx, &status) {
        let stored = old.map(|old| old.field("hostIP"));
        let stored_values: StoredValues<'_> = stored.iter().map(At::text_or_empty).collect();
        let before = verdict.errors.len();
        let field_check = FieldCheck::with_ratchet(ctx, &fields::HOST_IP, &stored_values);
        field_check.check(ctx, &single, single.text_or_empty(), verdict);
        for error in verdict.errors.iter_mut().skip(before) {
            error.difference = Some(&FREE_HOST_IP);
        }
    }
}

fn check(
    ctx: &ValidationContext<'_>,
    list: &At<'_>,
    ips: &[At<'_>],
    stored: &[At<'_>],
    field: &'static Field,
    name: &str,
    verdict: &mut Verdict,
) {
    let stored_values: StoredValues<'_> = stored.iter().map(At::text_or_empty).collect();
    for at in ips {
        FieldCheck::with_ratchet(ctx, field, &stored_values).check(
            ctx,
            at,
            at.text_or_empty(),
            verdict,
        );
    }
    let texts: Vec<&str> = ips.iter().map(At::text_or_empty).collect();
    address_families::check_status_ips(list, &texts, name, ctx.config.release, verdict);
}

/// Warns about the addresses; warnings have the path of the `ip`, errors that of the entry.
pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let status = ctx.change.new_root().field("status");
    let lists = [(pod_ips(&status), &fields::POD_IPS), (host_ips(&status), &fields::HOST_IPS)];
    for (ips, field) in lists {
        for at in ips {
            let at = at.with_path(at.path().field("ip"));
            FieldCheck::without_ratchet(field).warn(ctx, &at, at.text_or_empty(), verdict);
        }
    }
    if let Some(single) = lone_host_ip(ctx, &status) {
        let text = single.text_or_empty();
        FieldCheck::without_ratchet(&fields::HOST_IP).warn(ctx, &single, text, verdict);
    }
}

fn pod_ips<'a>(status: &At<'a>) -> Vec<At<'a>> {
    list_or_single(status.field("podIPs"), status.field("podIP"), |item| item.field("ip"))
}

/// `hostIP` where `hostIPs` does not contain it. Released Kubernetes does not validate it.
fn lone_host_ip<'a>(ctx: &ValidationContext<'_>, status: &At<'a>) -> Option<At<'a>> {
    let single = status.field("hostIP");
    let text = single.text_or_empty();
    let is_listed = || host_ips(status).iter().any(|at| at.text_or_empty() == text);
    (ctx.config.follows_proposal(&FREE_HOST_IP) && !text.is_empty() && !is_listed())
        .then_some(single)
}

/// The host addresses, each with the path of its entry.
fn host_ips<'a>(status: &At<'a>) -> Vec<At<'a>> {
    status.field("hostIPs").items().map(|item| item.field("ip").with_path(*item.path())).collect()
}
