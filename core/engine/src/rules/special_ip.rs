//! Rule RTC-IP-005: endpoint addresses and external IPs are not in special ranges (loopback, link-local and the like).

use crate::{FieldError, Origin, Ratchet, Rule, Verdict};
use alloc::format;
use ratchet_net::{IpText, class};
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-IP-005",
    fields: &[
        "Endpoints subsets[].{addresses,notReadyAddresses}[].ip",
        "EndpointSlice endpoints[].addresses[]",
        "Service spec.externalIPs[]",
    ],
    title: "address from a special range",
    origin: Origin::Api,
    demands: "Addresses of Endpoints and EndpointSlices, and external IPs, are not unspecified, loopback, link-local or link-local multicast.",
    why: "Traffic for such an address goes to the node itself, its metadata service or its neighbours: a way to reach what a network policy or a firewall shields (CVE-2020-8554 and its relatives).",
    fix: "Use an address that is routed to the thing you mean.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const BAD: &str = "must be a valid IP address";

/// Reports every special range that contains the address, in the order of the API.
pub(crate) fn check(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    let Ok(ip) = IpText::parse(text) else {
        return verdict.add_error(FieldError::invalid(&RULE, at, text, BAD));
    };
    let addr = ip.addr();
    if class::is_unspecified(addr) {
        let detail = format!("may not be unspecified ({text})");
        verdict.add_error(FieldError::invalid(&RULE, at, text, detail));
    }
    type Range = (fn(core::net::IpAddr) -> bool, &'static str);
    let ranges: [Range; 3] = [
        (class::is_loopback, "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        (
            class::is_link_local_unicast,
            "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
        ),
        (
            class::is_link_local_multicast,
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
        ),
    ];
    for (is_in, detail) in ranges {
        if is_in(addr) {
            verdict.add_error(FieldError::invalid(&RULE, at, text, detail));
        }
    }
}
