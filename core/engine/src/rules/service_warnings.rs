//! Rule RTC-SVC-002: warnings about fields of a Service that are ignored or deprecated.

use super::value::FieldCheck;
use crate::context::ValidationContext;
use crate::fields;
use crate::views::service_type;
use crate::{Origin, Ratchet, Rule, Verdict, Warning};
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-SVC-002",
    fields: &[
        "Service spec.externalIPs, spec.loadBalancerIP, spec.sessionAffinity, spec.externalName, spec.trafficDistribution",
        "Service metadata.annotations[service.kubernetes.io/topology-aware-hints]",
    ],
    title: "Service field without effect",
    origin: Origin::Api,
    demands: "Fields of a Service that are deprecated, or that its type ignores, are left out.",
    why: "`externalIPs` is on its way out (deprecated since 1.36), and a field that is ignored makes its author believe in something that does not happen.",
    fix: "Remove the field that the message names, or choose the type that uses it.",
    ratchet: Ratchet::Never,
    versions: "Warnings: topology hints in all releases, ignored ExternalName fields since 1.28, headless fields since 1.34, PreferClose since 1.35, external IPs since 1.36.",
};

const HINTS: &str = "service.kubernetes.io/topology-aware-hints";

/// Adds all warnings about a Service, in the API's order.
pub(crate) fn warn(
    ctx: &ValidationContext<'_>,
    root: &At<'_>,
    cluster_ips: &[At<'_>],
    verdict: &mut Verdict,
) {
    let release = ctx.config.release;
    let spec = root.field("spec");
    let field = |name| spec.field(name);
    let (externals, balancer_ip) = (field("externalIPs"), field("loadBalancerIP"));
    let kind = service_type(&spec);
    let first = cluster_ips.first().map(At::text_or_empty).unwrap_or_default();
    let is_headless = kind == "ClusterIP" && first == "None";
    let warn_at = |verdict: &mut Verdict, at: &At<'_>, text: &str| {
        verdict.warn(Warning::new(&RULE, at, text));
    };

    let hints = root.field("metadata").field("annotations").key(HINTS);
    if hints.is_set() {
        warn_at(
            verdict,
            &hints,
            "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
        );
    }
    if !first.is_empty() && first != "None" {
        for at in cluster_ips {
            FieldCheck::without_ratchet(&fields::CLUSTER_IPS).warn(
                ctx,
                at,
                at.text_or_empty(),
                verdict,
            );
        }
    }
    if is_headless && release.since(34) {
        if !balancer_ip.text_or_empty().is_empty() {
            warn_at(verdict, &balancer_ip, "spec.loadBalancerIP is ignored for headless services");
        }
        if !externals.is_empty() {
            warn_at(verdict, &externals, "spec.externalIPs is ignored for headless services");
        }
        let affinity = field("sessionAffinity");
        if !matches!(affinity.text_or_empty(), "" | "None") {
            warn_at(verdict, &affinity, "spec.SessionAffinity is ignored for headless services");
        }
    }
    for at in externals.items() {
        FieldCheck::without_ratchet(&fields::EXTERNAL_IPS).warn(
            ctx,
            &at,
            at.text_or_empty(),
            verdict,
        );
    }
    if release.since(36) && !externals.is_empty() && !is_headless && kind != "ExternalName" {
        warn_at(
            verdict,
            &externals,
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
        );
    }
    if !balancer_ip.text_or_empty().is_empty() {
        FieldCheck::without_ratchet(&fields::EXTERNAL_IPS).warn(
            ctx,
            &balancer_ip,
            balancer_ip.text_or_empty(),
            verdict,
        );
    }
    for at in field("loadBalancerSourceRanges").items() {
        FieldCheck::without_ratchet(&fields::SOURCE_RANGES).warn(
            ctx,
            &at,
            at.text_or_empty(),
            verdict,
        );
    }
    if kind == "ExternalName" && !externals.is_empty() {
        warn_at(
            verdict,
            &externals,
            "spec.externalIPs is ignored when spec.type is \"ExternalName\"",
        );
    }
    let external_name = field("externalName");
    if kind != "ExternalName" && !external_name.text_or_empty().is_empty() {
        warn_at(
            verdict,
            &external_name,
            "spec.externalName is ignored when spec.type is not \"ExternalName\"",
        );
    }
    let distribution = field("trafficDistribution");
    if release.since(35) && distribution.text_or_empty() == "PreferClose" {
        warn_at(
            verdict,
            &distribution,
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"",
        );
    }
}
