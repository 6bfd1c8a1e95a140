//! Trusted root certificates: a bundle that somebody configured, or those of the system.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustls::ClientConfig;
use rustls::client::ResolvesClientCert;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::OpenError;
use crate::generation::{Offer, config};
use crate::verifier::Authorities;

/// Our certificate, if there is one.
pub(crate) type ClientCertificate = Option<Arc<dyn ResolvesClientCert>>;

/// The number of the next roots.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Root certificates that peers are verified by. Clones are the same roots, and share connections.
#[derive(Clone, Debug)]
pub struct TrustedRoots(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Distinguishes the connections that were verified by these roots from others.
    number: u64,
    any: Arc<ClientConfig>,
    only_http1: Arc<ClientConfig>,
}

/// Why a bundle cannot be used, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unable to load root certificates: {0}")]
pub struct BundleError(String);

impl TrustedRoots {
    /// The certificates of a bundle in PEM. As in Go, a block that is no certificate is skipped as long as one remains.
    pub fn from_pem(pem: &[u8]) -> Result<Self, BundleError> {
        Self::with_client(pem, None)
    }

    /// The same for connections with a client certificate; an empty bundle stands for the certificates of the system.
    pub(crate) fn with_client(pem: &[u8], client: ClientCertificate) -> Result<Self, BundleError> {
        if pem.is_empty() && client.is_some() {
            let roots = Self::new(rustls_native_certs::load_native_certs().certs, client);
            return roots.map_err(|error| BundleError(error.to_string()));
        }
        let blocks = CertificateDer::pem_slice_iter(pem).filter_map(Result::ok);
        let (certificates, others): (Vec<_>, Vec<_>) =
            blocks.partition(|der| X509Certificate::from_der(der).is_ok());
        if certificates.is_empty() {
            let has_block = pem.windows(BEGIN.len()).any(|window| window == BEGIN);
            let why = match (has_block, others.is_empty()) {
                (false, _) => "unable to parse bytes as PEM block",
                (true, false) => "failed to parse certificate: x509: malformed certificate",
                (true, true) => "no valid certificate authority data seen",
            };
            return Err(BundleError(why.to_owned()));
        }
        Self::new(certificates, client).map_err(|error| BundleError(error.to_string()))
    }

    /// The certificates of the system; where it has none, nobody is trusted.
    pub fn of_system() -> Result<Self, OpenError> {
        Self::new(rustls_native_certs::load_native_certs().certs, None)
    }

    fn new(
        certificates: Vec<CertificateDer<'static>>,
        client: ClientCertificate,
    ) -> Result<Self, OpenError> {
        let provider: Arc<CryptoProvider> = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier = Arc::new(Authorities::any_number(certificates, &provider));
        let build = |offer| config(&provider, verifier.clone(), client.clone(), offer);
        let (any, only_http1) = (build(Offer::Any)?, build(Offer::Upgradeable)?);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Self(Arc::new(Inner { number, any, only_http1 })))
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.number
    }

    pub(crate) fn config(&self, only_http1: bool) -> Arc<ClientConfig> {
        Arc::clone(if only_http1 { &self.0.only_http1 } else { &self.0.any })
    }
}

const BEGIN: &[u8] = b"-----BEGIN ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_without_certificates_is_no_bundle() {
        let error = |pem: &str| TrustedRoots::from_pem(pem.as_bytes()).unwrap_err().to_string();
        const START: &str = "unable to load root certificates: ";
        for (pem, why) in [
            ("nonsense", "unable to parse bytes as PEM block"),
            (
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "failed to parse certificate: x509: malformed certificate",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n",
                "no valid certificate authority data seen",
            ),
        ] {
            assert_eq!(error(pem), format!("{START}{why}"));
        }
    }

    #[test]
    fn a_bundle_may_contain_other_things() {
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate =
            rcgen::CertificateParams::new(vec!["a".to_owned()]).unwrap().self_signed(&key).unwrap();
        let pem = format!("text\n{}{}", key.serialize_pem(), certificate.pem());
        let (one, other) = (TrustedRoots::from_pem(pem.as_bytes()), TrustedRoots::of_system());
        assert_ne!(one.unwrap().number(), other.unwrap().number());
    }
}
