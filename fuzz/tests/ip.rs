//! The sloppy, the strict and the standard reading of an IP address agree as far as they should.

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
    let unzoned = strict.ok().filter(|read| read.zone.is_none()).map(|read| read.addr);
    assert_eq!(unzoned, standard, "strict and standard");
    match strict {
        Ok(read) => {
            let spelled = read.to_string();
            assert_eq!(strict_addr(&spelled), Ok(read), "{spelled}");
            assert!(read.zone.is_none_or(|zone| !zone.is_empty() && read.addr.is_ipv6()));
        }
        Err(why) => {
            assert_eq!(why.input(), text);
            assert!(why.to_string().starts_with("ParseAddr(\""), "{why}");
        }
    }
    let plainly = sloppy.ok().filter(|read| !read.has_leading_zeros()).map(|read| read.unfolded());
    assert_eq!(plainly, unzoned, "sloppy without zeros and strict");
    if let Ok(read) = sloppy {
        check_read(text, &read);
    }
}

fn check_read(text: &str, read: &IpText) {
    let addr = read.addr();
    assert_eq!(addr, read.unfolded().to_canonical());
    assert_eq!(read.family(), Family::of(addr));
    assert_eq!(read.written_as_v6(), text.contains(':'));
    assert_eq!(read.is_mapped(), read.written_as_v6() && read.family() == Family::V4);

    let canonical = read.canonical().to_string();
    assert_eq!(canonical, addr.to_string());
    assert_eq!(canonical, Canonical::of(read.unfolded()).as_text(&mut TextBuf::new()));
    assert_eq!(read.is_canonical(), text == canonical, "canonical is {canonical}");
    let unfolded = read.unfolded().to_string();
    assert_eq!(read.is_canonical_unfolded(), text == unfolded, "unfolded is {unfolded}");

    let again = IpText::parse(&canonical).unwrap();
    assert!(again.is_canonical() && again.fault().is_none());
    assert_eq!(again.addr(), addr);
    let fault = match (read.has_leading_zeros(), read.is_mapped()) {
        (true, _) => Some(IpFault::LeadingZeros),
        (false, true) => Some(IpFault::Mapped),
        (false, false) => None,
    };
    assert_eq!(read.fault(), fault);

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
