//! Validation of Services: cluster IPs first and alone, then external IPs and source ranges; balancers in the status.

use super::{balancers, service_fields};
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::fields;
use crate::rules::cluster_ips::{self, ClusterIps};
use crate::rules::value::FieldCheck;
use crate::rules::{host_names, immutable, placement, service_warnings, special_ip};
use crate::views::{service_type, texts};
use crate::{ApiConfig, Change, StoredValues, Verdict};
use ratchet_object::At;

const BALANCER_ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
const ANNOTATION: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let spec = root.field("spec");
    let old = ctx.change.old_root().map(|root| root.field("spec"));
    // The allocator checks before anything else, and its errors are reported alone.
    let first = check_first(ctx);
    if !first.errors.is_empty() {
        verdict.errors = first.errors;
        return;
    }
    if let Some(old) = &old {
        cluster_ips::check_unchanged(ctx, &spec, old, verdict);
        check_families_immutable(ctx, &spec, old, verdict);
    }
    let ips = ClusterIps::of(&spec, old.as_ref());
    let kind = service_type(&spec);
    if spec.field("ports").is_empty() && !ips.is_headless() && kind != "ExternalName" {
        placement::required(&spec.field("ports"), "", verdict);
    }
    let list = spec.field("clusterIPs");
    match kind {
        "LoadBalancer" if ips.is_headless() => {
            let detail = "may not be set to 'None' for LoadBalancer services";
            refuse_none(&list, detail, verdict);
        }
        "NodePort" if ips.is_headless() => {
            refuse_none(&list, "may not be set to 'None' for NodePort services", verdict);
        }
        "ExternalName" if !ips.all.is_empty() => {
            placement::forbidden(&list, "may not be set for ExternalName services", verdict);
        }
        _ => {}
    }
    let is_checked_first = cluster_ips::is_checked_first(&spec, old.as_ref());
    if !is_checked_first && kind != "ExternalName" {
        cluster_ips::check(ctx, &spec, old.as_ref(), verdict);
    }
    service_fields::check(&spec, &mut FieldErrors::new(ctx, verdict));
    check_external_ips(ctx, &spec, old.as_ref(), verdict);
    service_fields::check_type(&spec, &mut FieldErrors::new(ctx, verdict));
    check_source_ranges(ctx, &root, verdict);
    service_fields::check_balancer(&spec, old.as_ref(), &mut FieldErrors::new(ctx, verdict));
}

/// What the allocator of a server finds in a Service before it allocates anything.
fn check_first(ctx: &ValidationContext<'_>) -> Verdict {
    let spec = ctx.change.new_root().field("spec");
    let old = ctx.change.old_root().map(|root| root.field("spec"));
    let mut verdict = Verdict::default();
    if cluster_ips::is_checked_first(&spec, old.as_ref()) {
        cluster_ips::check(ctx, &spec, old.as_ref(), &mut verdict);
        if verdict.errors.is_empty() {
            cluster_ips::check_policy(&spec, old.as_ref(), &mut verdict);
        }
    }
    verdict
}

/// Whether a Service can be given addresses: if not, validation says why, and nothing else.
pub fn is_allocatable(change: &Change<'_>, config: &ApiConfig) -> bool {
    check_first(&ValidationContext { change, config }).errors.is_empty()
}

/// Checks that the families of a Service with addresses do not change, though a second one may be added or removed.
fn check_families_immutable(
    ctx: &ValidationContext<'_>,
    spec: &At<'_>,
    old: &At<'_>,
    verdict: &mut Verdict,
) {
    let has_addresses = |spec: &At<'_>, old: Option<&At<'_>>| {
        service_type(spec) != "ExternalName" && !ClusterIps::of(spec, old).is_headless()
    };
    if !has_addresses(spec, Some(old)) || !has_addresses(old, None) {
        return;
    }
    let list = spec.field("ipFamilies");
    let (new, before) = (texts(&list), texts(&old.field("ipFamilies")));
    if new.len() != before.len() {
        return;
    }
    let at = list.with_path(list.path().index(0));
    for _ in new.iter().zip(&before).filter(|(new, old)| new != old) {
        let formatted = crate::format_value::list(&new, ctx.config.release);
        immutable::changed_with_detail(&at, formatted, "may not change once set", verdict);
    }
}

