//! Tests of families, containment and special addresses.

#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

use std::net::IpAddr;

use ratchet_net::{CidrText, Family, IpText, TextBuf, class};

fn cidr(text: &str) -> CidrText {
    CidrText::parse(text).expect(text)
}

#[test]
fn a_short_prefix_cuts_the_mapped_address_off() {
    for (text, address, network) in [
        ("::ffff:1.2.3.4/96", Family::V4, Family::V4),
        ("::ffff:1.2.3.4/95", Family::V4, Family::V6),
        ("::ffff:0.0.0.0/0", Family::V4, Family::V6),
        ("10.0.0.0/8", Family::V4, Family::V4),
        ("::1.2.3.4/128", Family::V6, Family::V6),
    ] {
        assert_eq!(cidr(text).address_family(), address, "{text}");
        assert_eq!(cidr(text).family(), network, "{text}");
    }
}

#[test]
fn containment() {
    for (outer, inner, contains) in [
        ("10.0.0.0/8", "10.1.0.0/16", true),
        ("10.0.0.0/8", "10.0.0.0/8", true),
        ("10.0.0.0/16", "10.0.9.9/8", true), // the masked address counts, not the length
        ("10.1.0.0/16", "10.1.9.9/8", false),
        ("10.0.0.0/8", "11.0.0.0/16", false),
        ("0.0.0.0/0", "::/0", false),
        ("::/0", "1.2.3.4/32", false),
        ("10.0.0.0/16", "::ffff:10.0.0.0/120", true),
        ("::ffff:10.0.0.0/104", "10.0.0.0/16", true),
        ("::ffff:10.0.0.0/64", "10.0.0.0/16", false), // that network is ::/64
        ("::ffff:10.0.0.0/64", "::1/128", true),
        ("2001:db8::/32", "2001:db8:1::/48", true),
        ("2001:db8::/32", "2001:db9::/48", false),
    ] {
        assert_eq!(cidr(outer).contains_network(&cidr(inner)), contains, "{outer} {inner}");
    }
}

/// Address; unspecified, loopback, link-local unicast, link-local multicast, multicast, global.
#[test]
fn classes() {
    for (text, marks) in [
        ("0.0.0.0", "u....."),
        ("::", "u....."),
        ("::ffff:0.0.0.0", "u....."),
        ("127.255.0.1", ".l...."),
        ("::1", ".l...."),
        ("::ffff:127.0.0.1", ".l...."),
        ("169.254.1.1", "..k..."),
        ("fe80::1", "..k..."),
        ("febf::1", "..k..."),
        ("fec0::1", ".....g"),
        ("224.0.0.255", "...xm."),
        ("224.0.1.0", "....m."),
        ("239.1.1.1", "....m."),
        ("ff02::1", "...xm."),
        ("ff12::1", "...xm."),
        ("ff05::1", "....m."),
        ("255.255.255.255", "......"),
        ("10.0.0.1", ".....g"),
        ("fd00::1", ".....g"),
        ("8.8.8.8", ".....g"),
    ] {
        let judge = |addr: IpAddr| {
            [
                (class::is_unspecified(addr), 'u'),
                (class::is_loopback(addr), 'l'),
                (class::is_link_local_unicast(addr), 'k'),
                (class::is_link_local_multicast(addr), 'x'),
                (class::is_multicast(addr), 'm'),
                (class::is_global_unicast(addr), 'g'),
            ]
            .map(|(yes, mark)| if yes { mark } else { '.' })
            .iter()
            .collect::<String>()
        };
        let ip = IpText::parse(text).expect(text);
        assert_eq!(judge(ip.addr()), marks, "{text}");
        assert_eq!(judge(ip.unfolded()), marks, "{text}");
    }
}

#[test]
fn the_longest_texts_fit_the_buffer() {
    let mut buf = TextBuf::new();
    let text = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128";
    assert_eq!(cidr(text).network().as_text(&mut buf), text);
    assert_eq!(cidr("1.2.3.4/24").interface().as_text(&mut buf), "1.2.3.4/24");
    let ip = IpText::parse("::FFFF:255.255.255.255").expect("mapped");
    assert_eq!(ip.canonical().as_text(&mut buf), "255.255.255.255");
}
