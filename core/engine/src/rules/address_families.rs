//! Rule RTC-IP-006: a list has at most one address per IP family, and of the family that its object states.

use crate::{Cause, FieldError, Origin, Ratchet, Release, Rule, Verdict, format_value};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::{CidrText, Family, IpText};
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-IP-006",
    fields: &[
        "Service spec.clusterIPs, spec.ipFamilies",
        "Pod status.podIPs, status.hostIPs",
        "Node spec.podCIDRs",
        "ServiceCIDR spec.cidrs",
        "EndpointSlice endpoints[].addresses",
    ],
    title: "IP families do not fit together",
    origin: Origin::Api,
    demands: "A pair of addresses or networks is one IPv4 and one IPv6, and an address belongs to the family that its object states.",
    why: "Dual-stack means one of each. Two of a kind, or an address that hides its family, leaves each reader to pick another one.",
    fix: "Keep one address of each family, in the order in which the families are listed.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

const ONE_IP_EACH: &str = "may specify no more than one IP for each IP family";
const ONE_CIDR_EACH: &str = "may specify no more than one CIDR for each IP family";

/// Whether both families occur; the error is the index of the first entry without a family.
fn families<T>(entries: &[T], family: impl Fn(&T) -> Option<Family>) -> Result<bool, usize> {
    let mut seen = (false, false);
    for (index, entry) in entries.iter().enumerate() {
        match family(entry).ok_or(index)? {
            Family::V4 => seen.0 = true,
            Family::V6 => seen.1 = true,
        }
    }
    Ok(seen == (true, true))
}

/// Checks pod and host IPs: more than one means one of each family.
pub(crate) fn check_status_ips(
    list: &At<'_>,
    texts: &[&str],
    name: &str,
    release: Release,
    verdict: &mut Verdict,
) {
    if texts.len() < 2 {
        return;
    }
    let family = |text: &&str| IpText::parse(text).ok().map(|ip| ip.family());
    let both = families(texts, family).unwrap_or_else(|index| {
        let text = texts.get(index).copied().unwrap_or_default();
        let detail =
            format!("failed to check for dual stack with error:invalid IP[{index}]: {text}");
        verdict.add_error(FieldError::new(&RULE, Cause::Internal, list, detail));
        false
    });
    if !both || texts.len() > 2 {
        let formatted = format_value::structs(name, "IP", texts, release);
        verdict.add_error(
            FieldError::new(&RULE, Cause::Invalid, list, ONE_IP_EACH).with_value(formatted),
        );
    }
}

/// Checks pod CIDRs of a node: more than one means one of each family.
pub(crate) fn check_pod_cidrs(
    list: &At<'_>,
    texts: &[&str],
    release: Release,
    verdict: &mut Verdict,
) {
    if texts.len() < 2 {
        return;
    }
    let family = |text: &&str| CidrText::parse(text).ok().map(|cidr| cidr.family());
    let both = families(texts, family).unwrap_or_else(|index| {
        let text = texts.get(index).copied().unwrap_or_default();
        let detail = format!(
            "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[{index}]: <nil> (invalid CIDR address: {text})"
        );
        verdict.add_error(FieldError::new(&RULE, Cause::Internal, list, detail));
        false
    });
    if !both || texts.len() > 2 {
        let formatted = format_value::list(texts, release);
        verdict.add_error(
            FieldError::new(&RULE, Cause::Invalid, list, ONE_CIDR_EACH).with_value(formatted),
        );
    }
}

/// Checks cluster IPs: more than one means one of each family.
pub(crate) fn check_cluster_ips(
    list: &At<'_>,
    texts: &[&str],
    release: Release,
    verdict: &mut Verdict,
) {
    let family = |text: &&str| IpText::parse(text).ok().map(|ip| ip.family());
    if texts.len() > 1 && families(texts, family) != Ok(true) {
        let formatted = format_value::list(texts, release);
        verdict.add_error(
            FieldError::new(&RULE, Cause::Invalid, list, ONE_IP_EACH).with_value(formatted),
        );
    }
}

/// Checks ranges of a ServiceCIDR: two that parse must not be of one family.
pub(crate) fn check_service_cidrs(
    list: &At<'_>,
    texts: &[&str],
    release: Release,
    verdict: &mut Verdict,
) {
    let parsed_families: Vec<Option<Family>> = texts
        .iter()
        .map(|text| CidrText::parse(text).ok().map(|cidr| cidr.address_family()))
        .collect();
    if let [Some(one), Some(other)] = parsed_families.as_slice()
        && one == other
    {
        let detail = format!("{ONE_IP_EACH}, i.e 192.168.0.0/24 and 2001:db8::/64");
        verdict.add_error(
            FieldError::new(&RULE, Cause::Invalid, list, detail)
                .with_value(format_value::list(texts, release)),
        );
    }
}

/// Checks that an address of an EndpointSlice is of the slice's family; the API reports the path of the list.
pub(crate) fn check_slice(
    list: &At<'_>,
    at: &At<'_>,
    text: &str,
    expected: Family,
    verdict: &mut Verdict,
) {
    if IpText::parse(text).is_ok_and(|ip| ip.family() != expected) {
        let detail = match expected {
            Family::V4 => "must be an IPv4 address",
            Family::V6 => "must be an IPv6 address",
        };
        verdict.add_error(FieldError::invalid(&RULE, &at.with_path(*list.path()), text, detail));
    }
}

/// Checks that a cluster IP is of the family that `ipFamilies` states at its index.
pub(crate) fn check_stated(
    at: &At<'_>,
    index: usize,
    text: &str,
    stated: &str,
    verdict: &mut Verdict,
) {
    let actual = IpText::parse(text).ok().map(|ip| ip.family());
    let (expected, article): (Family, String) = match stated {
        "IPv4" => (Family::V4, "an IPv4".into()),
        "IPv6" => (Family::V6, "an IPv6".into()),
        _ => return,
    };
    if actual.is_some_and(|actual| actual != expected) {
        let detail = format!("expected {article} value as indicated by `ipFamilies[{index}]`");
        verdict.add_error(FieldError::invalid(&RULE, at, text, detail));
    }
}
