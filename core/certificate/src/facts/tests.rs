//! Tests of certificates of all kinds and their parsed contents.

extern crate std;

use super::*;
use alloc::vec;
use proptest::prelude::*;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, DnValue,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, PKCS_ECDSA_P384_SHA384, PKCS_ED25519, SanType,
};

fn params(names: &[(DnType, DnValue)]) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    for (kind, value) in names {
        params.distinguished_name.push(kind.clone(), value.clone());
    }
    params
}

fn utf8(text: &str) -> DnValue {
    DnValue::Utf8String(text.to_owned())
}

fn self_signed(params: &CertificateParams) -> Vec<u8> {
    params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
}

#[test]
fn everything_that_stands_there_is_read() {
    let authority_key = KeyPair::generate().unwrap();
    let mut authority = params(&[(DnType::CommonName, utf8("kubernetes"))]);
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let mut leaf = params(&[
        (DnType::OrganizationName, utf8("system:nodes")),
        (DnType::CommonName, utf8("system:node:a")),
    ]);
    leaf.subject_alt_names = vec![
        SanType::DnsName("a.example".try_into().unwrap()),
        SanType::IpAddress("10.0.0.1".parse().unwrap()),
        SanType::IpAddress("fd00::1".parse().unwrap()),
        SanType::URI("spiffe://x".try_into().unwrap()),
    ];
    leaf.not_before = rcgen::date_time_ymd(2026, 1, 1);
    leaf.not_after = rcgen::date_time_ymd(2027, 1, 1);
    leaf.serial_number = Some(vec![0x0a, 0xff].into());
    leaf.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).unwrap();
    let issuer = Issuer::new(authority.clone(), &authority_key);
    let facts = Facts::from_der(leaf.signed_by(&key, &issuer).unwrap().der()).unwrap();
    assert_eq!(facts.common_names, ["system:node:a"]);
    assert_eq!(facts.organizations, ["system:nodes"]);
    assert_eq!(facts.subject, "O=system:nodes,CN=system:node:a");
    assert_eq!(facts.issuer, "CN=kubernetes");
    assert_eq!(facts.issuer_common_names, ["kubernetes"]);
    assert_eq!(facts.dns_names, ["a.example"]);
    assert_eq!(
        facts.addresses,
        ["10.0.0.1", "fd00::1"].map(|text| text.parse::<IpAddr>().unwrap())
    );
    assert_eq!(facts.other_names, 1);
    assert_eq!((facts.not_before, facts.not_after), (1_767_225_600, 1_798_761_600));
    assert!(!facts.is_self_issued && !facts.is_ca);
    assert_eq!(facts.serial, "0A:FF");
    assert_eq!(facts.key, Key::Ec("P-384".to_owned()));
    assert_eq!(facts.usages, [Usage::ServerAuth]);
    let authority = Facts::from_der(authority.self_signed(&authority_key).unwrap().der()).unwrap();
    assert!(authority.is_self_issued && authority.is_ca);
    assert!(authority.usages.is_empty() && authority.may_serve());
}

#[test]
fn names_are_shown_whatever_their_encoding_and_all_of_them() {
    let second = DnType::CustomDnType(vec![2, 5, 4, 3]);
    let bmp = DnValue::BmpString("zwei\u{7}".try_into().unwrap());
    let names = [(DnType::CommonName, utf8("one\0, \"CN=x\"\n")), (second, bmp)];
    let facts = Facts::from_der(&self_signed(&params(&names))).unwrap();
    assert_eq!(facts.common_names, ["one\0, \"CN=x\"\n", "zwei\u{7}"]);
    assert_eq!(facts.subject, "CN=one\0\\, \\\"CN\\=x\\\"\n,CN=zwei\u{7}");
    let nothing = Facts::from_der(&self_signed(&params(&[]))).unwrap();
    assert!(nothing.common_names.is_empty() && nothing.subject.is_empty());
    let unusual = params(&[(DnType::CustomDnType(vec![1, 2, 3]), utf8("x"))]);
    assert_eq!(Facts::from_der(&self_signed(&unusual)).unwrap().subject, "1.2.3=x");
}

