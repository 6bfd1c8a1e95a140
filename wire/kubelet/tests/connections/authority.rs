//! A CA that signs any certificate, also invalid ones.

use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, SanType, SigningKey, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use x509_parser::prelude::{FromDer, X509Certificate};

/// A CA with a name.
pub(crate) struct Authority {
    certificate: rcgen::Certificate,
    issuer: Issuer<'static, KeyPair>,
}

/// The contents of a certificate. The default is valid for both loopback addresses.
#[derive(Clone)]
pub(crate) struct Wanted {
    /// The subject in DER.
    pub(crate) subject: Vec<u8>,
    pub(crate) names: Vec<&'static str>,
    pub(crate) from: (i32, u8, u8),
    pub(crate) until: (i32, u8, u8),
    pub(crate) for_clients_only: bool,
}

impl Wanted {
    pub(crate) fn new(subject: Vec<u8>) -> Self {
        let names = vec!["127.0.0.1", "::1", "localhost"];
        Self { subject, names, from: (2020, 1, 1), until: (2120, 1, 1), for_clients_only: false }
    }

    /// As kubelets have it: the name of a node, and the organization of nodes.
    pub(crate) fn node(name: &str) -> Self {
        let organization = tlv(0x31, &attribute(O, 0x0c, b"system:nodes"));
        let cn = format!("system:node:{name}");
        let cn = tlv(0x31, &attribute(CN, 0x0c, cn.as_bytes()));
        Self::new(tlv(0x30, &[organization, cn].concat()))
    }

    /// With this single common name.
    pub(crate) fn cn(name: &str) -> Self {
        Self::new(subject(&[&[attribute(CN, 0x0c, name.as_bytes())]]))
    }

    pub(crate) fn names(mut self, names: &[&'static str]) -> Self {
        self.names = names.to_vec();
        self
    }
}

/// A certificate with its chain and key.
#[derive(Clone)]
pub(crate) struct Leaf {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    key: Vec<u8>,
    pub(crate) pem: String,
    pub(crate) key_pem: String,
}

impl Leaf {
    pub(crate) fn certified(&self) -> Arc<CertifiedKey> {
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        let key = PrivateKeyDer::try_from(self.key.clone()).unwrap();
        let key = provider.key_provider.load_private_key(key).unwrap();
        Arc::new(CertifiedKey::new(self.chain.clone(), key))
    }
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        Self::with_validity(name, (2020, 1, 1), (2120, 1, 1))
    }

    pub(crate) fn with_validity(name: &str, from: (i32, u8, u8), until: (i32, u8, u8)) -> Self {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.not_before = date_time_ymd(from.0, from.1, from.2);
        params.not_after = date_time_ymd(until.0, until.1, until.2);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    pub(crate) fn pem(&self) -> String {
        self.certificate.pem()
    }

    pub(crate) fn sign(&self, wanted: &Wanted) -> Leaf {
        let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, PLACEHOLDER);
        params.subject_alt_names = wanted.names.iter().map(|name| alternative(name)).collect();
        let usage = if wanted.for_clients_only {
            ExtendedKeyUsagePurpose::ClientAuth
        } else {
            ExtendedKeyUsagePurpose::ServerAuth
        };
        params.extended_key_usages = vec![usage];
        params.not_before = date_time_ymd(wanted.from.0, wanted.from.1, wanted.from.2);
        params.not_after = date_time_ymd(wanted.until.0, wanted.until.1, wanted.until.2);
        let key = KeyPair::generate().unwrap();
        let plain = params.signed_by(&key, &self.issuer).unwrap();
        let der = with_subject(plain.der(), &wanted.subject, self.issuer.key());
        leaf(vec![der.into(), self.certificate.der().clone()], &key)
    }
}

/// A self-signed server certificate that is also a CA certificate.
pub(crate) fn self_signed(cn: &str, names: &[&'static str]) -> Leaf {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, cn);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.subject_alt_names = names.iter().map(|name| alternative(name)).collect();
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    leaf(vec![certificate.der().clone()], &key)
}

fn leaf(chain: Vec<CertificateDer<'static>>, key: &KeyPair) -> Leaf {
    let pem = chain.iter().map(|der| pem("CERTIFICATE", der)).collect();
    Leaf { chain, pem, key: key.serialize_der(), key_pem: key.serialize_pem() }
}

fn pem(label: &str, der: &[u8]) -> String {
    use base64::Engine;
    let text = base64::prelude::BASE64_STANDARD.encode(der);
    let lines: Vec<&str> = text.as_bytes().chunks(64).map(|c| str::from_utf8(c).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

fn alternative(name: &str) -> SanType {
    match name.parse::<IpAddr>() {
        Ok(address) => SanType::IpAddress(address),
        Err(_) => SanType::DnsName(name.try_into().unwrap()),
    }
}

const PLACEHOLDER: &str = "a subject that is replaced";

/// The certificate with another subject, signed again.
fn with_subject(certificate: &[u8], subject: &[u8], key: &KeyPair) -> Vec<u8> {
    let (_, parsed) = X509Certificate::from_der(certificate).unwrap();
    let (tbs, old) = (parsed.tbs_certificate.as_ref(), parsed.subject().as_raw());
    let at = tbs.windows(old.len()).rposition(|window| window == old).unwrap();
    let header = |der: &[u8]| if der[1] == 0x82 { 4 } else { 3 };
    let algorithm = &certificate[header(certificate) + tbs.len()..];
    let algorithm = &algorithm[..2 + usize::from(algorithm[1])];
    let tbs = tlv(0x30, &[&tbs[header(tbs)..at], subject, &tbs[at + old.len()..]].concat());
    let signature = [vec![0], key.sign(&tbs).unwrap()].concat();
    tlv(0x30, &[tbs, algorithm.to_vec(), tlv(0x03, &signature)].concat())
}

pub(crate) const CN: &[u8] = &[0x55, 4, 3];
pub(crate) const O: &[u8] = &[0x55, 4, 10];

/// A subject of these sets of attributes.
pub(crate) fn subject(sets: &[&[Vec<u8>]]) -> Vec<u8> {
    let sets: Vec<u8> = sets.iter().flat_map(|set| tlv(0x31, &set.concat())).collect();
    tlv(0x30, &sets)
}

/// One attribute: identifier, and a value of this type.
pub(crate) fn attribute(oid: &[u8], tag: u8, value: &[u8]) -> Vec<u8> {
    tlv(0x30, &[tlv(6, oid), tlv(tag, value)].concat())
}

pub(crate) fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap();
    let [high, low] = length.to_be_bytes();
    let length = match length {
        0..=0x7f => vec![low],
        0x80..=0xff => vec![0x81, low],
        _ => vec![0x82, high, low],
    };
    [&[tag], &length[..], content].concat()
}
