//! Rule RTC-IP-001: an IP address is written so that every parser reads the same address.

use super::canonical_form;
use super::value::FieldCheck;
use crate::context::ValidationContext;
use crate::{FieldError, Origin, Ratchet, Rule, Verdict, Warning};
use alloc::format;
use alloc::string::ToString;
use ratchet_net::{Family, IpFault, IpText, Quoted};
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-IP-001",
    fields: &[],
    title: "ambiguous or broken IP address",
    origin: Origin::Kep(4858),
    demands: "An IP address has no leading zeros in its octets, no IPv6 group of more than four digits, and is not an IPv4 address in IPv6 clothes (`::ffff:1.2.3.4`).",
    why: "Go ignores leading zeros, most C libraries read them as octal: `012.0.0.1` is 12.0.0.1 to one program and 10.0.0.1 to another. Such an address passes a check in one and reaches something else through the other (CVE-2021-29923). IPv4-mapped addresses smuggle the same way.",
    fix: "Write the address in its usual form: no leading zeros, IPv4 as plain IPv4. Decide first which address was meant.",
    ratchet: Ratchet::ByValue,
    versions: "Refused since 1.36 (gate StrictIPCIDRValidation, alpha since 1.33); warned about since 1.33, in Services since 1.27. What cannot be read at all was always refused.",
};

pub(crate) const BAD: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const LEADING_ZEROS: &str = "must not have leading 0s";
const MAPPED: &str = "must not be an IPv4-mapped IPv6 address";

/// Checks a value that is not exempt as a stored one.
pub(crate) fn check(
    field_check: &FieldCheck<'_>,
    strict: bool,
    at: &At<'_>,
    text: &str,
    verdict: &mut Verdict,
) {
    let error = match IpText::parse(text) {
        Err(_) => FieldError::invalid(&RULE, at, text, BAD),
        Ok(ip) => match ip.fault().filter(|_| strict) {
            None => return,
            Some(fault) => {
                let detail = match fault {
                    IpFault::LeadingZeros => LEADING_ZEROS,
                    IpFault::Mapped => MAPPED,
                };
                FieldError::invalid(&RULE, at, text, detail).with_fix(ip.canonical().to_string())
            }
        },
    };
    verdict.add_error(error.with_difference(field_check.difference(text)));
}

/// Warns with the messages of 1.33 and later.
pub(crate) fn warn(
    field_check: &FieldCheck<'_>,
    ctx: &ValidationContext<'_>,
    at: &At<'_>,
    text: &str,
    verdict: &mut Verdict,
) {
    let Ok(ip) = IpText::parse(text) else { return };
    let release = ctx.config.release;
    let (path, value) = (at.path(), Quoted(text));
    let canonical = ip.canonical().to_string();
    if ip.fault().is_some() {
        let judgement = if release.since(36) { "is invalid" } else { FUTURE };
        let message =
            format!("{path}: non-standard IP address {value} {judgement}: use \"{canonical}\"");
        let warning = Warning::new(&RULE, at, message).with_fix(canonical);
        verdict.warn(warning.with_difference(field_check.frozen_by(ctx)));
    } else if ip.family() == Family::V6 && !ip.is_canonical() {
        let message = format!(
            "{path}: IPv6 address {value} should be in RFC 5952 canonical format (\"{canonical}\")"
        );
        verdict.warn(Warning::new(&canonical_form::RULE, at, message).with_fix(canonical));
    }
}

/// Wording of 1.33 to 1.35, before the rule was in force.
pub(crate) const FUTURE: &str = "will be considered invalid in a future Kubernetes release";
