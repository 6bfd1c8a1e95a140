//! Tests of signing requests of all kinds and their parsed contents.

use super::*;
use alloc::vec;
use proptest::prelude::*;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, KeyPair, SanType,
};

fn params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "system:nodes");
    params.distinguished_name.push(DnType::CommonName, "system:node:a");
    params
}

fn made(params: &CertificateParams) -> (String, Vec<u8>) {
    let made = params.serialize_request(&KeyPair::generate().unwrap()).unwrap();
    (made.pem().unwrap(), made.der().to_vec())
}

#[test]
fn everything_that_is_asked_for_is_read() {
    let mut request_params = params();
    request_params.subject_alt_names = vec![
        SanType::DnsName("a.example".try_into().unwrap()),
        SanType::IpAddress("10.0.0.1".parse().unwrap()),
        SanType::IpAddress("fd00::1".parse().unwrap()),
        SanType::Rfc822Name("a@example".try_into().unwrap()),
        SanType::URI("spiffe://x".try_into().unwrap()),
    ];
    let (pem, der) = made(&request_params);
    let parsed = CertificateRequest::from_pem(pem.as_bytes()).unwrap();
    assert_eq!(parsed, CertificateRequest::from_der(&der).unwrap());
    assert_eq!(
        (parsed.common_names, parsed.organizations),
        (vec!["system:node:a".to_owned()], vec!["system:nodes".to_owned()])
    );
    assert_eq!(
        (parsed.dns_names, parsed.emails, parsed.uris),
        (vec!["a.example".to_owned()], vec!["a@example".to_owned()], vec!["spiffe://x".to_owned()])
    );
    assert_eq!(
        parsed.addresses,
        ["10.0.0.1", "fd00::1"].map(|text| text.parse::<IpAddr>().unwrap())
    );
}

#[test]
fn only_a_request_is_read() {
    let error = |pem: &str| CertificateRequest::from_pem(pem.as_bytes()).unwrap_err().to_string();
    let label = "PEM block type must be CERTIFICATE REQUEST";
    for text in ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert_eq!(error(text), label, "{text}");
    }
    assert!(
        error("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n")
            .starts_with("asn1: ")
    );
    let (_, mut der) = made(&params());
    der.push(0);
    assert_eq!(CertificateRequest::from_der(&der).unwrap_err().to_string(), "asn1: trailing data");
}

#[test]
fn the_proof_is_what_stands_there() {
    let mut request_params = params();
    request_params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let (_, der) = made(&request_params);
    let parsed = CertificateRequest::from_der(&der).unwrap();
    let proof = parsed.proof();
    let at = der.windows(proof.message.len()).position(|window| window == proof.message);
    assert!(at.is_some_and(|at| at > 0));
    // The uncompressed point of a P-256 key.
    assert_eq!((proof.key.len(), proof.key.first()), (65, Some(&4)));
}

proptest! {
    #[test]
    fn nothing_panics_on_broken_requests(at in 0_usize..400, byte: u8, cut in 0_usize..400) {
        let (_, mut der) = made(&params());
        if let Some(place) = der.get_mut(at) {
            *place = byte;
        }
        der.truncate(der.len().saturating_sub(cut));
        if let Err(why) = CertificateRequest::from_der(&der) {
            prop_assert!(!why.to_string().contains('\n'));
        }
    }
}
