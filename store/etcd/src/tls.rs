//! TLS to etcd: the certificates that members are verified by, and our own, read again when their files change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::config::{ConnectError, EtcdConfig};

/// The TLS configuration of all members, which speak HTTP/2 only.
pub(crate) struct ReloadingTls {
    paths: Paths,
    loaded: Mutex<Loaded>,
}

/// The files that a configuration is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Paths {
    authorities: Option<PathBuf>,
    /// Our certificate and its key.
    client: Option<(PathBuf, PathBuf)>,
}

/// The contents of the files.
#[derive(Debug, PartialEq, Eq)]
struct Contents {
    authorities: Option<Vec<u8>>,
    client: Option<(Vec<u8>, Vec<u8>)>,
}

/// The configuration in use, and what it was made of.
struct Loaded {
    contents: Contents,
    tls: Arc<ClientConfig>,
    /// Why the files cannot be used as they are now: each reason is logged once.
    failure: Option<String>,
}

impl ReloadingTls {
    /// Reads the files.
    pub(crate) fn open(config: &EtcdConfig) -> Result<Self, ConnectError> {
        let paths =
            Paths { authorities: config.ca_file.clone(), client: config.client_files.clone() };
        let contents = paths.read()?;
        let tls = paths.client_config(&contents)?;
        Ok(Self { paths, loaded: Mutex::new(Loaded { contents, tls, failure: None }) })
    }

    /// The configuration for the next connection.
    pub(crate) fn get(&self) -> Arc<ClientConfig> {
        self.loaded().tls.clone()
    }

    /// Reads the files again; returns whether they have changed and can be used. Otherwise all stays as it was: a
    /// certificate and its key cannot be replaced at once.
    pub(crate) fn reload(&self) -> bool {
        let result = match self.paths.read() {
            Ok(contents) if contents == self.loaded().contents => {
                self.loaded().failure = None;
                return false;
            }
            Ok(contents) => self.paths.client_config(&contents).map(|tls| (contents, tls)),
            Err(error) => Err(error),
        };
        match result {
            Ok((contents, tls)) => {
                *self.loaded() = Loaded { contents, tls, failure: None };
                tracing::info!("the certificates for etcd have changed");
                true
            }
            Err(error) => {
                let failure = Some(error.to_string());
                let mut loaded = self.loaded();
                if loaded.failure != failure {
                    tracing::warn!(%error, "the certificates for etcd stay as they were");
                    loaded.failure = failure;
                }
                false
            }
        }
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Paths {
    fn read(&self) -> Result<Contents, ConnectError> {
        let client = match &self.client {
            Some((certificate, key)) => Some((read(certificate)?, read(key)?)),
            None => None,
        };
        Ok(Contents { authorities: self.authorities.as_deref().map(read).transpose()?, client })
    }

    fn client_config(&self, contents: &Contents) -> Result<Arc<ClientConfig>, ConnectError> {
        let mut roots = RootCertStore::empty();
        match self.authorities.as_deref().zip(contents.authorities.as_deref()) {
            Some((path, pem)) => {
                for certificate in certificates(path, pem)? {
                    roots.add(certificate).map_err(|error| unusable(path, &error))?;
                }
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots);
        let mut tls = match self.client.as_ref().zip(contents.client.as_ref()) {
            Some(((path, key_path), (pem, key))) => {
                let key = PrivateKeyDer::from_pem_slice(key)
                    .map_err(|error| unusable(key_path, &error))?;
                builder.with_client_auth_cert(certificates(path, pem)?, key)?
            }
            None => builder.with_no_client_auth(),
        };
        tls.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Arc::new(tls))
    }
}

fn certificates(path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ConnectError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.map_err(|error| unusable(path, &error))?;
    match found.is_empty() {
        true => Err(unusable(path, &"it has no certificate in PEM")),
        false => Ok(found),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ConnectError> {
    std::fs::read(path).map_err(|why| ConnectError::File { path: path.to_owned(), why })
}

fn unusable(path: &Path, why: &dyn std::fmt::Display) -> ConnectError {
    ConnectError::Certificate { path: path.to_owned(), why: why.to_string() }
}
