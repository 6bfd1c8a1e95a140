//! Validation of a pod spec, in a Pod or in a template: its parts, DNS settings and host aliases.

use super::pod_parts::{self, PodValidationOptions};
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::fields;
use crate::rules::value::FieldCheck;
use crate::rules::{dns_config, dns_search, host_names, pod_warnings};
use crate::views::texts;
use crate::{StoredValues, Verdict};
use ratchet_object::At;

/// Validates the `spec` of a pod or template; `old` is the stored one, if any.
pub(super) fn validate(
    ctx: &ValidationContext<'_>,
    pod: &At<'_>,
    old: Option<&At<'_>>,
    options: PodValidationOptions<'_>,
    verdict: &mut Verdict,
) {
    let spec = pod.field("spec");
    let old = old.map(|old| old.field("spec"));
    let options = PodValidationOptions { stored: old, ..options };
    pod_parts::check(&spec, options, &mut FieldErrors::new(ctx, verdict));
    dns_config::check_policy(ctx, &spec.field("dnsPolicy"), verdict);
    check_dns(ctx, &spec, old.as_ref(), verdict);
    // The controller gives pods of a StatefulSet other names.
    if ctx.change.kind.name != "StatefulSet" || !ctx.config.release.since(36) {
        host_names::check_label(&spec.field("hostname"), verdict);
        host_names::check_label(&spec.field("subdomain"), verdict);
    }
    let stored = old.as_ref().map(host_alias_texts).unwrap_or_default();
    let field_check = FieldCheck::with_ratchet(ctx, &fields::HOST_ALIASES, &stored);
    let aliases = spec.field("hostAliases");
    field_check.check_all(ctx, aliases.items().map(|alias| alias.field("ip")), verdict);
    for alias in aliases.items() {
        for name in alias.field("hostnames").items() {
            host_names::check_subdomain(&name, name.text_or_empty(), verdict);
        }
    }
}

fn check_dns(
    ctx: &ValidationContext<'_>,
    spec: &At<'_>,
    old: Option<&At<'_>>,
    verdict: &mut Verdict,
) {
    let config = spec.field("dnsConfig");
    if !dns_config::check_required(&spec.field("dnsPolicy"), &config, verdict) || !config.is_set() {
        return;
    }
    let old = old.map(|old| old.field("dnsConfig"));
    let servers = config.field("nameservers");
    dns_config::check_count(ctx, &servers, verdict);
    let stored: StoredValues<'_> =
        old.iter().flat_map(|old| texts(&old.field("nameservers"))).collect();
    let field_check = FieldCheck::with_ratchet(ctx, &fields::NAMESERVERS, &stored);
    field_check.check_all(ctx, servers.items(), verdict);
    let old_searches = old.map(|old| old.field("searches"));
    dns_search::check(ctx, &config.field("searches"), old_searches, verdict);
    dns_config::check_options(&config.field("options"), verdict);
}

fn host_alias_texts<'a>(spec: &At<'a>) -> StoredValues<'a> {
    spec.field("hostAliases").items().map(|alias| alias.field("ip").text_or_empty()).collect()
}

/// Adds all warnings about a pod or template.
pub(super) fn warn(
    ctx: &ValidationContext<'_>,
    pod: &At<'_>,
    is_template: bool,
    verdict: &mut Verdict,
) {
    pod_warnings::warn(ctx, pod, is_template, verdict);
    let spec = pod.field("spec");
    for at in spec.field("dnsConfig").field("nameservers").items() {
        FieldCheck::without_ratchet(&fields::NAMESERVERS).warn(
            ctx,
            &at,
            at.text_or_empty(),
            verdict,
        );
    }
    for ip in spec.field("hostAliases").items().map(|alias| alias.field("ip")) {
        FieldCheck::without_ratchet(&fields::HOST_ALIASES).warn(
            ctx,
            &ip,
            ip.text_or_empty(),
            verdict,
        );
    }
}
