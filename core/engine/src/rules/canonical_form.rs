//! Rule RTC-IP-003: addresses and CIDRs of newer fields are in canonical form, whatever the gates.

use crate::{FieldError, Origin, Ratchet, Rule, Verdict};
use alloc::format;
use alloc::string::ToString;
use ratchet_net::{CidrText, IpText};
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-IP-003",
    fields: &[],
    title: "address not in canonical form",
    origin: Origin::Kep(4858),
    demands: "An IPv6 address is written as RFC 5952 has it: lower case, no leading zeros, the longest run of zeros as `::`. Newer fields insist; older ones only warn.",
    why: "One address has many IPv6 spellings. Programs that compare texts take them for different addresses: controllers apply the same change for ever, and lists hold one address twice.",
    fix: "Write the canonical form that the message shows.",
    ratchet: Ratchet::Never,
    versions: "Refused in IPAddress names, ServiceCIDRs, device addresses and IPv6 EndpointSlices in all releases; a warning elsewhere since 1.33, in Services since 1.27.",
};

/// Checks `metadata.name` of an IPAddress, and IPv6 addresses of an EndpointSlice.
pub(crate) fn check_address(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    if let Ok(ip) = IpText::parse(text)
        && !ip.is_canonical()
    {
        verdict.add_error(not_canonical(at, text, ip.canonical().to_string()));
    }
}

/// Checks `spec.cidrs` of a ServiceCIDR.
pub(crate) fn check_network(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    if let Ok(cidr) = CidrText::parse(text)
        && !cidr.is_canonical_network()
    {
        verdict.add_error(not_canonical(at, text, cidr.network().to_string()));
    }
}

pub(crate) fn not_canonical(
    at: &At<'_>,
    text: &str,
    canonical: alloc::string::String,
) -> FieldError {
    let detail = format!("must be in canonical form (\"{canonical}\")");
    FieldError::invalid(&RULE, at, text, detail).with_fix(canonical)
}
