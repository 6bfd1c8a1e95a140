//! Rule RTC-API-004: host names of pods, services, ingresses and endpoints are DNS names.

use super::dns_search::STRICT_PATTERN;
use crate::{Cause, FieldError, Origin, Ratchet, Rule, Verdict};
use ratchet_net::{IpText, dns};
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-004",
    fields: &[
        "Pod spec.hostname, spec.subdomain, spec.hostAliases[].hostnames[]",
        "Service, Ingress status.loadBalancer.ingress[].hostname",
        "Ingress spec.rules[].host",
        "EndpointSlice endpoints[].addresses[] of type FQDN",
    ],
    title: "malformed host name",
    origin: Origin::Api,
    demands: "`hostname` and `subdomain` of a pod are RFC 1123 labels; host names of host aliases and load balancers are RFC 1123 subdomains, and a load balancer's is not an IP address.",
    why: "These names end in hosts files and DNS records, where other letters are read in other ways. The relaxed rule for DNS search names does not hold here.",
    fix: "Use lower case letters, digits and dashes, begin and end with a letter or a digit; put addresses into the `ip` field.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const LABEL_PATTERN: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const WILDCARD_PATTERN: &str = r"a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NOT_AN_IP: &str = "must be a DNS name, not an IP address";

/// Checks an RFC 1123 label, if not empty.
pub(crate) fn check_label(at: &At<'_>, verdict: &mut Verdict) {
    let text = at.text_or_empty();
    if text.is_empty() {
        return;
    }
    let faults = dns::label(text);
    if faults.too_long {
        verdict.add_error(FieldError::invalid(
            &RULE,
            at,
            text,
            "must be no more than 63 characters",
        ));
    }
    if faults.pattern {
        // A valid subdomain is wrong only in its dots.
        let is_subdomain = !dns::subdomain(text).pattern;
        let detail = if is_subdomain { "must not contain dots" } else { LABEL_PATTERN };
        verdict.add_error(FieldError::invalid(&RULE, at, text, detail));
    }
}

/// Checks an RFC 1123 subdomain.
pub(crate) fn check_subdomain(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    let faults = dns::subdomain(text);
    if faults.too_long {
        verdict.add_error(FieldError::invalid(
            &RULE,
            at,
            text,
            "must be no more than 253 characters",
        ));
    }
    if faults.pattern {
        verdict.add_error(FieldError::invalid(&RULE, at, text, STRICT_PATTERN));
    }
}

/// Checks the host of an ingress rule: a subdomain, or a wildcard.
pub(crate) fn check_rule_host(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    if !text.contains('*') {
        return check_subdomain(at, text, verdict);
    }
    if text.len() > 253 {
        verdict.add_error(FieldError::invalid(
            &RULE,
            at,
            text,
            "must be no more than 253 characters",
        ));
    }
    if text.strip_prefix("*.").is_none_or(|rest| dns::subdomain(rest).pattern) {
        verdict.add_error(FieldError::invalid(&RULE, at, text, WILDCARD_PATTERN));
    }
}

/// Checks the host name of a load balancer, if not empty.
pub(crate) fn check_balancer(at: &At<'_>, verdict: &mut Verdict) {
    let text = at.text_or_empty();
    if !text.is_empty() {
        check_subdomain(at, text, verdict);
        check_not_an_ip(at, text, verdict);
    }
}

/// Refuses an IP address where a host name is expected.
pub(crate) fn check_not_an_ip(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    if IpText::parse(text).is_ok() {
        verdict.add_error(FieldError::invalid(&RULE, at, text, NOT_AN_IP));
    }
}

/// Checks a fully qualified domain name of an EndpointSlice.
pub(crate) fn check_qualified(at: &At<'_>, text: &str, verdict: &mut Verdict) {
    if text.is_empty() {
        return verdict.add_error(FieldError::new(&RULE, Cause::Required, at, ""));
    }
    let text = text.strip_suffix('.').unwrap_or(text);
    let faults = dns::subdomain(text);
    if !faults.is_ok() {
        let long = faults.too_long.then_some("must be no more than 253 characters");
        let pattern = faults.pattern.then_some(STRICT_PATTERN);
        let details: alloc::vec::Vec<&str> = long.into_iter().chain(pattern).collect();
        return verdict.add_error(FieldError::invalid(&RULE, at, text, details.join(",")));
    }
    if !text.contains('.') {
        let detail = "should be a domain with at least two segments separated by dots";
        return verdict.add_error(FieldError::invalid(&RULE, at, text, detail));
    }
    for label in text.split('.') {
        let faults = dns::label(label);
        if faults.too_long {
            verdict.add_error(FieldError::invalid(
                &RULE,
                at,
                label,
                "must be no more than 63 characters",
            ));
        }
        if faults.pattern {
            verdict.add_error(FieldError::invalid(&RULE, at, label, LABEL_PATTERN));
        }
    }
}
