//! The sloppy and the strict reading of a network agree, and its spellings are what they claim.

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
        .filter(|read| !read.has_leading_zeros())
        .map(|read| (read.ip().unfolded(), read.prefix_len()));
    assert_eq!(plainly, strict.ok().map(|read| (read.addr, read.bits)), "{strict:?}");
    match strict {
        Ok(read) => {
            assert_eq!(strict_prefix(&read.to_string()), Ok(read));
            let masked = read.masked();
            assert_eq!(masked.masked(), masked);
            assert!(masked.contains(read.addr) && read.contains(masked.addr));
            assert!(read.contains_prefix(masked) && masked.contains_prefix(read));
        }
        Err(why) => {
            assert_eq!(why.input(), text);
            assert!(why.to_string().starts_with("netip.ParsePrefix(\""), "{why}");
        }
    }
    if let Ok(read) = sloppy {
        check_read(text, &read);
    }
}

fn check_read(text: &str, read: &CidrText) {
    let (addr, len) = text.split_once('/').unwrap();
    assert_eq!(len.parse(), Ok(read.prefix_len()));
    assert_eq!(addr.parse(), Ok(*read.ip()));
    assert_eq!(read.width(), if addr.contains(':') { 128 } else { 32 });
    assert!(read.prefix_len() <= read.width());

    let (network, prefix) = (read.network().to_string(), read.prefix().to_string());
    assert_eq!(read.is_canonical_network(), text == network, "the network is {network}");
    assert_eq!(read.is_canonical_prefix(), text == prefix, "the prefix is {prefix}");
    let interface = read.interface().to_string();
    assert_eq!(read.is_canonical_interface(), text == interface, "the interface is {interface}");
    assert_eq!(read.network().as_text(&mut TextBuf::new()), network);
    assert_eq!(read.single().as_text(&mut TextBuf::new()), read.single().to_string());

    let again = CidrText::parse(&network).unwrap();
    assert!(again.is_canonical_network() && again.fault().is_none());
    assert_eq!(again.network(), read.network());
    assert_eq!(again.family(), read.family());
    assert_eq!(strict_prefix(&network).map(|read| read.masked().to_string()), Ok(network.clone()));

    assert!(read.contains(read.network_addr()) && read.contains_network(&again));
    // A short prefix cuts off what makes an address a mapped one.
    assert_eq!(read.contains(read.addr()), read.family() == read.address_family());
    assert_eq!(read.family(), Family::of(read.network_addr()));
    assert_eq!(read.is_ambiguous(), read.addr() != read.network_addr());
    assert_eq!(read.is_nonstandard(), read.has_leading_zeros() || read.ip().is_mapped());
    let fault = if read.has_leading_zeros() {
        Some(CidrFault::LeadingZeros)
    } else if read.ip().is_mapped() {
        Some(CidrFault::Mapped)
    } else {
        read.is_ambiguous().then_some(CidrFault::HostBits)
    };
    assert_eq!(read.fault(), fault);
    assert!(fault.is_some() || strict_addr(addr).is_ok());
}