#[test]
fn keys_have_names() {
    let key = KeyPair::generate_for(&PKCS_ED25519).unwrap();
    let made = params(&[]).self_signed(&key).unwrap();
    assert_eq!(Facts::from_der(made.der()).unwrap().key.to_string(), "Ed25519");
    assert_eq!(Facts::from_der(&self_signed(&params(&[]))).unwrap().key.to_string(), "EC P-256");
    assert_eq!(Key::Rsa(2048).to_string(), "RSA 2048");
}

#[test]
fn hosts_are_matched_as_tls_matches_them() {
    let mut certificate_params = params(&[(DnType::CommonName, utf8("only.cn"))]);
    certificate_params.subject_alt_names = vec![
        SanType::DnsName("Node-A.example".try_into().unwrap()),
        SanType::DnsName("*.pool.example".try_into().unwrap()),
        SanType::IpAddress("10.0.0.1".parse().unwrap()),
        SanType::IpAddress("fd00::1".parse().unwrap()),
        SanType::DnsName("10.0.0.9".try_into().unwrap()),
    ];
    let facts = Facts::from_der(&self_signed(&certificate_params)).unwrap();
    for host in ["node-a.example", "NODE-A.EXAMPLE", "node-a.example.", "x.pool.example"] {
        assert!(facts.speaks_for(host), "{host}");
    }
    for host in ["10.0.0.1", "fd00:0::1", "::ffff:10.0.0.1"] {
        assert!(facts.speaks_for(host), "{host}");
    }
    for host in ["only.cn", "pool.example", "a.b.pool.example", "10.0.0.9", "10.0.0.2", "", "."] {
        assert!(!facts.speaks_for(host), "{host}");
    }
}

#[test]
fn only_servers_may_serve() {
    let mut certificate_params = params(&[]);
    certificate_params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let facts = Facts::from_der(&self_signed(&certificate_params)).unwrap();
    assert!(!facts.may_serve());
    assert_eq!(facts.usages.iter().map(ToString::to_string).collect::<Vec<_>>(), ["client auth"]);
    certificate_params.extended_key_usages = vec![ExtendedKeyUsagePurpose::Any];
    assert!(Facts::from_der(&self_signed(&certificate_params)).unwrap().may_serve());
}

#[test]
fn age_is_a_share_of_the_life() {
    let mut certificate_params = params(&[]);
    certificate_params.not_before = rcgen::date_time_ymd(2026, 1, 1);
    certificate_params.not_after = rcgen::date_time_ymd(2026, 1, 11);
    let facts = Facts::from_der(&self_signed(&certificate_params)).unwrap();
    let day = 86_400;
    for (days, percent) in [(-5, -50), (0, 0), (5, 50), (9, 90), (10, 100), (20, 200)] {
        assert_eq!(facts.age(facts.not_before + days * day), percent);
    }
    let backwards = Facts { not_after: facts.not_before, ..facts };
    assert_eq!(backwards.age(i64::MAX), 101);
}

#[test]
fn what_is_no_certificate_is_refused_in_words() {
    let good = self_signed(&params(&[]));
    assert!(Facts::from_der(b"").is_err());
    assert!(Facts::from_der(b"HTTP/1.0 400 Bad Request").is_err());
    let tail = [&good[..], b"xyz"].concat();
    assert_eq!(Facts::from_der(&tail).unwrap_err().why, "3 bytes stand behind it");
    for end in 0..good.len() {
        let why = Facts::from_der(&good[..end]).unwrap_err().to_string();
        assert!(why.starts_with("not a certificate: ") && !why.contains('\n'), "{why}");
    }
}

proptest! {
    #[test]
    fn damage_never_panics(at in 0usize..400, byte: u8, cut in 0usize..400) {
        let mut der = self_signed(&params(&[(DnType::CommonName, utf8("a"))]));
        if let Some(old) = der.get_mut(at) {
            *old = byte;
        }
        let _ = Facts::from_der(&der);
        der.truncate(cut);
        let _ = Facts::from_der(&der);
    }

    #[test]
    fn noise_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Facts::from_der(&bytes);
    }
}
