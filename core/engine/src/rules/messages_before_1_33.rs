//! Checks and warnings about addresses and CIDRs with the messages of releases before 1.33.

use super::{canonical_form, cidr_spelling, ip_spelling};
use crate::{FieldError, Verdict, Warning};
use alloc::format;
use alloc::string::ToString;
use ratchet_net::{CidrText, Family, IpText, Quoted, strict_addr, strict_prefix};
use ratchet_object::At;

/// Warns about an address that can be read, but not by every parser.
pub(super) fn warn_address(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    let Ok(ip) = IpText::parse(text) else { return };
    let path = at.path();
    match strict_addr(text) {
        Err(error) => {
            let message = format!(
                "{path}: IP address was accepted, but will be invalid in a future Kubernetes release: {error}"
            );
            verdict.warn(
                Warning::new(&ip_spelling::RULE, at, message).with_fix(ip.canonical().to_string()),
            );
        }
        Ok(addr) if addr.addr.is_ipv6() && addr.to_string() != text => {
            let message = format!(
                "{path}: IPv6 address {} is not in RFC 5952 canonical format (\"{addr}\"), which may cause controller apply-loops",
                Quoted(text)
            );
            verdict
                .warn(Warning::new(&canonical_form::RULE, at, message).with_fix(addr.to_string()));
        }
        Ok(_) => {}
    }
}

/// Warns about a CIDR that can be read, but not by every parser.
pub(super) fn warn_network(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    if CidrText::parse(text).is_err() {
        return;
    }
    let path = at.path();
    match strict_prefix(text) {
        Err(error) => {
            let message = format!(
                "{path}: IP prefix was accepted, but will be invalid in a future Kubernetes release: {error}"
            );
            verdict.warn(Warning::new(&cidr_spelling::RULE, at, message));
        }
        Ok(prefix) if prefix.addr.is_ipv6() && prefix.to_string() != text => {
            let message = format!(
                "{path}: IPv6 prefix {} is not in RFC 5952 canonical format (\"{prefix}\"), which may cause controller apply-loops",
                Quoted(text)
            );
            verdict.warn(
                Warning::new(&canonical_form::RULE, at, message).with_fix(prefix.to_string()),
            );
        }
        Ok(_) => {}
    }
}

/// Checks the name of an IPAddress.
pub(super) fn check_address(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    match strict_addr(text) {
        Err(error) => {
            verdict.add_error(FieldError::invalid(&ip_spelling::RULE, at, text, error.to_string()));
        }
        Ok(addr) if addr.to_string() != text => {
            let detail = "must be a canonical format IP address";
            verdict.add_error(
                FieldError::invalid(&canonical_form::RULE, at, text, detail)
                    .with_fix(addr.to_string()),
            );
        }
        Ok(_) => {}
    }
}

/// Checks a range of a ServiceCIDR.
pub(super) fn check_network(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    match strict_prefix(text) {
        Err(error) => {
            verdict.add_error(FieldError::invalid(
                &cidr_spelling::RULE,
                at,
                text,
                error.to_string(),
            ));
        }
        Ok(prefix) if prefix.masked() != prefix => {
            let detail = "wrong CIDR format, IP doesn't match network IP address";
            verdict.add_error(FieldError::invalid(&cidr_spelling::RULE, at, text, detail));
        }
        Ok(prefix) if prefix.to_string() != text => {
            let detail = "CIDR not in RFC 5952 canonical format";
            verdict.add_error(
                FieldError::invalid(&canonical_form::RULE, at, text, detail)
                    .with_fix(prefix.to_string()),
            );
        }
        Ok(_) => {}
    }
}

/// Checks an address of an EndpointSlice.
pub(crate) fn check_slice(at: &At<'_>, text: &str, expected: Family, verdict: &mut Verdict) {
    if IpText::parse(text).is_ok_and(|ip| ip.family() == expected) {
        return;
    }
    let detail = match expected {
        Family::V4 => "must be a valid IPv4 address",
        Family::V6 => "must be a valid IPv6 address",
    };
    verdict.add_error(FieldError::invalid(&ip_spelling::RULE, at, text, detail));
}
