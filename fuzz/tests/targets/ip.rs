//! Fuzz target `ip`: the sloppy, the strict and the standard parser agree on IP addresses as far as they should.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_net::{Canonical, Family, IpFault, IpText, TextBuf, class, strict_addr};
use std::net::IpAddr;

const WORDS: &[&str] = &[
    "0",
    "00",
    "1",
    "01",
    "10",
    "127",
    "255",
    "256",
    "0177",
    "1.2.3.4",
    "10.0.0.1",
    "::",
    ":",
    ".",
    "::1",
    "::ffff:",
    "::FFFF:",
    "ffff",
    "0000",
    "00000",
    "2001:db8",
    "fe80",
    "ff02",
    "%eth0",
    "%",
    "[",
    "]",
    "/",
    " ",
    "a",
    "F",
    "g",
    "1:2:3:4:5:6:7:8",
    "0:0:0:0",
    "224.0.0.1",
    "169.254.0.1",
];

#[test]
fn ip() {
    ratchet_fuzz::fuzz!("ip", WORDS, check);
}

fn check(text: &str) {
    let (sloppy, strict) = (IpText::parse(text), strict_addr(text));
    assert_eq!(sloppy, text.parse());
    let standard: Option<IpAddr> = text.parse().ok();
    let unzoned = strict.ok().filter(|ip| ip.zone.is_none()).map(|ip| ip.addr);
    assert_eq!(unzoned, standard, "strict and standard");
    match strict {
        Ok(ip) => {
            let spelled = ip.to_string();
            assert_eq!(strict_addr(&spelled), Ok(ip), "{spelled}");
            assert!(ip.zone.is_none_or(|zone| !zone.is_empty() && ip.addr.is_ipv6()));
        }
        Err(why) => {
            assert_eq!(why.input(), text);
            assert!(why.to_string().starts_with("ParseAddr(\""), "{why}");
        }
    }
    let plainly = sloppy.ok().filter(|ip| !ip.has_leading_zeros()).map(|ip| ip.unfolded());
    assert_eq!(plainly, unzoned, "sloppy without zeros and strict");
    if let Ok(ip) = sloppy {
        check_ip(text, &ip);
    }
}

fn check_ip(text: &str, ip: &IpText) {
    let addr = ip.addr();
    assert_eq!(addr, ip.unfolded().to_canonical());
    assert_eq!(ip.family(), Family::of(addr));
    assert_eq!(ip.written_as_v6(), text.contains(':'));
    assert_eq!(ip.is_mapped(), ip.written_as_v6() && ip.family() == Family::V4);

    let canonical = ip.canonical().to_string();
    assert_eq!(canonical, addr.to_string());
    assert_eq!(canonical, Canonical::of(ip.unfolded()).as_text(&mut TextBuf::new()));
    assert_eq!(ip.is_canonical(), text == canonical, "canonical is {canonical}");
    let unfolded = ip.unfolded().to_string();
    assert_eq!(ip.is_canonical_unfolded(), text == unfolded, "unfolded is {unfolded}");

    let again = IpText::parse(&canonical).unwrap();
    assert!(again.is_canonical() && again.fault().is_none());
    assert_eq!(again.addr(), addr);
    let fault = match (ip.has_leading_zeros(), ip.is_mapped()) {
        (true, _) => Some(IpFault::LeadingZeros),
        (false, true) => Some(IpFault::Mapped),
        (false, false) => None,
    };
    assert_eq!(ip.fault(), fault);

    let special = [
        class::is_unspecified(addr),
        class::is_loopback(addr),
        class::is_link_local_unicast(addr),
        class::is_multicast(addr),
    ];
    let how_many = special.into_iter().filter(|is| *is).count();
    assert!(how_many <= 1);
    assert!(class::is_multicast(addr) || !class::is_link_local_multicast(addr));
    let is_broadcast = canonical == "255.255.255.255";
    assert_eq!(class::is_global_unicast(addr), how_many == 0 && !is_broadcast);
}
