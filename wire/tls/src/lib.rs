//! `AcceptAnyServer`: the verifier of `--insecure-skip-tls-verify`, and of clients whose server is not under test.
//!
//! ```
//! use ratchet_tls::AcceptAnyServer;
//!
//! let config = AcceptAnyServer::client_config().unwrap().with_no_client_auth();
//! assert!(!config.client_auth_cert_resolver.has_certs());
//! ```

use rustls::client::WantsClientCert;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, SignatureScheme};
use std::sync::Arc;

/// Accepts any certificate. Not even the signature is verified: where every key is accepted,
/// knowing that the peer holds its key proves nothing, and odd old certificates would fail.
#[derive(Debug)]
pub struct AcceptAnyServer(WebPkiSupportedAlgorithms);

impl AcceptAnyServer {
    /// A verifier that offers the signature schemes of the provider.
    #[must_use]
    pub fn new(provider: &CryptoProvider) -> Self {
        Self(provider.signature_verification_algorithms)
    }

    /// A client configuration with this verifier, to which the client's own certificate is still to be added.
    pub fn client_config() -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, Error> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = Arc::new(Self::new(&provider));
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions()?;
        Ok(builder.dangerous().with_custom_certificate_verifier(verifier))
    }
}

impl ServerCertVerifier for AcceptAnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
