//! Rule RTC-DNS-002: DNS policy, name servers and options of a pod are consistent.

use crate::context::ValidationContext;
use crate::views::texts;
use crate::{Cause, FieldError, Origin, Ratchet, Rule, Verdict, format_value};
use alloc::format;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-DNS-002",
    fields: &[
        "Pod spec.dnsPolicy, spec.dnsConfig.nameservers, spec.dnsConfig.options[].name, also in every pod template",
    ],
    title: "DNS settings that do not hold together",
    origin: Origin::Api,
    demands: "`dnsPolicy` is one that exists; `None` needs at least one name server; at most three name servers; every option has a name.",
    why: "A pod without a working resolver starts and then fails at its first look-up, far from the manifest that caused it.",
    fix: "Give `dnsConfig.nameservers` when `dnsPolicy` is None, at most three of them, and name every option.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const MOST_NAMESERVERS: usize = 3;

pub(crate) fn check_policy(ctx: &ValidationContext<'_>, at: &At<'_>, verdict: &mut Verdict) {
    let text = at.text_or_empty();
    if text.is_empty() || POLICIES.contains(&text) {
        return;
    }
    let supported = POLICIES.map(|policy| format!("\"{policy}\"")).join(", ");
    let detail = format!("supported values: {supported}");
    let error = FieldError::new(&RULE, Cause::NotSupported, at, detail);
    verdict.add_error(error.with_value(format_value::typed_string(text, ctx.config.release)));
}

/// Checks what `dnsPolicy: None` requires; returns whether to check the rest of the settings.
pub(crate) fn check_required(policy: &At<'_>, config: &At<'_>, verdict: &mut Verdict) -> bool {
    if policy.text_or_empty() != "None" {
        return true;
    }
    if !config.is_set() {
        let detail = "must provide `dnsConfig` when `dnsPolicy` is None";
        verdict.add_error(FieldError::new(&RULE, Cause::Required, config, detail));
        return false;
    }
    let servers = config.field("nameservers");
    if servers.is_empty() {
        let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        verdict.add_error(FieldError::new(&RULE, Cause::Required, &servers, detail));
        return false;
    }
    true
}

pub(crate) fn check_count(ctx: &ValidationContext<'_>, servers: &At<'_>, verdict: &mut Verdict) {
    if servers.len() > MOST_NAMESERVERS {
        let detail = "must not have more than 3 nameservers";
        let formatted = format_value::list(&texts(servers), ctx.config.release);
        verdict.add_error(
            FieldError::new(&RULE, Cause::Invalid, servers, detail).with_value(formatted),
        );
    }
}

pub(crate) fn check_options(options: &At<'_>, verdict: &mut Verdict) {
    for option in options.items() {
        if option.field("name").text_or_empty().is_empty() {
            verdict.add_error(FieldError::new(
                &RULE,
                Cause::Required,
                &option,
                "must not be empty",
            ));
        }
    }
}
