//! Every column of the tables in `vectors/`, which were taken from the behaviour of the originals.

#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

use ratchet_net::{CidrFault, CidrText, Family, IpFault, IpText, strict_addr};

#[test]
fn ip() {
    let rows = rows(include_str!("vectors/ip.tsv"));
    assert_eq!(rows.len(), 142);
    for [text, sloppy, family, strict, lenient, strict_field, new_field, warning] in rows {
        let text = &unescape(text);
        let parsed = IpText::parse(text).ok();
        let or_reject = |text: Option<String>| text.unwrap_or_else(|| "REJECT".to_owned());

        assert_eq!(or_reject(parsed.map(|ip| ip.canonical().to_string())), sloppy, "{text:?}");
        assert_eq!(parsed.map_or("-".to_owned(), |ip| ip.family().to_string()), family, "{text:?}");
        assert_eq!(
            or_reject(strict_addr(text).ok().map(|a| a.to_string())),
            strict,
            "strict {text:?}"
        );
        assert_eq!(if parsed.is_some() { "OK" } else { "IP-BAD" }, lenient, "lenient {text:?}");
        assert_eq!(ip_field(parsed), strict_field, "strict field {text:?}");
        assert_eq!(new_ip_field(parsed), new_field, "new field {text:?}");
        assert_eq!(ip_warning(parsed), warning, "warning {text:?}");
        if let Some(ip) = parsed {
            assert_eq!(ip.is_canonical(), text == sloppy, "canonical {text:?}");
            assert_eq!(ip.is_canonical_unfolded(), text == strict, "unfolded {text:?}");
            assert_eq!(ip.has_leading_zeros(), strict == "REJECT", "leading zeros {text:?}");
            assert_eq!(ip.written_as_v6(), text.contains(':'), "{text:?}");
        }
    }
}

#[test]
fn cidr() {
    let rows = rows(include_str!("vectors/cidr.tsv"));
    assert_eq!(rows.len(), 84);
    for [text, addr, network, lenient, strict_field, new_field, interface, warnings] in rows {
        let text = &unescape(text);
        let parsed = CidrText::parse(text).ok();
        let parsed_addr = parsed.map_or("REJECT".to_owned(), |cidr| cidr.addr().to_string());

        assert_eq!(parsed_addr, addr, "{text:?}");
        assert_eq!(parsed.map_or("-".to_owned(), |cidr| cidr.network().to_string()), network);
        assert_eq!(if parsed.is_some() { "OK" } else { "CIDR-BAD" }, lenient, "lenient {text:?}");
        assert_eq!(cidr_field(parsed), strict_field, "strict field {text:?}");
        assert_eq!(new_cidr_field(parsed), new_field, "new field {text:?}");
        assert_eq!(interface_field(parsed), interface, "interface {text:?}");
        assert_eq!(cidr_warnings(parsed), warnings, "warnings {text:?}");
        if let Some(cidr) = parsed {
            assert_eq!(cidr.is_canonical_network(), text == network, "network {text:?}");
            assert_eq!(cidr.is_canonical_prefix(), *text == cidr.prefix().to_string(), "{text:?}");
            assert_eq!(cidr.width(), if text.contains(':') { 128 } else { 32 }, "{text:?}");
        }
    }
}

fn ip_field(parsed: Option<IpText>) -> &'static str {
    match parsed.map(|ip| ip.fault()) {
        None => "IP-BAD",
        Some(Some(IpFault::LeadingZeros)) => "IP-L0",
        Some(Some(IpFault::Mapped)) => "IP-MAP",
        Some(None) => "OK",
    }
}

fn new_ip_field(parsed: Option<IpText>) -> String {
    match (ip_field(parsed), parsed) {
        ("OK", Some(ip)) if !ip.is_canonical() => format!("CANON {}", ip.canonical()),
        (code, _) => code.to_owned(),
    }
}

fn ip_warning(parsed: Option<IpText>) -> String {
    match parsed {
        Some(ip) if ip.fault().is_some() => format!("NS {}", ip.canonical()),
        Some(ip) if ip.family() == Family::V6 && !ip.is_canonical() => {
            format!("6C {}", ip.canonical())
        }
        _ => "-".to_owned(),
    }
}

fn cidr_field(parsed: Option<CidrText>) -> &'static str {
    match parsed.map(|cidr| cidr.fault()) {
        None => "CIDR-BAD",
        Some(Some(CidrFault::LeadingZeros)) => "CIDR-L0",
        Some(Some(CidrFault::Mapped)) => "CIDR-MAP",
        Some(Some(CidrFault::HostBits)) => "CIDR-HOST",
        Some(None) => "OK",
    }
}

fn new_cidr_field(parsed: Option<CidrText>) -> String {
    match (cidr_field(parsed), parsed) {
        ("OK", Some(cidr)) if !cidr.is_canonical_network() => format!("CANON {}", cidr.network()),
        (code, _) => code.to_owned(),
    }
}

fn interface_field(parsed: Option<CidrText>) -> String {
    match parsed {
        None => "IF-BAD".to_owned(),
        Some(cidr) if cidr.is_canonical_interface() => "OK".to_owned(),
        Some(cidr) => format!("CANON {}", cidr.interface()),
    }
}

fn cidr_warnings(parsed: Option<CidrText>) -> String {
    let mut warnings = Vec::new();
    if let Some(cidr) = parsed {
        if cidr.is_ambiguous() {
            warnings.push(format!("AMB {} {}", cidr.network(), cidr.single()));
        }
        if cidr.is_nonstandard() {
            warnings.push(format!("NS {}", cidr.network()));
        }
        let v6 = cidr.address_family() == Family::V6;
        if warnings.is_empty() && v6 && !cidr.is_canonical_prefix() {
            warnings.push(format!("6C {}", cidr.prefix()));
        }
    }
    if warnings.is_empty() { "-".to_owned() } else { warnings.join(", ") }
}

fn rows(table: &str) -> Vec<[&str; 8]> {
    table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>().try_into().expect("eight columns"))
        .collect()
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\x00", "\0")
}
