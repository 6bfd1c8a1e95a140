//! Fuzz target `cidr`: the sloppy and the strict parser agree on networks, and canonical texts are canonical.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_net::{CidrFault, CidrText, Family, TextBuf, strict_addr, strict_prefix};

const WORDS: &[&str] = &[
    "0",
    "00",
    "1",
    "01",
    "8",
    "16",
    "24",
    "032",
    "32",
    "33",
    "64",
    "96",
    "128",
    "129",
    "/",
    "/0",
    "/24",
    "/-1",
    "/+8",
    ".",
    ":",
    "::",
    "10.0.0.0",
    "192.168.1.5",
    "::ffff:",
    "::ffff:1.2.3.4",
    "2001:db8::",
    "fe80::1",
    "%eth0",
    "00000",
    "A",
    " ",
    "256",
    "0177.0.0.1",
];

#[test]
fn cidr() {
    ratchet_fuzz::fuzz!("cidr", WORDS, check);
}

fn check(text: &str) {
    let (sloppy, strict) = (CidrText::parse(text), strict_prefix(text));
    assert_eq!(sloppy, text.parse());
    let plainly = sloppy
        .ok()
        .filter(|cidr| !cidr.has_leading_zeros())
        .map(|cidr| (cidr.ip().unfolded(), cidr.prefix_len()));
    assert_eq!(plainly, strict.ok().map(|cidr| (cidr.addr, cidr.bits)), "{strict:?}");
    match strict {
        Ok(cidr) => {
            assert_eq!(strict_prefix(&cidr.to_string()), Ok(cidr));
            let masked = cidr.masked();
            assert_eq!(masked.masked(), masked);
            assert!(masked.contains(cidr.addr) && cidr.contains(masked.addr));
            assert!(cidr.contains_prefix(masked) && masked.contains_prefix(cidr));
        }
        Err(why) => {
            assert_eq!(why.input(), text);
            assert!(why.to_string().starts_with("netip.ParsePrefix(\""), "{why}");
        }
    }
    if let Ok(cidr) = sloppy {
        check_cidr(text, &cidr);
    }
}

fn check_cidr(text: &str, cidr: &CidrText) {
    let (addr, len) = text.split_once('/').unwrap();
    assert_eq!(len.parse(), Ok(cidr.prefix_len()));
    assert_eq!(addr.parse(), Ok(*cidr.ip()));
    assert_eq!(cidr.width(), if addr.contains(':') { 128 } else { 32 });
    assert!(cidr.prefix_len() <= cidr.width());

    let (network, prefix) = (cidr.network().to_string(), cidr.prefix().to_string());
    assert_eq!(cidr.is_canonical_network(), text == network, "the network is {network}");
    assert_eq!(cidr.is_canonical_prefix(), text == prefix, "the prefix is {prefix}");
    let interface = cidr.interface().to_string();
    assert_eq!(cidr.is_canonical_interface(), text == interface, "the interface is {interface}");
    assert_eq!(cidr.network().as_text(&mut TextBuf::new()), network);
    assert_eq!(cidr.single().as_text(&mut TextBuf::new()), cidr.single().to_string());

    let again = CidrText::parse(&network).unwrap();
    assert!(again.is_canonical_network() && again.fault().is_none());
    assert_eq!(again.network(), cidr.network());
    assert_eq!(again.family(), cidr.family());
    assert_eq!(strict_prefix(&network).map(|cidr| cidr.masked().to_string()), Ok(network.clone()));

    assert!(cidr.contains(cidr.network_addr()) && cidr.contains_network(&again));
    // A short prefix cuts off what makes an address a mapped one.
    assert_eq!(cidr.contains(cidr.addr()), cidr.family() == cidr.address_family());
    assert_eq!(cidr.family(), Family::of(cidr.network_addr()));
    assert_eq!(cidr.is_ambiguous(), cidr.addr() != cidr.network_addr());
    assert_eq!(cidr.is_nonstandard(), cidr.has_leading_zeros() || cidr.ip().is_mapped());
    let fault = if cidr.has_leading_zeros() {
        Some(CidrFault::LeadingZeros)
    } else if cidr.ip().is_mapped() {
        Some(CidrFault::Mapped)
    } else {
        cidr.is_ambiguous().then_some(CidrFault::HostBits)
    };
    assert_eq!(cidr.fault(), fault);
    assert!(fault.is_some() || strict_addr(addr).is_ok());
}
