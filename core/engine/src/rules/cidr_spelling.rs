//! Rule RTC-IP-002: a CIDR is written so that every parser reads the same network.

use super::canonical_form;
use super::ip_spelling::FUTURE;
use super::value::FieldCheck;
use crate::context::ValidationContext;
use crate::{FieldError, Origin, Ratchet, Rule, Verdict, Warning};
use alloc::format;
use alloc::string::ToString;
use ratchet_net::{CidrFault, CidrText, Family, Quoted};
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-IP-002",
    fields: &[],
    title: "ambiguous or broken CIDR",
    origin: Origin::Kep(4858),
    demands: "A network has no leading zeros in its address or length, is not an IPv4 network in IPv6 clothes, and has no bits set beyond its length.",
    why: "`192.168.1.5/24` is the whole network 192.168.1.0/24 to one program and the one address 192.168.1.5 to another, so a policy may open or close what nobody meant. Leading zeros are octal to some readers (CVE-2021-29923).",
    fix: "Write the network's own address (`192.168.1.0/24`), or the single address with its full length (`192.168.1.5/32`), whichever was meant.",
    ratchet: Ratchet::ByValue,
    versions: "Refused since 1.36 (gate StrictIPCIDRValidation, alpha since 1.33); warned about since 1.33, in Services since 1.27. What cannot be read at all was always refused.",
};

const BAD: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const LEADING_ZEROS: &str = "must not have leading 0s in IP or prefix length";
const MAPPED: &str = "must not have an IPv4-mapped IPv6 address";
const HOST_BITS: &str = "must not have bits set beyond the prefix length";

/// Checks a value that is not exempt as a stored one.
pub(crate) fn check(
    field_check: &FieldCheck<'_>,
    strict: bool,
    at: &At<'_>,
    text: &str,
    verdict: &mut Verdict,
) {
    let error = match CidrText::parse(text) {
        Err(_) => FieldError::invalid(&RULE, at, text, BAD),
        Ok(cidr) => match cidr.fault().filter(|_| strict) {
            None => return,
            // Two networks are possible; only a person can choose.
            fault @ Some(_) if cidr.is_ambiguous() => {
                let hint = format!(
                    "write `{}` or `{}`, whichever is meant",
                    cidr.network(),
                    cidr.single()
                );
                FieldError::invalid(&RULE, at, text, detail(fault)).with_hint(hint)
            }
            fault => FieldError::invalid(&RULE, at, text, detail(fault))
                .with_fix(cidr.network().to_string()),
        },
    };
    verdict.add_error(error.with_difference(field_check.difference(text)));
}

fn detail(fault: Option<CidrFault>) -> &'static str {
    match fault {
        Some(CidrFault::LeadingZeros) => LEADING_ZEROS,
        Some(CidrFault::Mapped) => MAPPED,
        Some(CidrFault::HostBits) => HOST_BITS,
        None => BAD,
    }
}

/// Warns with the messages of 1.33 and later.
pub(crate) fn warn(
    field_check: &FieldCheck<'_>,
    ctx: &ValidationContext<'_>,
    at: &At<'_>,
    text: &str,
    verdict: &mut Verdict,
) {
    let Ok(cidr) = CidrText::parse(text) else { return };
    let release = ctx.config.release;
    let (path, value) = (at.path(), Quoted(text));
    let network = cidr.network().to_string();
    if cidr.is_ambiguous() {
        let message = format!(
            "{path}: CIDR value {value} is ambiguous in this context (should be \"{network}\" or \"{}\"?)",
            cidr.single()
        );
        verdict.warn(Warning::new(&RULE, at, message).with_difference(field_check.frozen_by(ctx)));
    }
    if cidr.is_nonstandard() {
        let judgement = if release.since(36) { "is invalid" } else { FUTURE };
        let message =
            format!("{path}: non-standard CIDR value {value} {judgement}: use \"{network}\"");
        let warning = Warning::new(&RULE, at, message).with_difference(field_check.frozen_by(ctx));
        verdict.warn(if cidr.is_ambiguous() { warning } else { warning.with_fix(network) });
    } else if !cidr.is_ambiguous() && cidr.family() == Family::V6 && !cidr.is_canonical_prefix() {
        let prefix = cidr.prefix().to_string();
        let message = format!(
            "{path}: IPv6 CIDR value {value} should be in RFC 5952 canonical format (\"{prefix}\")"
        );
        verdict.warn(Warning::new(&canonical_form::RULE, at, message).with_fix(prefix));
    }
}
