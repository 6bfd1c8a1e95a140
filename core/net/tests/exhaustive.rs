//! Every short octet at every position, and IPv6 texts of every shape, against simple models.

#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ratchet_net::{Family, IpFault, IpText, strict_addr};

/// All texts of one to four digits.
fn digit_texts() -> impl Iterator<Item = String> {
    (1..=4_usize).flat_map(|len| (0..10_u32.pow(len as u32)).map(move |n| format!("{n:0len$}")))
}

#[test]
fn every_octet_in_every_place() {
    let mut count = 0;
    for position in 0..4 {
        for digits in digit_texts() {
            let mut octets = ["7"; 4];
            octets[position] = &digits;
            let text = octets.join(".");

            let value = digits.parse::<u32>().expect("digits");
            let padded = digits.len() > 1 && digits.starts_with('0');
            let parsed = IpText::parse(&text);
            if value > 255 {
                assert!(parsed.is_err(), "{text}");
            } else {
                let ip = parsed.expect(&text);
                let mut want = [7; 4];
                want[position] = value as u8;
                assert_eq!(ip.addr(), IpAddr::V4(Ipv4Addr::from(want)), "{text}");
                assert_eq!(ip.fault(), padded.then_some(IpFault::LeadingZeros), "{text}");
                assert_eq!(ip.is_canonical(), !padded, "{text}");
            }
            assert_eq!(strict_addr(&text).is_ok(), value <= 255 && !padded, "{text}");
            count += 1;
        }
    }
    assert_eq!(count, 4 * 11_110);
}

/// The spelling of one group.
#[derive(Clone, Copy)]
struct Spelling {
    text: &'static str,
    value: u16,
    strict: bool,
}

const SPELLINGS: [Spelling; 9] = [
    Spelling { text: "0", value: 0, strict: true },
    Spelling { text: "0000", value: 0, strict: true },
    Spelling { text: "00000", value: 0, strict: false },
    Spelling { text: "a", value: 0xa, strict: true },
    Spelling { text: "A", value: 0xa, strict: true },
    Spelling { text: "0a", value: 0xa, strict: true },
    Spelling { text: "0000000a", value: 0xa, strict: false },
    Spelling { text: "ffff", value: 0xffff, strict: true },
    Spelling { text: "12aB", value: 0x12ab, strict: true },
];

/// Checks one text that denotes these groups.
fn check(text: &str, groups: [u16; 8], strict: bool) {
    let v6 = Ipv6Addr::from(groups);
    let mapped = v6.to_ipv4_mapped();
    let addr = mapped.map_or(IpAddr::V6(v6), IpAddr::V4);
    let ip = IpText::parse(text).expect(text);
    let fault = match (strict, mapped) {
        (false, _) => Some(IpFault::LeadingZeros),
        (true, Some(_)) => Some(IpFault::Mapped),
        (true, None) => None,
    };
    assert_eq!(ip.addr(), addr, "{text}");
    assert_eq!(ip.unfolded(), IpAddr::V6(v6), "{text}");
    assert_eq!(ip.family(), if mapped.is_some() { Family::V4 } else { Family::V6 }, "{text}");
    assert_eq!(ip.fault(), fault, "{text}");
    assert_eq!(ip.is_canonical(), text == addr.to_string(), "{text}");
    assert_eq!(ip.is_canonical_unfolded(), text == v6.to_string(), "{text}");
    assert_eq!(
        strict_addr(text).map(|parsed| parsed.addr).ok(),
        strict.then_some(v6.into()),
        "{text}"
    );
}

/// Zero groups in every pattern, and `::` of every length at every position.
#[test]
fn every_place_of_the_ellipsis() {
    for zeros in 0_u32..256 {
        let groups: [u16; 8] = std::array::from_fn(|i| if zeros >> i & 1 == 1 { 0 } else { 0xb });
        let group_texts = groups.map(|group| format!("{group:x}"));
        check(&group_texts.join(":"), groups, true);
        for start in 0..8 {
            for end in start + 1..=8 {
                if groups[start..end].iter().all(|&group| group == 0) {
                    let text = format!(
                        "{}::{}",
                        group_texts[..start].join(":"),
                        group_texts[end..].join(":")
                    );
                    check(&text, groups, true);
                }
            }
        }
    }
}

/// Every spelling of a group at every position, beside every spelling of its neighbour.
#[test]
fn every_spelling_of_two_neighbours() {
    for position in 0..7 {
        for one in SPELLINGS {
            for two in SPELLINGS {
                let mut group_texts = ["c"; 8];
                let mut groups = [0xc; 8];
                for (at, spelling) in [(position, one), (position + 1, two)] {
                    group_texts[at] = spelling.text;
                    groups[at] = spelling.value;
                }
                check(&group_texts.join(":"), groups, one.strict && two.strict);
            }
        }
    }
}

/// Octets at the end of an address of every length, with every prefix that makes it mapped or not.
#[test]
fn octets_at_the_end() {
    for (head, front) in [
        ("::", [0, 0, 0, 0, 0, 0]),
        ("::ffff:", [0, 0, 0, 0, 0, 0xffff]),
        ("::FFFF:", [0, 0, 0, 0, 0, 0xffff]),
        ("::fffe:", [0, 0, 0, 0, 0, 0xfffe]),
        ("0:0:0:0:0:ffff:", [0, 0, 0, 0, 0, 0xffff]),
        ("::1:ffff:", [0, 0, 0, 0, 1, 0xffff]),
        ("64:ff9b::", [0x64, 0xff9b, 0, 0, 0, 0]),
        ("1:2:3:4:5:6:", [1, 2, 3, 4, 5, 6]),
        ("1:2:3:4:5::", [1, 2, 3, 4, 5, 0]),
    ] {
        for (tail, [a, b], strict) in [
            ("0.0.0.0", [0, 0], true),
            ("1.2.3.4", [0x102, 0x304], true),
            ("255.255.255.255", [0xffff, 0xffff], true),
            ("01.2.3.4", [0x102, 0x304], false),
            ("1.2.3.004", [0x102, 0x304], false),
            ("00000255.0.0.0", [0xff00, 0], false),
        ] {
            let [g0, g1, g2, g3, g4, g5] = front;
            check(&format!("{head}{tail}"), [g0, g1, g2, g3, g4, g5, a, b], strict);
        }
        for tail in ["1.2.3", "1.2.3.4.5", "1.2.3.256", "a.2.3.4", "1.2.3.4:5", "1.2.3.4 ", ".1.2"]
        {
            assert!(IpText::parse(&format!("{head}{tail}")).is_err(), "{head}{tail}");
        }
    }
}

/// The number of groups, on each side of `::` or without it, decides.
#[test]
fn every_number_of_groups() {
    for front in 0..12 {
        let whole = vec!["1"; front].join(":");
        assert_eq!(IpText::parse(&whole).is_ok(), front == 8, "{whole}");
        for back in 0..12 {
            let text = format!("{whole}::{}", vec!["1"; back].join(":"));
            assert_eq!(IpText::parse(&text).is_ok(), front + back < 8, "{text}");
            for wrong in [format!("{text}:"), format!(":{text}"), format!("{text}::1")] {
                assert!(IpText::parse(&wrong).is_err(), "{wrong}");
            }
            let octets = format!("{text}:1.2.3.4");
            let fits = back > 0 && front + back < 6;
            assert_eq!(IpText::parse(&octets).is_ok(), fits, "{octets}");
        }
    }
}
