//! Addresses that matter beyond their field: claimed twice in two spellings, or read as two hosts by two programs.

use crate::Target;
use crate::finding::{Finding, HostReading, ObjectId};
use crate::managed_fields::Segment;
use crate::owner::Link;
use crate::page::{Claim, ExternalIps, Page};
use crate::value_path::{field, pointer};
use ratchet_engine::{Origin, Ratchet, Rule};
use ratchet_net::{CidrText, IpText};
use ratchet_object::Node;
use std::net::Ipv4Addr;

/// Two objects claim one address in two spellings.
pub(crate) static TWO_SPELLINGS: Rule = Rule {
    id: "RTC-AUD-001",
    fields: &["Service spec.externalIPs[]", "Service spec.clusterIPs[]"],
    title: "one address in two spellings",
    origin: Origin::Kep(4858),
    demands: "Objects that claim one address write it in the same way.",
    why: "What compares texts (a policy, a controller, a person with grep) does not see that two Services claim one address, and traffic goes to one of them.",
    fix: "Write the canonical form in both, and decide which of them is to have the address.",
    ratchet: Ratchet::Never,
    versions: "Found by `ratchet audit`; no release refuses it.",
};

/// An address that programs read differently.
pub(crate) static TWO_HOSTS: Rule = Rule {
    id: "RTC-AUD-002",
    fields: &["Service spec.externalIPs[]", "Pod spec.dnsConfig.nameservers[]"],
    title: "one text, two hosts",
    origin: Origin::Kep(4858),
    demands: "An address means the same host to every program that reads it.",
    why: "Leading zeros are ignored by some programs (Go before 1.17, and the API server's reading of stored values) and make others read an octal number (inet_aton of C), so that a filter lets through what another program connects to (CVE-2021-29923).",
    fix: "Find out which host was meant (where packets went), and write its address without leading zeros.",
    ratchet: Ratchet::Never,
    versions: "Found by `ratchet audit`; with StrictIPCIDRValidation the API server refuses such texts in new objects.",
};

/// The rules of the audit itself.
pub static RULES: &[&Rule] = &[&TWO_SPELLINGS, &TWO_HOSTS];

/// Fields with addresses that an object claims for itself.
const CLAIMS: &[(&str, &[&str], &str)] = &[
    ("Service", &["spec", "clusterIPs"], ""),
    ("Service", &["spec", "externalIPs"], ""),
    ("Service", &["status", "loadBalancer", "ingress"], "ip"),
    ("Pod", &["status", "podIPs"], "ip"),
    ("Node", &["status", "addresses"], "address"),
];

/// Adds the addresses that an object claims, and the external IPs of a Service.
pub(crate) fn claims(node: &Node<'_>, id: &ObjectId, link: &Link, page: &mut Page) {
    let is_host_network =
        node.find(&["spec", "hostNetwork"]).and_then(Node::as_bool).unwrap_or(false);
    for (kind, path, member) in CLAIMS.iter().filter(|row| row.0 == id.kind) {
        // Pods of the host's network share the addresses of their node.
        if *kind == "Pod" && is_host_network {
            continue;
        }
        let Some(list) = node.find(path) else { continue };
        for (index, item) in list.items().iter().enumerate() {
            let value = if member.is_empty() { Some(item) } else { item.get(member) };
            let Some(text) = value.and_then(Node::text) else { continue };
            let Ok(parsed) = IpText::parse(text) else { continue };
            let dot = if member.is_empty() { "" } else { "." };
            let slash = if member.is_empty() { "" } else { "/" };
            page.claims.push(Claim {
                address: parsed.addr(),
                spelling: text.to_owned(),
                object: id.clone(),
                field: format!("{}[{index}]{dot}{member}", path.join(".")),
                pointer: format!("/{}/{index}{slash}{member}", path.join("/")),
                owner: link.owner.clone(),
                parent: link.parent.clone(),
            });
        }
    }
    let external = node.find(&["spec", "externalIPs"]).map(Node::items).unwrap_or_default();
    if id.kind == "Service" && !external.is_empty() {
        let addresses: Vec<String> =
            external.iter().filter_map(Node::text).map(str::to_owned).collect();
        let parsed = addresses.iter().filter_map(|text| IpText::parse(text).ok());
        page.inventory.external_addresses.extend(parsed.map(|parsed| parsed.addr()));
        page.inventory.external_ips.push(ExternalIps {
            object: id.clone(),
            addresses,
            owner: link.owner.clone(),
            parent: link.parent.clone(),
        });
    }
}

/// The finding about a claim whose address another object claims in another spelling.
pub(crate) fn two_spellings(claim: &Claim, also: &str, target: &str) -> Finding {
    let canonical = claim.address.to_string();
    Finding {
        field: claim.field.clone(),
        pointer: Some(claim.pointer.clone()),
        value: Some(claim.spelling.clone()),
        canonical: has_one_meaning(&claim.spelling).then(|| canonical.clone()),
        message: format!(
            "{:?} is the address {canonical}, which is claimed in another spelling by {also}",
            claim.spelling
        ),
        readings: readings(&claim.spelling),
        claimed_by: vec![also.to_owned()],
        ..Finding::new(&claim.object, &TWO_SPELLINGS, target)
    }
    .identified()
}

