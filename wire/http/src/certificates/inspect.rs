//! Properties of a stored certificate: its names, its expiry, and its issuer.

use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use rcgen::{KeyPair, PublicKeyData};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::prelude::{FromDer, X509Certificate};

/// The properties that decide about renewal.
pub(super) struct Certificate {
    /// DNS names and addresses, sorted.
    pub(super) names: Vec<String>,
    /// The expiry.
    pub(super) not_after: SystemTime,
}

/// Parses the first certificate of a PEM text.
pub(super) fn parse(pem: &str) -> Result<Certificate, String> {
    with_parsed(pem, |certificate| {
        let seconds = u64::try_from(certificate.validity().not_after.timestamp()).unwrap_or(0);
        let not_after = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        Certificate { names: names(certificate), not_after }
    })
}

/// Whether a certificate belongs to this key.
pub(super) fn belongs(pem: &str, key: &KeyPair) -> Result<(), String> {
    let same = with_parsed(pem, |certificate| {
        certificate.public_key().raw == key.subject_public_key_info().as_slice()
    })?;
    if same { Ok(()) } else { Err("certificate and key are of two different pairs".to_owned()) }
}

/// Whether a certificate names this authority as its issuer, by name and by key.
pub(super) fn signed_by(pem: &str, authority: &str) -> bool {
    let issuer = with_parsed(pem, |leaf| (leaf.issuer().as_raw().to_vec(), issuer_key(leaf)));
    let subject = with_parsed(authority, |root| (root.subject().as_raw().to_vec(), own_key(root)));
    matches!((issuer, subject), (Ok(issuer), Ok(subject)) if issuer == subject && issuer.1.is_some())
}

fn issuer_key(certificate: &X509Certificate<'_>) -> Option<Vec<u8>> {
    certificate.extensions().iter().find_map(|extension| match extension.parsed_extension() {
        ParsedExtension::AuthorityKeyIdentifier(key) => {
            key.key_identifier.as_ref().map(|id| id.0.to_vec())
        }
        _ => None,
    })
}

fn own_key(certificate: &X509Certificate<'_>) -> Option<Vec<u8>> {
    certificate.extensions().iter().find_map(|extension| match extension.parsed_extension() {
        ParsedExtension::SubjectKeyIdentifier(id) => Some(id.0.to_vec()),
        _ => None,
    })
}

fn names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let Ok(Some(extension)) = certificate.subject_alternative_name() else { return Vec::new() };
    let text = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some(name.to_ascii_lowercase()),
        GeneralName::IPAddress(bytes) => address(bytes).map(|address| address.to_string()),
        _ => None,
    };
    let mut names: Vec<String> = extension.value.general_names.iter().filter_map(text).collect();
    names.sort_unstable();
    names
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from).ok();
    four.or_else(|| <[u8; 16]>::try_from(bytes).map(IpAddr::from).ok())
}

fn with_parsed<T>(pem: &str, inspect: impl Fn(&X509Certificate<'_>) -> T) -> Result<T, String> {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).map_err(|error| error.to_string())?;
    let (_, certificate) = X509Certificate::from_der(&der).map_err(|error| error.to_string())?;
    Ok(inspect(&certificate))
}
