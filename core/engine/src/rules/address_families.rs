//! A list of addresses holds at most one of each IP family, and the family that it is said to hold.

use crate::{Cause, FieldError, Origin, Ratchet, Release, Rule, Verdict, shown};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::{CidrText, Family, IpText};
use ratchet_object::At;

/// The row.
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

/// Whether both families are there, or the first entry that has none.
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

/// Pod and host IPs: more than one means one of each family.
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
    let family = |text: &&str| IpText::read(text).ok().map(|ip| ip.family());
    let both = families(texts, family).unwrap_or_else(|index| {
        let text = texts.get(index).copied().unwrap_or_default();
        let detail =
            format!("failed to check for dual stack with error:invalid IP[{index}]: {text}");
        verdict.problem(FieldError::new(&RULE, Cause::Internal, list, detail));
        false
    });
    if !both || texts.len() > 2 {
        let shown = shown::structs(name, "IP", texts, release);
        verdict.problem(FieldError::new(&RULE, Cause::Invalid, list, ONE_IP_EACH).showing(shown));
    }
}

/// Pod ranges of a node: more than one means one of each family.
pub(crate) fn check_pod_cidrs(
    list: &At<'_>,
    texts: &[&str],
    release: Release,
    verdict: &mut Verdict,
) {
    if texts.len() < 2 {
        return;
    }
    let family = |text: &&str| CidrText::read(text).ok().map(|cidr| cidr.family());
    let both = families(texts, family).unwrap_or_else(|index| {
        let text = texts.get(index).copied().unwrap_or_default();
        let detail = format!(
            "invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[{index}]: <nil> (invalid CIDR address: {text})"
        );
        verdict.problem(FieldError::new(&RULE, Cause::Internal, list, detail));
        false
    });
    if !both || texts.len() > 2 {
        let shown = shown::list(texts, release);
        verdict.problem(FieldError::new(&RULE, Cause::Invalid, list, ONE_CIDR_EACH).showing(shown));
    }
}

/// Cluster IPs: more than one means one of each family.
pub(crate) fn check_cluster_ips(
    list: &At<'_>,
    texts: &[&str],
    release: Release,
    verdict: &mut Verdict,
) {
    let family = |text: &&str| IpText::read(text).ok().map(|ip| ip.family());
    if texts.len() > 1 && families(texts, family) != Ok(true) {
        let shown = shown::list(texts, release);
        verdict.problem(FieldError::new(&RULE, Cause::Invalid, list, ONE_IP_EACH).showing(shown));
    }
}

/// Ranges of a ServiceCIDR: two must not be of one family, where both can be read.
pub(crate) fn check_service_cidrs(
    list: &At<'_>,
    texts: &[&str],
    release: Release,
    verdict: &mut Verdict,
) {
    let known: Vec<Option<Family>> = texts
        .iter()
        .map(|text| CidrText::read(text).ok().map(|cidr| cidr.address_family()))
        .collect();
    if let [Some(one), Some(other)] = known.as_slice()
        && one == other
    {
        let detail = format!("{ONE_IP_EACH}, i.e 192.168.0.0/24 and 2001:db8::/64");
        verdict.problem(
            FieldError::new(&RULE, Cause::Invalid, list, detail)
                .showing(shown::list(texts, release)),
        );
    }
}

/// An address of an EndpointSlice must be of the slice's family; the API names the whole list.
pub(crate) fn check_slice(
    list: &At<'_>,
    at: &At<'_>,
    text: &str,
    wanted: Family,
    verdict: &mut Verdict,
) {
    if IpText::read(text).is_ok_and(|ip| ip.family() != wanted) {
        let detail = match wanted {
            Family::V4 => "must be an IPv4 address",
            Family::V6 => "must be an IPv6 address",
        };
        verdict.problem(FieldError::invalid(&RULE, &at.named(*list.path()), text, detail));
    }
}

/// A cluster IP must be of the family that `ipFamilies` states at its place.
pub(crate) fn check_stated(
    at: &At<'_>,
    index: usize,
    text: &str,
    stated: &str,
    verdict: &mut Verdict,
) {
    let actual = IpText::read(text).ok().map(|ip| ip.family());
    let (wanted, article): (Family, String) = match stated {
        "IPv4" => (Family::V4, "an IPv4".into()),
        "IPv6" => (Family::V6, "an IPv6".into()),
        _ => return,
    };
    if actual.is_some_and(|actual| actual != wanted) {
        let detail = format!("expected {article} value as indicated by `ipFamilies[{index}]`");
        verdict.problem(FieldError::invalid(&RULE, at, text, detail));
    }
}
