//! Property tests that hold for every text.

#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

use std::net::{IpAddr, Ipv6Addr};

use proptest::{prelude::*, sample::select};
use ratchet_net::{CidrText, IpFault, IpText, Quoted, TextBuf, strict_addr, strict_prefix};

/// Texts that resemble addresses.
fn near_address() -> impl Strategy<Value = String> {
    let piece = select(
        &[
            "0", "00", "1", "01", "10", "255", "256", "ffff", "FFFF", "0a", "abc", "00000", ".",
            ".", ".", ":", ":", ":", "::", "::ffff:", "1.2.3.4", "%", "%z", "/", " ", "ü",
        ][..],
    );
    prop::collection::vec(piece, 0..18).prop_map(|pieces| pieces.concat())
}

/// Addresses as a machine or a careless person writes them.
fn written_address() -> impl Strategy<Value = String> {
    let group = prop_oneof![3 => Just(0_u16), 1 => 0..16_u16, 1 => any::<u16>(), 1 => Just(0xffff)];
    let v6 = prop::array::uniform8(group).prop_map(Ipv6Addr::from);
    let v6_spellings = (v6, 0..5_u8).prop_map(|(addr, style)| {
        let groups = addr.segments();
        match style {
            0 => addr.to_string(),
            1 => addr.to_string().to_uppercase(),
            2 => groups.map(|group| format!("{group:x}")).join(":"),
            3 => groups.map(|group| format!("{group:04x}")).join(":"),
            _ => groups.map(|group| format!("{group:06x}")).join(":"),
        }
    });
    let octet = prop_oneof![any::<u8>().prop_map(|n| n.to_string()), "0{0,3}[0-9]{1,2}"];
    let v4 = prop::collection::vec(octet, 4).prop_map(|octets| octets.join("."));
    let mapped = v4.clone().prop_map(|octets| format!("::ffff:{octets}"));
    prop_oneof![v6_spellings, v4, mapped]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![2 => near_address(), 2 => written_address(), 1 => any::<String>()]
}

fn any_cidr() -> impl Strategy<Value = String> {
    let len = prop_oneof![(0..130_u8).prop_map(|n| n.to_string()), "0{0,2}[0-9]{0,3}"];
    prop_oneof![
        4 => (written_address(), len).prop_map(|(addr, len)| format!("{addr}/{len}")),
        1 => any_text(),
    ]
}

