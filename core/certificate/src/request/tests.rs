//! Requests of all sorts, made here, and what is read in them.

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
    let mut wish = params();
    wish.subject_alt_names = vec![
        SanType::DnsName("a.example".try_into().unwrap()),
        SanType::IpAddress("10.0.0.1".parse().unwrap()),
        SanType::IpAddress("fd00::1".parse().unwrap()),
        SanType::Rfc822Name("a@example".try_into().unwrap()),
        SanType::URI("spiffe://x".try_into().unwrap()),
    ];
    let (pem, der) = made(&wish);
    let read = CertificateRequest::from_pem(pem.as_bytes()).unwrap();
    assert_eq!(read, CertificateRequest::from_der(&der).unwrap());
    assert_eq!(
        (read.common_names, read.organizations),
        (vec!["system:node:a".to_owned()], vec!["system:nodes".to_owned()])
    );
    assert_eq!(
        (read.dns_names, read.emails, read.uris),
        (vec!["a.example".to_owned()], vec!["a@example".to_owned()], vec!["spiffe://x".to_owned()])
    );
    assert_eq!(read.addresses, ["10.0.0.1", "fd00::1"].map(|text| text.parse::<IpAddr>().unwrap()));
}

#[test]
fn only_a_request_is_read() {
    let told = |pem: &str| CertificateRequest::from_pem(pem.as_bytes()).unwrap_err().to_string();
    let label = "PEM block type must be CERTIFICATE REQUEST";
    for text in ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert_eq!(told(text), label, "{text}");
    }
    assert!(
        told("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n")
            .starts_with("asn1: ")
    );
    let (_, mut der) = made(&params());
    der.push(0);
    assert_eq!(CertificateRequest::from_der(&der).unwrap_err().to_string(), "asn1: trailing data");
}

#[test]
fn the_proof_is_what_stands_there() {
    let mut wish = params();
    wish.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let (_, der) = made(&wish);
    let read = CertificateRequest::from_der(&der).unwrap();
    let proof = read.proof();
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
