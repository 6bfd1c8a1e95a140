//! `PemPair`: a certificate and its key as texts, for authorities and serving certificates that are not in files.

use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P256_SHA256,
};

use super::{CertificateError, canonical, inspect};

/// How far certificates begin in the past, for clients whose clock is slow.
const BACKDATED: Duration = Duration::from_secs(60 * 60);

/// A certificate with its private key, both in PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct PemPair {
    /// The certificate.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

impl std::fmt::Debug for PemPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PemPair").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

/// A new authority that is valid for this long from now on.
pub fn new_authority(common_name: &str, validity: Duration) -> Result<PemPair, CertificateError> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let mut params = valid_until(SystemTime::now() + validity);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyCertSign];
    params.distinguished_name.push(DnType::CommonName, common_name);
    let certificate = params.self_signed(&key)?.pem();
    Ok(PemPair { certificate, key: key.serialize_pem() })
}

impl PemPair {
    /// A serving certificate for these names, issued by this authority. It does not outlive the authority.
    pub fn issue_serving(
        &self,
        names: &[String],
        validity: Duration,
    ) -> Result<Self, CertificateError> {
        let authority = KeyPair::from_pem(&self.key)?;
        let issuer = Issuer::from_ca_cert_pem(&self.certificate, authority)?;
        let end = expiry(&self.certificate)?.min(SystemTime::now() + validity);
        let mut params = valid_until(end);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        params.subject_alt_names = CertificateParams::new(canonical(names))?.subject_alt_names;
        if let Some(name) = names.first() {
            params.distinguished_name.push(DnType::CommonName, name);
        }
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let certificate = params.signed_by(&key, &issuer)?.pem();
        Ok(Self { certificate, key: key.serialize_pem() })
    }

    /// Whether the certificate belongs to the key; the reason if it does not.
    pub fn check(&self) -> Result<(), String> {
        let key = KeyPair::from_pem(&self.key).map_err(|error| error.to_string())?;
        inspect::belongs(&self.certificate, &key)
    }

    /// Whether the certificate is for these names and no others.
    pub fn is_for(&self, names: &[String]) -> bool {
        inspect::parse(&self.certificate).is_ok_and(|own| own.names == canonical(names))
    }

    /// Whether this authority (in PEM) issued the certificate.
    pub fn is_issued_by(&self, authority: &str) -> bool {
        inspect::signed_by(&self.certificate, authority)
    }
}

/// When the first certificate of a text in PEM expires.
pub fn expiry(pem: &str) -> Result<SystemTime, CertificateError> {
    let parsed = inspect::parse(pem).map_err(CertificateError::Refused)?;
    Ok(parsed.not_after)
}

/// The single certificates of a bundle in PEM, in its order.
pub fn split_bundle(pem: &str) -> Vec<String> {
    const END: &str = "-----END CERTIFICATE-----";
    let parts = pem.split_inclusive(END).filter(|part| part.contains(END));
    parts.map(|part| format!("{}\n", part.trim())).collect()
}

fn valid_until(not_after: SystemTime) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.not_before = (SystemTime::now() - BACKDATED).into();
    params.not_after = not_after.into();
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serving_certificate_is_of_its_authority_and_for_its_names() {
        let hour = Duration::from_secs(3600);
        let authority = new_authority("one", hour).unwrap();
        let other = new_authority("two", hour).unwrap();
        let names = ["Web.shop.svc".to_owned(), "127.0.0.1".to_owned()];
        let pair = authority.issue_serving(&names, hour * 9).unwrap();
        assert!(pair.is_issued_by(&authority.certificate));
        assert!(!pair.is_issued_by(&other.certificate));
        assert!(pair.is_for(&names) && !pair.is_for(&names[..1]));
        assert_eq!(
            expiry(&pair.certificate).unwrap(),
            expiry(&authority.certificate).unwrap(),
            "it does not outlive its authority"
        );
        pair.check().unwrap();
        PemPair { key: other.key.clone(), ..pair.clone() }.check().unwrap_err();
        assert!(!format!("{pair:?}").contains("PRIVATE"), "keys are not printed");
        let bundle = format!("{}{}", authority.certificate, other.certificate.trim());
        let parts = split_bundle(&bundle);
        assert_eq!(parts.len(), 2);
        assert!(pair.is_issued_by(&parts[0]));
        assert!(split_bundle("nothing").is_empty() && expiry("nothing").is_err());
    }
}
