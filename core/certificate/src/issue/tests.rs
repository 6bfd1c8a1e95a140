//! Tests of issued certificates, parsed by another library.

use super::*;
use crate::{Facts, Usage};
use alloc::string::ToString;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, SanType, SigningKey,
};

/// ecdsa-with-SHA256.
const ALGORITHM: &[u8] = &[6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];

fn authority() -> (IssuerCertificate, KeyPair) {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "kubernetes");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
    let made = params.self_signed(&key).unwrap();
    (IssuerCertificate::from_der(made.der()).unwrap(), key)
}

/// A request that asks for more than is ever granted.
fn hostile() -> CertificateRequest {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "system:nodes");
    params.distinguished_name.push(DnType::CommonName, "system:node:a");
    params.subject_alt_names = vec![
        SanType::DnsName("a.example".try_into().unwrap()),
        SanType::IpAddress("10.0.0.1".parse().unwrap()),
        SanType::IpAddress("fd00::1".parse().unwrap()),
    ];
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::Any];
    let made = params.serialize_request(&KeyPair::generate().unwrap()).unwrap();
    CertificateRequest::from_der(made.der()).unwrap()
}

fn issued(usages: &[&str], not_before: i64, not_after: i64) -> Vec<u8> {
    let (issuer, key) = authority();
    let issuance = Issuance {
        issuer: &issuer,
        algorithm: ALGORITHM,
        serial: [0xff; 16],
        not_before,
        not_after,
        usages,
    };
    let body = issuance.to_be_signed(&hostile()).unwrap();
    let signature = key.sign(&body).unwrap();
    signed(body, ALGORITHM, &signature)
}

#[test]
fn a_request_that_wants_to_be_an_authority_is_not_made_one() {
    let der = issued(&["digital signature", "server auth"], 0, 4_102_444_800);
    let facts = Facts::from_der(&der).unwrap();
    assert!(!facts.is_ca);
    assert_eq!(facts.usages, [Usage::ServerAuth]);
    assert_eq!(facts.subject, "O=system:nodes,CN=system:node:a");
    assert_eq!(facts.issuer, "CN=kubernetes");
    assert_eq!(facts.dns_names, ["a.example"]);
    assert_eq!(
        facts.addresses.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["10.0.0.1", "fd00::1"]
    );
    assert_eq!((facts.not_before, facts.not_after), (0, 4_102_444_800));
    let (_, parsed) = X509Certificate::from_der(&der).unwrap();
    let usage = parsed.key_usage().unwrap().unwrap();
    assert!(usage.critical && usage.value.digital_signature() && !usage.value.key_cert_sign());
    let basic = parsed.basic_constraints().unwrap().unwrap();
    assert!(basic.critical && !basic.value.ca);
    assert!(parsed.raw_serial().first().is_none_or(|first| first & 0x80 == 0));
    let extensions: Vec<String> =
        parsed.extensions().iter().map(|one| one.oid.to_id_string()).collect();
    assert_eq!(extensions, ["2.5.29.15", "2.5.29.37", "2.5.29.19", "2.5.29.35", "2.5.29.17"]);
}

#[test]
fn times_are_written_as_their_century_wants() {
    // Leap days, ends of years, and the year in which two digits are no longer enough.
    for seconds in
        [0, 68_169_599, 951_782_400, 1_709_164_800, 2_524_607_999, 2_524_608_000, 4_107_542_399]
    {
        let facts = Facts::from_der(&issued(&["client auth"], seconds, seconds)).unwrap();
        assert_eq!((facts.not_before, facts.not_after), (seconds, seconds));
    }
    assert!(time(i64::MAX).is_err() && time(i64::MIN).is_err());
}

#[test]
fn usages_are_known_by_name_and_none_signs_certificates() {
    assert_eq!(usages(&["signing", "key encipherment"]).unwrap().0, 0b1010_0000 << 8);
    assert_eq!(bit_string(0b1010_0000 << 8), [3, 2, 5, 0b1010_0000]);
    assert_eq!(
        usages(&["cert sign", "server auth", "crl sign"]).unwrap_err(),
        "unrecognized usage values: [\"cert sign\" \"crl sign\"]"
    );
}

#[test]
fn only_an_authority_signs() {
    let own = CertificateParams::default().self_signed(&KeyPair::generate().unwrap()).unwrap();
    let why = IssuerCertificate::from_der(own.der()).unwrap_err();
    assert_eq!(why, "it is no certificate of an authority (CA:TRUE)");
    assert!(IssuerCertificate::from_der(b"noise").unwrap_err().starts_with("not a certificate: "));
}

#[test]
fn lives_are_as_long_as_asked_and_end_with_the_issuer() {
    const HOUR: i64 = 3600;
    let now = 1_000_000;
    assert_eq!(validity(now, HOUR, i64::MAX), Ok((now - 300, now + HOUR)));
    assert_eq!(validity(now, 24 * HOUR, i64::MAX), Ok((now - 300, now + 24 * HOUR - 300)));
    assert_eq!(validity(now, 24 * HOUR, now + 7), Ok((now - 300, now + 7)));
    assert_eq!(validity(now, i64::MAX, now + 7), Ok((now - 300, now + 7)));
    assert!(validity(now, HOUR, now).is_err());
}
