//! Tests of node names: certificates that carry one, and all kinds of wrong ones.

use alloc::vec;

use proptest::prelude::*;
use rcgen::string::{BmpString, Ia5String, PrintableString, TeletexString, UniversalString};
use rcgen::{CertificateParams, DistinguishedName, DnType, DnValue, KeyPair, SanType};

use x509_parser::prelude::{FromDer, X509Certificate};

use super::*;

fn node() -> NodeName {
    NodeName::new("node-a").unwrap()
}

fn made(subject: DistinguishedName) -> Vec<u8> {
    let mut params = CertificateParams::new(vec!["system:node:node-a".to_owned()]).unwrap();
    params.distinguished_name = subject;
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
}

fn named(name: impl Into<DnValue>) -> Vec<u8> {
    let mut subject = DistinguishedName::new();
    subject.push(DnType::OrganizationName, "system:nodes");
    subject.push(DnType::CommonName, name);
    made(subject)
}

fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut bytes = vec![tag];
    match length {
        0..=0x7f => bytes.push(length as u8),
        0x80..=0xff => bytes.extend([0x81, length as u8]),
        _ => bytes.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    bytes.extend(content);
    bytes
}

fn attribute(oid: &[u8], tag: u8, value: &[u8]) -> Vec<u8> {
    tlv(0x30, &[tlv(6, oid), tlv(tag, value)].concat())
}

fn cn(value: &[u8]) -> Vec<u8> {
    attribute(&[0x55, 4, 3], 0x0c, value)
}

/// A certificate with this subject, whatever it is; without a valid signature.
fn with_subject(subject: &[u8]) -> Vec<u8> {
    let template = named("placeholder");
    let (_, parsed) = X509Certificate::from_der(&template).unwrap();
    let (tbs, old) = (parsed.tbs_certificate.as_ref(), parsed.subject().as_raw());
    let at = tbs.windows(old.len()).rposition(|window| window == old).unwrap();
    let header = 4; // two bytes of length: it is longer than 255
    let tbs = [&tbs[header..at], subject, &tbs[at + old.len()..]].concat();
    let rest = &template[4 + parsed.tbs_certificate.as_ref().len()..];
    tlv(0x30, &[tlv(0x30, &tbs), rest.to_vec()].concat())
}

fn sets(sets: &[&[Vec<u8>]]) -> Vec<u8> {
    let sets: Vec<u8> = sets.iter().flat_map(|set| tlv(0x31, &set.concat())).collect();
    with_subject(&tlv(0x30, &sets))
}

fn apart(one: &[u8], other: &[u8]) -> Vec<u8> {
    sets(&[&[one.to_vec()], &[other.to_vec()]])
}

fn fault(leaf: &[u8]) -> String {
    let fault = node().is_borne_by(leaf).unwrap_err();
    assert_eq!(fault.expected, "system:node:node-a");
    let message = fault.to_string();
    assert!(message.starts_with("x509: kubelet serving certificate "), "{message}");
    assert!(message.contains("\"system:node:node-a\""), "{message}");
    message
}

#[test]
fn the_right_name_is_borne_in_three_types_of_string() {
    let name = "system:node:node-a";
    for right in [
        named(name),
        named(DnValue::PrintableString(PrintableString::try_from(name).unwrap())),
        named(DnValue::Ia5String(Ia5String::try_from(name).unwrap())),
        sets(&[&[cn(name.as_bytes())]]),
        sets(&[&[cn(name.as_bytes()), attribute(&[0x55, 4, 10], 0x0c, b"system:nodes")]]),
    ] {
        assert_eq!(node().is_borne_by(&right), Ok(()));
    }
}

#[test]
fn another_name_is_told_in_quotes() {
    assert_eq!(
        fault(&named("system:node:node-b")),
        "x509: kubelet serving certificate common name \"system:node:node-b\" does not match expected \"system:node:node-a\""
    );
}

#[test]
fn nearly_the_right_name_is_another_name() {
    for name in [
        "",
        " system:node:node-a",
        "system:node:node-a ",
        "system:node:node-a\t",
        "system:node:node-a.",
        "system:node:node-a\0",
        "system:node:node-a\0.example",
        "system:node:\0node-a",
        "System:Node:node-a",
        "system:node:NODE-A",
        "system:node:node-",
        "system:node:*",
        "system:node:node-*",
        "node-a",
        "system:node:",
        "system:node:node-а", // Cyrillic
        "system:node:node-a\u{200b}",
        "system:node:node-ａ", // full width
    ] {
        let message = fault(&named(name));
        let start =
            format!("x509: kubelet serving certificate common name {} does not", Quoted(name));
        assert!(message.starts_with(&start), "{message}");
        assert!(!message.contains('\0') && !message.contains('\t'), "{message}");
    }
}

#[test]
fn no_common_name_is_told_so_and_nothing_stands_in_for_it() {
    let mut organization = DistinguishedName::new();
    organization.push(DnType::OrganizationName, "system:node:node-a");
    let mut unit = DistinguishedName::new();
    unit.push(DnType::OrganizationalUnitName, "system:node:node-a");
    for leaf in [made(DistinguishedName::new()), made(organization), made(unit)] {
        assert_eq!(
            fault(&leaf),
            "x509: kubelet serving certificate has no common name, expected \"system:node:node-a\""
        );
    }
}

