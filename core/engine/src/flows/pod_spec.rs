//! A pod's spec, wherever the pod stands: its parts, and what the proposals touch of it.

use super::pod_parts::{self, Place};
use crate::fields;
use crate::pen::Pen;
use crate::rules::value::Reading;
use crate::rules::{dns_config, dns_search, host_names, pod_notes};
use crate::scene::Scene;
use crate::views::texts;
use crate::{Kept, Verdict};
use ratchet_object::At;

/// Checks what holds `spec`; `old` is the stored one, where there is one.
pub(super) fn validate(
    scene: &Scene<'_>,
    pod: &At<'_>,
    old: Option<&At<'_>>,
    place: Place<'_>,
    verdict: &mut Verdict,
) {
    let spec = pod.field("spec");
    pod_parts::check(&spec, place, &mut Pen::new(scene, verdict));
    let old = old.map(|old| old.field("spec"));
    dns_config::check_policy(scene, &spec.field("dnsPolicy"), verdict);
    check_dns(scene, &spec, old.as_ref(), verdict);
    host_names::check_label(&spec.field("hostname"), verdict);
    host_names::check_label(&spec.field("subdomain"), verdict);
    let stored = old.as_ref().map(host_alias_texts).unwrap_or_default();
    let reading = Reading::keeping(scene, &fields::HOST_ALIASES, &stored);
    let aliases = spec.field("hostAliases");
    reading.check_all(scene, aliases.items().map(|alias| alias.field("ip")), verdict);
    for alias in aliases.items() {
        for name in alias.field("hostnames").items() {
            host_names::check_subdomain(&name, name.text_or_empty(), verdict);
        }
    }
}

fn check_dns(scene: &Scene<'_>, spec: &At<'_>, old: Option<&At<'_>>, verdict: &mut Verdict) {
    let config = spec.field("dnsConfig");
    if !dns_config::check_needed(&spec.field("dnsPolicy"), &config, verdict) || !config.is_set() {
        return;
    }
    let old = old.map(|old| old.field("dnsConfig"));
    let servers = config.field("nameservers");
    dns_config::check_count(scene, &servers, verdict);
    let stored: Kept<'_> = old.iter().flat_map(|old| texts(&old.field("nameservers"))).collect();
    let reading = Reading::keeping(scene, &fields::NAMESERVERS, &stored);
    reading.check_all(scene, servers.items(), verdict);
    let old_searches = old.map(|old| old.field("searches"));
    dns_search::check(scene, &config.field("searches"), old_searches, verdict);
    dns_config::check_options(&config.field("options"), verdict);
}

fn host_alias_texts<'a>(spec: &At<'a>) -> Kept<'a> {
    spec.field("hostAliases").items().map(|alias| alias.field("ip").text_or_empty()).collect()
}

/// Tells everything that is odd about what holds `spec`.
pub(super) fn warn(scene: &Scene<'_>, pod: &At<'_>, is_template: bool, verdict: &mut Verdict) {
    pod_notes::warn(scene, pod, is_template, verdict);
    let spec = pod.field("spec");
    for at in spec.field("dnsConfig").field("nameservers").items() {
        Reading::fresh(&fields::NAMESERVERS).warn(scene, &at, at.text_or_empty(), verdict);
    }
    for ip in spec.field("hostAliases").items().map(|alias| alias.field("ip")) {
        Reading::fresh(&fields::HOST_ALIASES).warn(scene, &ip, ip.text_or_empty(), verdict);
    }
}
