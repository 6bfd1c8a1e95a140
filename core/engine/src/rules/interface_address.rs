//! Rule RTC-IP-004: an interface address is an IP with its prefix length, in canonical form.

use super::canonical_form::not_canonical;
use crate::context::ValidationContext;
use crate::{FieldError, Origin, Ratchet, Rule, Verdict};
use alloc::string::ToString;
use ratchet_net::CidrText;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-IP-004",
    fields: &[],
    title: "broken interface address",
    origin: Origin::Kep(4858),
    demands: "`status.devices[].networkData.ips[]` of a ResourceClaim holds an address and the length of its network (`10.9.8.7/24`), in canonical form.",
    why: "Drivers write these and other programs compare them; a second spelling of the same address would be a second address.",
    fix: "Write the address with its length, in the canonical form that the message shows.",
    ratchet: Ratchet::Never,
    versions: "Since the field exists (1.32); canonical form since 1.33.",
};

const BAD: &str = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";

pub(crate) fn check(ctx: &ValidationContext<'_>, at: &At<'_>, text: &str, verdict: &mut Verdict) {
    let requires_canonical = ctx.config.release.since(33);
    match CidrText::parse(text) {
        Err(_) => verdict.add_error(FieldError::invalid(&RULE, at, text, BAD)),
        Ok(cidr) if requires_canonical && !cidr.is_canonical_interface() => {
            verdict.add_error(not_canonical(at, text, cidr.interface().to_string()));
        }
        Ok(_) => {}
    }
}
