//! TLS to etcd: the certificates that members are verified by, and our own.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::config::{ConnectError, EtcdConfig};

/// The TLS configuration of all members, which speak HTTP/2 only.
pub(crate) fn client_config(config: &EtcdConfig) -> Result<Arc<ClientConfig>, ConnectError> {
    let mut roots = RootCertStore::empty();
    match &config.ca_file {
        Some(path) => {
            for certificate in certificates(path)? {
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
    let mut tls = match &config.client_files {
        Some((certificate, key_path)) => {
            let key = PrivateKeyDer::from_pem_slice(&read(key_path)?)
                .map_err(|error| unusable(key_path, &error))?;
            builder.with_client_auth_cert(certificates(certificate)?, key)?
        }
        None => builder.with_no_client_auth(),
    };
    tls.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Arc::new(tls))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ConnectError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(path)?).collect();
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
