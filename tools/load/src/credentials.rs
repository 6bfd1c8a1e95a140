//! Credentials of a client, and the TLS configuration made from them.

use anyhow::{Context, Result};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
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
    /// The TLS configuration of connections with these credentials.
    pub(crate) fn tls(&self) -> Result<ClientConfig> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .context("no version of TLS")?;
        let builder = if self.is_insecure {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(NoVerifier(provider)))
        } else {
            builder.with_root_certificates(self.roots()?)
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

/// A verifier that accepts every server, for `--insecure-skip-tls-verify`.
#[derive(Debug)]
struct NoVerifier(Arc<CryptoProvider>);

impl ServerCertVerifier for NoVerifier {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
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