fn has_one_meaning(text: &str) -> bool {
    readings(text).is_none()
}

/// Findings about values that programs take for different hosts.
pub(crate) fn ambiguous(node: &Node<'_>, id: &ObjectId, target: &Target) -> Vec<Finding> {
    let mut found = Vec::new();
    walk(node, &mut Vec::new(), &mut |steps, text| {
        let Some(readings) = readings(text) else { return };
        let hosts: Vec<String> =
            readings.iter().map(|row| format!("{} for {}", row.host, row.reader)).collect();
        found.push(
            Finding {
                field: field(steps),
                pointer: Some(pointer(steps)),
                value: Some(text.to_owned()),
                message: format!("{text:?} is {}", hosts.join(", ")),
                hint: Some(TWO_HOSTS.fix.to_owned()),
                readings: Some(readings),
                ..Finding::new(id, &TWO_HOSTS, &target.name)
            }
            .identified(),
        );
    });
    found
}

/// Parts of an object that hold no addresses that the API reads: versions and arguments of programs look like some.
const PASSED_OVER: [&str; 8] =
    ["annotations", "args", "command", "data", "env", "image", "labels", "managedFields"];

/// Visits every text that looks like an address with leading zeros.
fn walk<'a>(
    node: &'a Node<'_>,
    steps: &mut Vec<Segment<'a>>,
    found: &mut dyn FnMut(&[Segment<'_>], &str),
) {
    if let Some(text) = node.text().filter(|text| looks_padded(text)) {
        found(steps, text);
    }
    for entry in node.entries().iter().filter(|entry| !PASSED_OVER.contains(&&*entry.key)) {
        steps.push(Segment::Member(&entry.key));
        walk(&entry.node, steps, found);
        steps.pop();
    }
    for (index, item) in node.items().iter().enumerate() {
        steps.push(Segment::Item(index));
        walk(item, steps, found);
        steps.pop();
    }
}

/// Whether a text could be an IPv4 address, or a network of one, with leading zeros.
fn looks_padded(text: &str) -> bool {
    text.len() <= 64
        && text.as_bytes().first().is_some_and(u8::is_ascii_digit)
        && text.bytes().filter(|byte| *byte == b'.').count() == 3
        && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'/'))
}

/// What programs take an IPv4 address or network for; `None` if all of them take it for the same.
pub(crate) fn readings(text: &str) -> Option<Vec<HostReading>> {
    let (address, length) = text
        .split_once('/')
        .map_or((text, ""), |(host, _)| (host, text.get(host.len()..).unwrap_or_default()));
    let decimal = match length {
        "" => IpText::parse(text).ok()?.addr(),
        _ => CidrText::parse(text).ok()?.addr(),
    };
    if !address.split('.').any(|octet| octet.len() > 1 && octet.starts_with('0')) {
        return None;
    }
    let octal = octal(address);
    if octal.map(std::net::IpAddr::V4) == Some(decimal) {
        return None;
    }
    let row = |reader: &str, host: String| HostReading { reader: reader.to_owned(), host };
    let refuses = "no address: it refuses to read it".to_owned();
    Some(vec![
        row(
            "the API server, the kubelet and kube-proxy, which read stored values as decimal",
            format!("{decimal}{length}"),
        ),
        row(
            "programs in C (inet_aton, getaddrinfo), which read octal numbers",
            octal.map_or_else(|| refuses.clone(), |host| format!("{host}{length}")),
        ),
        row("programs in Go since 1.17, such as CNI plugins, and strict parsers", refuses),
    ])
}

/// The address as `inet_aton` reads it.
fn octal(text: &str) -> Option<Ipv4Addr> {
    let mut octets = [0u8; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        *octet = match part.strip_prefix('0') {
            Some("") | None => part.parse().ok()?,
            Some(digits) => u8::from_str_radix(digits, 8).ok()?,
        };
    }
    parts.next().is_none().then(|| Ipv4Addr::from(octets))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Vec<String> {
        readings(text).into_iter().flatten().map(|row| row.host).take(2).collect()
    }

    #[test]
    fn leading_zeros_make_two_hosts() {
        assert_eq!(hosts("010.0.0.1"), ["10.0.0.1", "8.0.0.1"]);
        assert_eq!(hosts("192.168.010.0/24"), ["192.168.10.0/24", "192.168.8.0/24"]);
        assert_eq!(hosts("10.0.0.09"), ["10.0.0.9", "no address: it refuses to read it"]);
        // Seven is seven in both, and so is zero.
        for text in ["10.0.0.1", "10.0.0.07", "10.00.0.1", "::1", "010", "a.b.c.d", ""] {
            assert_eq!(hosts(text), Vec::<String>::new(), "{text}");
        }
    }
}