fn refuse_none(list: &At<'_>, detail: &'static str, verdict: &mut Verdict) {
    let at = list.with_path(list.path().index(0));
    verdict.add_error(crate::FieldError::invalid(&cluster_ips::RULE, &at, "None", detail));
}

fn check_external_ips(
    ctx: &ValidationContext<'_>,
    spec: &At<'_>,
    old: Option<&At<'_>>,
    verdict: &mut Verdict,
) {
    let stored: StoredValues<'_> =
        old.iter().flat_map(|old| texts(&old.field("externalIPs"))).collect();
    for at in spec.field("externalIPs").items() {
        let text = at.text_or_empty();
        if FieldCheck::with_ratchet(ctx, &fields::EXTERNAL_IPS, &stored)
            .check(ctx, &at, text, verdict)
        {
            special_ip::check(&at, text, verdict);
        }
    }
}

fn check_source_ranges(ctx: &ValidationContext<'_>, root: &At<'_>, verdict: &mut Verdict) {
    let spec = root.field("spec");
    let old = ctx.change.old_root();
    let is_balancer = service_type(&spec) == "LoadBalancer";
    let ranges = spec.field("loadBalancerSourceRanges");
    // Errors write this field with a capital letter.
    let path = spec.path().field("LoadBalancerSourceRanges");
    if !ranges.is_empty() {
        if !is_balancer {
            placement::forbidden(&ranges.with_path(path), BALANCER_ONLY, verdict);
        }
        let stored = old.iter().map(|old| old.field("spec").field("loadBalancerSourceRanges"));
        let stored: StoredValues<'_> =
            stored.flat_map(|list| texts(&list)).map(str::trim).collect();
        for (index, at) in ranges.items().enumerate() {
            let field_check = FieldCheck::with_ratchet(ctx, &fields::SOURCE_RANGES, &stored);
            field_check.check(
                ctx,
                &at.with_path(path.index(index)),
                at.text_or_empty().trim(),
                verdict,
            );
        }
        return;
    }
    let annotation = source_ranges_annotation(root);
    if !annotation.is_set() {
        return;
    }
    if !is_balancer {
        placement::forbidden(&annotation, BALANCER_ONLY, verdict);
    }
    let text = annotation.text_or_empty();
    let stored = old.map(|old| source_ranges_annotation(&old)).filter(At::is_set);
    let unchanged = stored.is_some_and(|stored| stored.text_or_empty() == text);
    if !unchanged && !text.trim().is_empty() {
        for range in text.trim().split(',') {
            FieldCheck::without_ratchet(&fields::SOURCE_RANGES).check(
                ctx,
                &annotation,
                range.trim(),
                verdict,
            );
        }
    }
}

fn source_ranges_annotation<'a>(root: &At<'a>) -> At<'a> {
    root.field("metadata").field("annotations").key(ANNOTATION)
}

pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let old = ctx.change.old_root().map(|root| root.field("spec"));
    let ips = ClusterIps::of(&root.field("spec"), old.as_ref());
    service_warnings::warn(ctx, &root, &ips.all, verdict);
}

pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let new = ctx.change.new_root();
    let old = ctx.change.old_root();
    // A status update leaves the stored spec in place.
    let spec = old.unwrap_or(new).field("spec");
    let list = new.field("status").field("loadBalancer").field("ingress");
    if service_type(&spec) != "LoadBalancer" {
        if !list.is_empty() {
            let detail = "may only be used when `spec.type` is 'LoadBalancer'";
            placement::forbidden(&list, detail, verdict);
        }
        return;
    }
    let stored = balancers::stored_ips(ctx);
    for balancer in balancers::of(&new) {
        balancers::check_ip(ctx, &balancer, &fields::SERVICE_INGRESS, &stored, verdict);
        let mode = balancer.field("ipMode");
        if balancer.field("ip").text_or_empty().is_empty() {
            if mode.is_set() {
                placement::forbidden(&mode, "may not be specified when `ip` is not set", verdict);
            }
        } else if !matches!(mode.text_or_empty(), "" | "VIP" | "Proxy") {
            let supported = "\"Proxy\", \"VIP\"";
            placement::unsupported(ctx, &mode, mode.text_or_empty(), supported, verdict);
        }
        host_names::check_balancer(&balancer.field("hostname"), verdict);
    }
}

pub(super) fn warn_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    balancers::warn(ctx, &fields::SERVICE_INGRESS, verdict);
}
