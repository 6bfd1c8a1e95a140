//! Certificates as envtest makes them: an authority of ECDSA keys on P-256, serving and client certificates for a week.

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
};
use std::net::IpAddr;

/// A certificate and its key in PEM.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// An authority that is trusted by nobody but the test.
pub(crate) struct TinyCa {
    pub(crate) pair: Pair,
    issuer: Issuer<'static, KeyPair>,
}

fn key() -> KeyPair {
    KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap()
}

fn named(common_name: &str, organizations: &[&str]) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    for organization in organizations {
        params.distinguished_name.push(DnType::OrganizationName, *organization);
    }
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.key_usages = vec![KeyUsagePurpose::KeyEncipherment, KeyUsagePurpose::DigitalSignature];
    params
}

impl TinyCa {
    pub(crate) fn new() -> Self {
        let key = key();
        let mut params = named("envtest-environment", &["envtest"]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages.push(KeyUsagePurpose::KeyCertSign);
        let certificate = params.self_signed(&key).unwrap().pem();
        let pair = Pair { certificate, key: key.serialize_pem() };
        Self { pair, issuer: Issuer::new(params, key) }
    }

    /// A certificate for `localhost` and this address.
    pub(crate) fn serving(&self, address: &str) -> Pair {
        let mut params = named("localhost", &["envtest"]);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let address: IpAddr = address.parse().unwrap();
        params.subject_alt_names = vec![
            rcgen::SanType::DnsName("localhost".try_into().unwrap()),
            rcgen::SanType::IpAddress(address),
        ];
        self.signed(&params)
    }

    /// A certificate of a user.
    pub(crate) fn client(&self, name: &str, groups: &[&str]) -> Pair {
        let mut params = named(name, groups);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.signed(&params)
    }

    fn signed(&self, params: &CertificateParams) -> Pair {
        let key = key();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Pair { certificate, key: key.serialize_pem() }
    }
}