#[test]
fn several_common_names_are_none() {
    let (right, other) = (cn(b"system:node:node-a"), cn(b"other"));
    for several in [
        apart(&right, &other),
        apart(&other, &right),
        apart(&right, &right),
        sets(&[&[right.clone(), other.clone()]]),
        sets(&[&[other.clone(), right.clone()]]),
        sets(&[&[right.clone(), right.clone()]]),
        apart(&right, &cn(b"")),
        apart(&right, &attribute(&[0x55, 4, 3], 0x05, b"")),
    ] {
        assert!(fault(&several).contains("has 2 common names ("), "{}", fault(&several));
    }
    let many = vec![right; 300];
    let message = fault(&sets(&[&many]));
    assert!(message.contains("has 300 common names (") && message.contains(", …)"), "{message}");
    assert!(message.chars().count() < 500, "{message}");
}

#[test]
fn other_types_of_string_are_named() {
    let name = "system:node:node-a";
    for (value, kind) in [
        (DnValue::BmpString(BmpString::try_from(name).unwrap()), "BMPString"),
        (DnValue::TeletexString(TeletexString::try_from(name).unwrap()), "TeletexString"),
        (DnValue::UniversalString(UniversalString::try_from(name).unwrap()), "UniversalString"),
    ] {
        let message = fault(&named(value));
        assert!(message.contains(&format!("has a common name that is a {kind}, ")), "{message}");
    }
    for (tag, kind) in [
        (0x04, "value of no string type"),
        (0x12, "NumericString"),
        (0x1a, "VisibleString"),
        (0x2c, "value of no string type"), // constructed
        (0x8c, "value of no string type"), // context-specific
    ] {
        let message = fault(&sets(&[&[attribute(&[0x55, 4, 3], tag, name.as_bytes())]]));
        assert!(message.contains(&format!("is a {kind}, ")), "{tag} {message}");
    }
}

#[test]
fn a_string_that_is_not_of_its_type_is_told() {
    for (tag, kind, value) in [
        (0x0c, "UTF8String", &b"system:node:node-a\xff"[..]),
        (0x13, "PrintableString", b"system:node:node_a"),
        (0x13, "PrintableString", b"system:node:node-a\0"),
        (0x16, "IA5String", b"system:node:node-\xe4"),
    ] {
        let message = fault(&sets(&[&[attribute(&[0x55, 4, 3], tag, value)]]));
        assert!(message.contains(&format!("is no valid {kind}, ")), "{message}");
    }
}

#[test]
fn what_is_not_plain_der_is_unreadable() {
    let name = b"system:node:node-a";
    let right = named("system:node:node-a");
    let long_length = [&[0x0c, 0x81, name.len() as u8], &name[..]].concat();
    let doubled = [tlv(6, &[0x55, 4, 3]), tlv(0x0c, name), tlv(0x0c, b"x")].concat();
    for broken in [
        Vec::new(),
        vec![0x30],
        vec![0x30, 0x80],
        vec![0xff; 100],
        [right.clone(), vec![0]].concat(),
        [right.clone(), right.clone()].concat(),
        right[..right.len() - 1].to_vec(),
        sets(&[&[tlv(0x30, &[tlv(6, &[0x55, 4, 3]), long_length].concat())]]),
        sets(&[&[tlv(0x30, &doubled)]]),
        sets(&[&[tlv(0x30, &tlv(6, &[0x55, 4, 3]))]]),
        with_subject(&tlv(0x30, &cn(name))),
    ] {
        let message = fault(&broken);
        assert!(
            message.starts_with("x509: kubelet serving certificate cannot be read, "),
            "{message}"
        );
    }
}

#[test]
fn what_is_shown_is_one_bounded_line() {
    for name in ["a".repeat(60_000), "\n".repeat(5_000), "\"\\\u{202e}é".repeat(5_000)] {
        let message = fault(&named(name.as_str()));
        assert!(message.chars().count() < 400 && message.contains('…'), "{}", message.len());
        assert!(message.chars().all(|c| !c.is_control() && c != '\u{202e}'));
    }
    let name = "b".repeat(256);
    assert_eq!(
        node().is_borne_by(&named(name.as_str())).unwrap_err().presented(),
        format!("\"{name}\"")
    );
    let longer = node().is_borne_by(&named("b".repeat(257))).unwrap_err().presented();
    assert_eq!(longer, format!("\"{}…\"", "b".repeat(255)));
}

#[test]
fn an_alternative_name_or_a_foreign_attribute_does_not_count() {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.distinguished_name = DistinguishedName::new();
    params.subject_alt_names = vec![SanType::URI("system:node:node-a".try_into().unwrap())];
    let leaf = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
    fault(leaf.der());
    // An OID that looks like that of the common name.
    fault(&sets(&[&[attribute(&[0x55, 0x84, 0x03], 0x0c, b"system:node:node-a")]]));
    fault(&sets(&[&[attribute(&[0x55, 4, 3, 1], 0x0c, b"system:node:node-a")]]));
}

proptest! {
    #[test]
    fn exactly_one_text_is_the_name(name in "(system:node:)?[ -~]{0,20}") {
        prop_assert_eq!(node().is_borne_by(&named(name.as_str())).is_ok(), name == "system:node:node-a");
    }

    #[test]
    fn one_broken_byte_never_makes_a_name(at in 0_usize..400, to in any::<u8>()) {
        let mut leaf = named("system:node:node-b");
        let at = at % leaf.len();
        leaf[at] = to;
        let expected_flip = leaf.windows(18).any(|window| window == b"system:node:node-a");
        prop_assert_eq!(node().is_borne_by(&leaf).is_ok() && !expected_flip, false);
    }
}
