//! Files that connections depend on: the CA certificates, and our client certificate with its key.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

use crate::verifier::Authorities;
use crate::{ClientKeyFiles, Settings, Trust};

/// Why these files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A file could not be read.
    #[error("open {}: {}", .0.display(), system_message(.1))]
    Read(PathBuf, #[source] io::Error),
    /// The CA file contains no CA certificate.
    #[error("unable to load root certificates: {} holds no certificate of an authority", .0.display())]
    NoAuthority(PathBuf),
    /// The certificate file contains no certificate.
    #[error("tls: failed to find any PEM data in certificate input: {}: {}", .0.display(), .1)]
    NoCertificate(PathBuf, String),
    /// The key file contains no usable key.
    #[error("tls: failed to find any PEM data in key input: {}: {}", .0.display(), .1)]
    NoKey(PathBuf, String),
    /// Certificate and key do not belong together.
    #[error("tls: private key does not match public key: {} and {}: {error}", .certificate.display(), .key.display())]
    Apart {
        /// The certificate file.
        certificate: PathBuf,
        /// The key file.
        key: PathBuf,
        /// The error of rustls.
        error: rustls::Error,
    },
    /// rustls rejects the settings.
    #[error("tls: {0}")]
    Settings(#[from] rustls::Error),
}

/// The system's message as Go writes it.
fn system_message(error: &io::Error) -> String {
    error.to_string().split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// The contents of the files.
#[derive(Hash, PartialEq, Eq)]
pub(crate) struct Contents {
    authorities: Option<Vec<u8>>,
    pair: Option<(Vec<u8>, Vec<u8>)>,
}

impl Contents {
    pub(crate) fn read(settings: &Settings) -> Result<Self, OpenError> {
        let authorities = match &settings.trust {
            Trust::Anyone => None,
            Trust::Authority { file, .. } => Some(read_file(file)?),
        };
        let pair = match &settings.client {
            None => None,
            Some(files) => Some((read_file(&files.certificate)?, read_file(&files.key)?)),
        };
        Ok(Self { authorities, pair })
    }

    /// The trusted authorities, if the settings name any.
    pub(crate) fn authorities(
        &self,
        settings: &Settings,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Option<Authorities>, OpenError> {
        let (Some(pem), Trust::Authority { file, .. }) = (&self.authorities, &settings.trust)
        else {
            return Ok(None);
        };
        // As in Go, a PEM block that is no certificate is skipped as long as one remains.
        let certificates = CertificateDer::pem_slice_iter(pem).filter_map(Result::ok).collect();
        let no_authority = || OpenError::NoAuthority(file.clone());
        Authorities::new(certificates, provider).map(Some).ok_or_else(no_authority)
    }

    /// Our certificate with its key, if the settings name one.
    pub(crate) fn client(
        &self,
        settings: &Settings,
        provider: &CryptoProvider,
    ) -> Result<Option<Arc<SingleCertAndKey>>, OpenError> {
        let (Some(pair), Some(files)) = (&self.pair, &settings.client) else { return Ok(None) };
        let key = client_key(pair, files, provider)?;
        Ok(Some(Arc::new(SingleCertAndKey::from(key))))
    }
}

/// A certificate with its key; errors name these files.
pub(crate) fn client_key(
    (certificate, key): &(Vec<u8>, Vec<u8>),
    files: &ClientKeyFiles,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, OpenError> {
    let no_certificate = |why: String| OpenError::NoCertificate(files.certificate.clone(), why);
    let chain = CertificateDer::pem_slice_iter(certificate)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| no_certificate(error.to_string()))?;
    if chain.is_empty() {
        return Err(no_certificate("no PEM section".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|error| OpenError::NoKey(files.key.clone(), error.to_string()))?;
    CertifiedKey::from_der(chain, key, provider).map_err(|error| {
        let ClientKeyFiles { certificate, key } = files.clone();
        OpenError::Apart { certificate, key, error }
    })
}

fn read_file(path: &Path) -> Result<Vec<u8>, OpenError> {
    std::fs::read(path).map_err(|error| OpenError::Read(path.to_owned(), error))
}
