//! A pod's spec, wherever the pod stands: its parts, and what the proposals touch of it.

use super::pod_parts::{self, Place};
use crate::context::ValidationContext;
use crate::field_errors::FieldErrors;
use crate::fields;
use crate::rules::value::FieldCheck;
use crate::rules::{dns_config, dns_search, host_names, pod_notes};
use crate::views::texts;
use crate::{StoredValues, Verdict};
use ratchet_object::At;

/// Checks what holds `spec`; `old` is the stored one, where there is one.
pub(super) fn validate(
    ctx: &ValidationContext<'_>,
    pod: &At<'_>,
    old: Option<&At<'_>>,
    place: Place<'_>,
    verdict: &mut Verdict,
) {
    let spec = pod.field("spec");
    pod_parts::check(&spec, place, &mut FieldErrors::new(ctx, verdict));
    let old = old.map(|old| old.field("spec"));
    dns_config::check_policy(ctx, &spec.field("dnsPolicy"), verdict);
    check_dns(ctx, &spec, old.as_ref(), verdict);
    host_names::check_label(&spec.field("hostname"), verdict);
    host_names::check_label(&spec.field("subdomain"), verdict);
    let stored = old.as_ref().map(host_alias_texts).unwrap_or_default();
    let reading = FieldCheck::keeping(ctx, &fields::HOST_ALIASES, &stored);
    let aliases = spec.field("hostAliases");
    reading.check_all(ctx, aliases.items().map(|alias| alias.field("ip")), verdict);
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
    if !dns_config::check_needed(&spec.field("dnsPolicy"), &config, verdict) || !config.is_set() {
        return;
    }
    let old = old.map(|old| old.field("dnsConfig"));
    let servers = config.field("nameservers");
    dns_config::check_count(ctx, &servers, verdict);
    let stored: StoredValues<'_> =
        old.iter().flat_map(|old| texts(&old.field("nameservers"))).collect();
    let reading = FieldCheck::keeping(ctx, &fields::NAMESERVERS, &stored);
    reading.check_all(ctx, servers.items(), verdict);
    let old_searches = old.map(|old| old.field("searches"));
    dns_search::check(ctx, &config.field("searches"), old_searches, verdict);
    dns_config::check_options(&config.field("options"), verdict);
}

fn host_alias_texts<'a>(spec: &At<'a>) -> StoredValues<'a> {
    spec.field("hostAliases").items().map(|alias| alias.field("ip").text_or_empty()).collect()
}

/// Tells everything that is odd about what holds `spec`.
pub(super) fn warn(
    ctx: &ValidationContext<'_>,
    pod: &At<'_>,
    is_template: bool,
    verdict: &mut Verdict,
) {
    pod_notes::warn(ctx, pod, is_template, verdict);
    let spec = pod.field("spec");
    for at in spec.field("dnsConfig").field("nameservers").items() {
        FieldCheck::fresh(&fields::NAMESERVERS).warn(ctx, &at, at.text_or_empty(), verdict);
    }
    for ip in spec.field("hostAliases").items().map(|alias| alias.field("ip")) {
        FieldCheck::fresh(&fields::HOST_ALIASES).warn(ctx, &ip, ip.text_or_empty(), verdict);
    }
}
