//! Rule RTC-SVC-001: the plugin DenyServiceExternalIPs, with which a Service cannot add external IPs.

use crate::context::ValidationContext;
use crate::views::texts;
use crate::{Denial, Label, Origin, Part, Ratchet, Rule, StoredValues, Verdict};
use alloc::vec::Vec;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-SVC-001",
    fields: &["Service spec.externalIPs[]"],
    title: "external IPs are denied",
    origin: Origin::Kep(2200),
    demands: "With the admission plugin DenyServiceExternalIPs on, `spec.externalIPs` of a Service holds only texts that the stored Service holds already.",
    why: "Whoever may create a Service can claim any address in `externalIPs` and so intercept the traffic of others (CVE-2020-8554). The field cannot be made safe, so clusters close it.",
    fix: "Use a LoadBalancer Service or an Ingress; remove `spec.externalIPs`.",
    ratchet: Ratchet::ByValue,
    versions: "Since 1.21, off by default: --enable-admission-plugins=DenyServiceExternalIPs.",
};

/// The plugin's name.
const PLUGIN: &str = "DenyServiceExternalIPs";

const DENIED: &str = "Use of external IPs is denied by admission control";

pub(crate) fn judge(ctx: &ValidationContext<'_>, requester: Option<&str>, verdict: &mut Verdict) {
    let change = ctx.change;
    if change.kind.plural != "services" || change.part != Part::Main {
        return;
    }
    let old = change.old_root().map(|root| root.field("spec").field("externalIPs"));
    let stored: StoredValues<'_> = old.iter().flat_map(texts).collect();
    let namespace = change.new_object().namespace();
    let is_allowed = |address: &str| {
        let mut allowances = ctx.config.external_ips.iter();
        allowances.any(|allowance| allowance.allows(address, namespace, requester))
    };
    let added: Vec<Label> = change
        .new_root()
        .field("spec")
        .field("externalIPs")
        .items()
        .filter(|at| !stored.holds(at.text_or_empty()) && !is_allowed(at.text_or_empty()))
        .map(|at| Label::new(&RULE, &at, "not among the stored external IPs"))
        .collect();
    if !added.is_empty() {
        verdict.denial = Some(Denial {
            plugin: PLUGIN,
            rule: &RULE,
            text: DENIED.into(),
            labels: added,
            is_failure: false,
        });
    }
}