/// The network address, computed octet by octet.
fn masked(addr: IpAddr, len: u8) -> IpAddr {
    let keep = |i: usize| {
        let bits = usize::from(len).saturating_sub(8 * i).min(8);
        !(0xff_u16 >> bits) as u8
    };
    match addr {
        IpAddr::V4(v4) => {
            IpAddr::from(std::array::from_fn::<u8, 4, _>(|i| v4.octets()[i] & keep(i)))
        }
        IpAddr::V6(v6) => {
            IpAddr::from(std::array::from_fn::<u8, 16, _>(|i| v6.octets()[i] & keep(i)))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strict_is_narrower(text in any_text()) {
        let sloppy = IpText::parse(&text);
        match strict_addr(&text) {
            Ok(strict) if strict.zone.is_some() => prop_assert!(sloppy.is_err()),
            Ok(strict) => {
                prop_assert_eq!(sloppy.map(|ip| ip.unfolded()), Ok(strict.addr));
                prop_assert!(sloppy.is_ok_and(|ip| ip.fault() != Some(IpFault::LeadingZeros)));
            }
            Err(_) => {
                prop_assert!(sloppy.is_err() || sloppy.is_ok_and(|ip| ip.has_leading_zeros()));
            }
        }
    }

    #[test]
    fn strict_agrees_with_the_standard_library(text in any_text()) {
        let ours = strict_addr(&text).ok().filter(|strict| strict.zone.is_none());
        prop_assert_eq!(ours.map(|strict| strict.addr), text.parse().ok());
    }

    #[test]
    fn canonical_text_is_a_fixed_point(text in any_text()) {
        if let Ok(ip) = IpText::parse(&text) {
            let canonical = ip.canonical().to_string();
            let again = IpText::parse(&canonical);
            prop_assert!(again.is_ok_and(|again| again.is_canonical() && again.fault().is_none()));
            prop_assert_eq!(again.map(|again| again.addr()), Ok(ip.addr()));
            prop_assert_eq!(ip.is_canonical(), canonical == text);
            let mut buf = TextBuf::new();
            prop_assert_eq!(ip.canonical().as_text(&mut buf), canonical);
            prop_assert_eq!(ip.is_canonical_unfolded(), ip.unfolded().to_string() == text);
        }
    }

    #[test]
    fn strict_prefix_is_narrower(text in any_cidr()) {
        let sloppy = CidrText::parse(&text);
        match strict_prefix(&text) {
            Ok(prefix) => {
                prop_assert_eq!(sloppy.map(|cidr| cidr.ip().unfolded()), Ok(prefix.addr));
                prop_assert_eq!(sloppy.map(|cidr| cidr.prefix_len()), Ok(prefix.bits));
                prop_assert_eq!(sloppy.map(|cidr| cidr.is_nonstandard()), Ok(prefix.is_mapped()));
                prop_assert_eq!(
                    sloppy.map(|cidr| cidr.prefix().to_string()),
                    Ok(prefix.to_string())
                );
            }
            Err(_) => prop_assert!(sloppy.map_or(true, |cidr| cidr.has_leading_zeros())),
        }
    }

    #[test]
    fn canonical_network_denotes_the_same_network(text in any_cidr()) {
        if let Ok(cidr) = CidrText::parse(&text) {
            let canonical = cidr.network().to_string();
            let again = CidrText::parse(&canonical);
            prop_assert!(again.is_ok_and(|again| again.is_canonical_network()), "{}", canonical);
            prop_assert!(again.is_ok_and(|again| again.fault().is_none()));
            prop_assert_eq!(again.map(|again| again.network_addr()), Ok(cidr.network_addr()));
            prop_assert_eq!(again.map(|again| again.network()), Ok(cidr.network()));
            prop_assert_eq!(cidr.family(), again.map_or(cidr.family(), |again| again.family()));
        }
    }

    #[test]
    fn canonical_cidr_agrees_with_writing_and_comparing(text in any_cidr()) {
        if let Ok(cidr) = CidrText::parse(&text) {
            prop_assert_eq!(cidr.is_canonical_network(), cidr.network().to_string() == text);
            prop_assert_eq!(cidr.is_canonical_prefix(), cidr.prefix().to_string() == text);
            prop_assert_eq!(cidr.is_canonical_interface(), cidr.interface().to_string() == text);
        }
    }

    #[test]
    fn masks_clear_the_host_bits(text in any_cidr()) {
        if let Ok(cidr) = CidrText::parse(&text) {
            let network = masked(cidr.ip().unfolded(), cidr.prefix_len()).to_canonical();
            prop_assert_eq!(cidr.network_addr(), network);
            prop_assert_eq!(cidr.is_ambiguous(), cidr.addr() != network);
            prop_assert!(cidr.contains(network) && cidr.contains_network(&cidr));
        }
    }

    #[test]
    fn quoting_can_be_undone(text in any::<String>()) {
        let quoted = Quoted(&text).to_string();
        prop_assert!(!quoted.chars().any(char::is_control));
        let mut back = String::new();
        let mut chars = quoted[1..quoted.len() - 1].chars();
        while let Some(c) = chars.next() {
            let hex = |chars: &mut std::str::Chars<'_>, len| {
                let digits: String = chars.take(len).collect();
                u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).expect("a character")
            };
            back.push(match c {
                '\\' => match chars.next().expect("something behind a backslash") {
                    'a' => '\x07', 'b' => '\x08', 'f' => '\x0c', 'n' => '\n',
                    'r' => '\r', 't' => '\t', 'v' => '\x0b',
                    'x' => hex(&mut chars, 2), 'u' => hex(&mut chars, 4), 'U' => hex(&mut chars, 8),
                    other => other,
                },
                plain => plain,
            });
        }
        prop_assert_eq!(back, text);
    }
}
