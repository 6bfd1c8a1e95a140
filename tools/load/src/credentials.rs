//! Credentials of a client, and the TLS configuration made from them.

use anyhow::{Context, Result};
use ratchet_tls::AcceptAnyServer;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;

/// A certificate and its key, in PEM.
#[derive(Clone, Debug)]
pub(crate) struct ClientIdentity {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

/// How a client proves who it is, and whom it believes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials {
    pub(crate) identity: Option<ClientIdentity>,
    pub(crate) token: Option<String>,
    /// Authorities in PEM; without them, those of the system.
    pub(crate) authority: Option<Vec<u8>>,
    /// Whether every server certificate is accepted.
    pub(crate) is_insecure: bool,
}

impl Credentials {
    /// These, with who asks and whom to believe from others, each where nothing is said of it here.
    pub(crate) fn or(self, others: Self) -> Self {
        let (identity, token) = match (self.identity, self.token) {
            (None, None) => (others.identity, others.token),
            own => own,
        };
        let (authority, is_insecure) = match (self.authority, self.is_insecure) {
            (None, false) => (others.authority, others.is_insecure),
            own => own,
        };
        Self { identity, token, authority, is_insecure }
    }

    /// The TLS configuration of connections with these credentials.
    pub(crate) fn tls(&self) -> Result<ClientConfig> {
        let builder = if self.is_insecure {
            AcceptAnyServer::client_config().context("no version of TLS")?
        } else {
            ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
                .with_safe_default_protocol_versions()
                .context("no version of TLS")?
                .with_root_certificates(self.roots()?)
        };
        let Some(identity) = &self.identity else { return Ok(builder.with_no_client_auth()) };
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&identity.certificate)
            .collect::<Result<_, _>>()
            .context("the client certificate is no PEM")?;
        let key =
            PrivateKeyDer::from_pem_slice(&identity.key).context("the client key is no PEM")?;
        builder.with_client_auth_cert(chain, key).context("certificate and key do not fit")
    }

    fn roots(&self) -> Result<RootCertStore> {
        let mut roots = RootCertStore::empty();
        match &self.authority {
            Some(pem) => {
                for certificate in CertificateDer::pem_slice_iter(pem) {
                    let certificate = certificate.context("the certificate authority is no PEM")?;
                    roots.add(certificate).context("the certificate authority is unusable")?;
                }
                anyhow::ensure!(!roots.is_empty(), "the certificate authority has no certificate");
            }
            None => {
                let native = rustls_native_certs::load_native_certs();
                roots.add_parsable_certificates(native.certs);
            }
        }
        Ok(roots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(credentials: &Credentials) -> String {
        credentials.tls().err().unwrap().to_string()
    }

    #[test]
    fn a_client_needs_no_identity() {
        let insecure = Credentials { is_insecure: true, ..Credentials::default() };
        assert!(!insecure.tls().unwrap().client_auth_cert_resolver.has_certs());
    }

    #[test]
    fn what_is_no_pem_is_refused() {
        let identity = ClientIdentity { certificate: b"x".to_vec(), key: b"y".to_vec() };
        let insecure =
            Credentials { identity: Some(identity), is_insecure: true, ..Credentials::default() };
        assert_eq!(error(&insecure), "the client key is no PEM");
        let authority = Credentials { authority: Some(b"x".to_vec()), ..Credentials::default() };
        assert_eq!(error(&authority), "the certificate authority has no certificate");
    }
}
