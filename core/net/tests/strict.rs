//! Tests of the strict parsers: accepted texts, and the messages for refused ones.

use ratchet_net::{Quoted, strict_addr, strict_prefix};

#[test]
fn refused_addresses() {
    for (text, message) in [
        ("", "unable to parse IP"),
        ("localhost", "unable to parse IP"),
        ("%eth0", "missing IPv6 address"),
        ("a%b:1", "missing IPv6 address"),
        ("1.2.3.04", "IPv4 field has octet with leading zero"),
        ("1.2.3.256", "IPv4 field has value >255"),
        ("1..2.3", r#"IPv4 field must have at least one digit (at ".2.3")"#),
        (".1.2.3", r#"IPv4 field must have at least one digit (at ".1.2.3")"#),
        ("1.2.3.", r#"IPv4 field must have at least one digit (at ".")"#),
        ("1.2.3.4.", r#"IPv4 field must have at least one digit (at ".")"#),
        ("1.2.3.4.5", "IPv4 address too long"),
        ("1.2.3", "IPv4 address too short"),
        ("1.2.3.4 ", r#"unexpected character (at " ")"#),
        ("1.2.3.4%eth0", r#"unexpected character (at "%eth0")"#),
        ("1.2.3.4::", r#"unexpected character (at "::")"#),
        ("1.2.ü", r#"unexpected character (at "ü")"#),
        ("fe80::1%", "zone must be a non-empty string"),
        ("::00001", r#"each group must have 4 or less digits (at "00001")"#),
        ("1:fffff:2", r#"each group must have 4 or less digits (at "fffff:2")"#),
        ("::0000255.1.1.1", r#"each group must have 4 or less digits (at "0000255.1.1.1")"#),
        (":1", r#"each colon-separated field must have at least one digit (at ":1")"#),
        ("::g", r#"each colon-separated field must have at least one digit (at "g")"#),
        (":%a", r#"each colon-separated field must have at least one digit (at ":")"#),
        (
            "1:2:3:4:5:1.2.3.4",
            r#"embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")"#,
        ),
        (
            "::1:2:3:4:5:6:7:1.2.3.4",
            r#"too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")"#,
        ),
        ("::ffff:1.2.3", "IPv4 address too short"),
        ("::ffff:01.2.3.4", "IPv4 field has octet with leading zero"),
        ("::1.2.3.4:5", r#"unexpected character (at ":5")"#),
        ("::1.2.3.x%eth0", r#"unexpected character (at "x")"#),
        ("::1 ", r#"unexpected character, want colon (at " ")"#),
        ("1:2:", r#"colon must be followed by more characters (at ":")"#),
        ("1::2::3", r#"multiple :: in address (at ":3")"#),
        ("1:2:3:4:5:6:7:8:9", r#"trailing garbage after address (at "9")"#),
        ("1:2", "address string too short"),
        ("1:2:3:4:5:6:7:8::", "the :: must expand to at least one field of zeros"),
        ("::1:2:3:4:5:6:1.2.3.4", "the :: must expand to at least one field of zeros"),
    ] {
        let error = strict_addr(text).expect_err(text);
        assert_eq!(error.input(), text);
        assert_eq!(error.to_string(), format!("ParseAddr({}): {message}", Quoted(text)));
    }
}

#[test]
fn zones() {
    for (text, canonical) in [
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("FE80::0%0", "fe80::%0"),
        ("::ffff:1.2.3.4%a%b", "::ffff:1.2.3.4%a%b"),
        ("::%z", "::%z"),
    ] {
        assert_eq!(strict_addr(text).expect(text).to_string(), canonical);
    }
    assert!(strict_addr("::ffff:102:304%z").is_ok_and(|parsed| parsed.is_mapped()));
}

#[test]
fn refused_prefixes() {
    for (text, message) in [
        ("10.0.0.0", "no '/'"),
        ("10.0.0/8", r#"ParseAddr("10.0.0"): IPv4 address too short"#),
        ("10.0.0.0/8/8", r#"ParseAddr("10.0.0.0/8"): unexpected character (at "/8")"#),
        ("fe80::1%eth0/64", "IPv6 zones cannot be present in a prefix"),
        ("10.0.0.0/", r#"bad bits after slash: """#),
        ("10.0.0.0/08", r#"bad bits after slash: "08""#),
        ("10.0.0.0/+8", r#"bad bits after slash: "+8""#),
        ("10.0.0.0/-1", r#"bad bits after slash: "-1""#),
        ("10.0.0.0/8\n", r#"bad bits after slash: "8\n""#),
        ("10.0.0.0/9223372036854775808", r#"bad bits after slash: "9223372036854775808""#),
        ("10.0.0.0/9223372036854775807", "prefix length out of range"),
        ("10.0.0.0/33", "prefix length out of range"),
        ("::/129", "prefix length out of range"),
    ] {
        let error = strict_prefix(text).expect_err(text);
        assert_eq!(error.input(), text);
        assert_eq!(error.to_string(), format!("netip.ParsePrefix({}): {message}", Quoted(text)));
    }
}

#[test]
fn prefixes() {
    for (text, canonical, masked) in [
        ("10.1.2.3/8", "10.1.2.3/8", "10.0.0.0/8"),
        ("0.0.0.0/0", "0.0.0.0/0", "0.0.0.0/0"),
        ("2001:DB8::1/128", "2001:db8::1/128", "2001:db8::1/128"),
        ("::ffff:102:304/128", "::ffff:1.2.3.4/128", "::ffff:1.2.3.4/128"),
        ("::ffff:1.2.3.4/0", "::ffff:1.2.3.4/0", "::/0"),
    ] {
        let prefix = strict_prefix(text).expect(text);
        assert_eq!(prefix.to_string(), canonical);
        assert_eq!(prefix.masked().to_string(), masked);
    }
}

#[test]
fn a_prefix_contains() {
    let contains = |outer, inner| {
        let [outer, inner] = [outer, inner].map(|text| strict_prefix(text).expect(text));
        outer.contains_prefix(inner)
    };
    assert!(contains("192.168.0.0/24", "192.168.0.0/25"));
    assert!(contains("192.168.0.9/24", "192.168.0.7/24"), "host bits do not matter");
    assert!(!contains("192.168.0.0/25", "192.168.0.0/24"));
    assert!(!contains("0.0.0.0/0", "::/0"));
    assert!(!contains("0.0.0.0/0", "::ffff:1.2.3.4/128"), "mapped is IPv6 to a strict reader");
    assert!(contains("::/0", "::ffff:1.2.3.4/128"));
}
