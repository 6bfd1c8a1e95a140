//! A certificate chain with its key, from two PEM files.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::{Contents, KeyFiles};

/// Why a pair cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file could not be read.
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, #[source] io::Error),
    /// The file is not PEM, or contains no certificate.
    #[error("{0} holds no certificate: {1}")]
    Certificate(PathBuf, String),
    /// The file contains no usable private key.
    #[error("{0} holds no private key: {1}")]
    Key(PathBuf, String),
    /// Certificate and key do not belong together.
    #[error("the key in {key} does not belong to the certificate in {certificate}: {error}")]
    Apart {
        /// The certificate file.
        certificate: PathBuf,
        /// The key file.
        key: PathBuf,
        /// The error of rustls.
        error: rustls::Error,
    },
    /// rustls rejects the settings.
    #[error("TLS settings: {0}")]
    Settings(#[source] rustls::Error),
}

/// A usable pair, with its server names.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) key: Arc<CertifiedKey>,
    pub(super) names: Vec<String>,
    /// When its certificate expires.
    pub(super) not_after: SystemTime,
}

impl Pair {
    pub(super) fn parse(
        files: &KeyFiles,
        contents: &Contents,
        provider: &CryptoProvider,
    ) -> Result<Self, TlsError> {
        let invalid_certificate =
            |why: String| TlsError::Certificate(files.certificate.clone(), why);
        let chain = CertificateDer::pem_slice_iter(&contents.certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| invalid_certificate(error.to_string()))?;
        let leaf = chain.first().ok_or_else(|| invalid_certificate("no PEM section".to_owned()))?;
        let (names, not_after) = names(leaf).map_err(invalid_certificate)?;
        let key = PrivateKeyDer::from_pem_slice(&contents.key)
            .map_err(|error| TlsError::Key(files.key.clone(), error.to_string()))?;
        let key = CertifiedKey::from_der(chain, key, provider).map_err(|error| {
            let KeyFiles { certificate, key } = files.clone();
            TlsError::Apart { certificate, key, error }
        })?;
        Ok(Self { key: Arc::new(key), names, not_after })
    }
}

/// The DNS names of a certificate, in lower case, and its expiry.
fn names(leaf: &CertificateDer<'_>) -> Result<(Vec<String>, SystemTime), String> {
    let (_, certificate) = X509Certificate::from_der(leaf).map_err(|error| error.to_string())?;
    if !certificate.validity().is_valid() {
        tracing::warn!(validity = ?certificate.validity(), "the serving certificate is not valid now");
    }
    let seconds = u64::try_from(certificate.validity().not_after.timestamp()).unwrap_or(0);
    let not_after = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let Ok(Some(extension)) = certificate.subject_alternative_name() else {
        return Ok((Vec::new(), not_after));
    };
    let dns = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some(name.to_ascii_lowercase()),
        _ => None,
    };
    Ok((extension.value.general_names.iter().filter_map(dns).collect(), not_after))
}
