//! Rule RTC-IP-007: each `except` of a NetworkPolicy's ipBlock is a strict subset of its `cidr`.

use crate::{FieldError, Origin, Ratchet, Rule, Verdict};
use ratchet_net::CidrText;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-IP-007",
    fields: &["NetworkPolicy spec.{ingress[].from,egress[].to}[].ipBlock.except[]"],
    title: "exception outside its network",
    origin: Origin::Api,
    demands: "Each `except` of an ipBlock is a strict subset of the block's `cidr`.",
    why: "An exception that lies elsewhere excludes nothing: the policy lets through what its author meant to shut out.",
    fix: "Take the exception from inside the block, with a longer prefix than the block's.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const OUTSIDE: &str = "must be a strict subset of `cidr`";

pub(crate) fn check(block: &CidrText, at: &At<'_>, text: &str, verdict: &mut Verdict) {
    let Ok(except) = CidrText::parse(text) else { return };
    // The API compares the prefix lengths as written, whatever the families.
    if !block.contains_network(&except) || block.prefix_len() >= except.prefix_len() {
        verdict.add_error(FieldError::invalid(&RULE, at, text, OUTSIDE));
    }
}
