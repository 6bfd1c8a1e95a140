//! TLS configuration of a kubelet: any certificate, replaceable at any time, and optional client certificates.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, aws_lc_rs, verify_tls12_signature,
    verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{
    ClientHello, NoServerSessionStorage, ResolvesServerCert, WebPkiClientVerifier,
};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{
    DigitallySignedStruct, DistinguishedName, Error, RootCertStore, ServerConfig, SignatureScheme,
};

use crate::{Identity, Options};

/// The certificate for new handshakes.
pub(crate) struct CertificateResolver(Mutex<Arc<CertifiedKey>>);

impl CertificateResolver {
    pub(crate) fn new(identity: &Identity) -> io::Result<Self> {
        Ok(Self(Mutex::new(certified_key(identity)?)))
    }

    pub(crate) fn set(&self, identity: &Identity) -> io::Result<()> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = certified_key(identity)?;
        Ok(())
    }
}

impl fmt::Debug for CertificateResolver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Shop")
    }
}

impl ResolvesServerCert for CertificateResolver {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// Not `CertifiedKey::from_der`, which validates the certificate: invalid ones must be presented too.
fn certified_key(identity: &Identity) -> io::Result<Arc<CertifiedKey>> {
    let key = aws_lc_rs::sign::any_supported_type(&identity.key).map_err(io::Error::other)?;
    Ok(Arc::new(CertifiedKey::new(identity.chain.clone(), key)))
}

/// The server configuration of a kubelet.
pub(crate) fn config(
    options: &Options,
    resolver: Arc<CertificateResolver>,
) -> io::Result<Arc<ServerConfig>> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let any = Arc::new(AnyCertificate::new(&provider));
    let versions = if options.tls13 { &[&TLS13, &TLS12][..] } else { &[&TLS12] };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .map_err(io::Error::other)?
        .with_client_cert_verifier(any)
        .with_cert_resolver(resolver);
    if options.session_tickets {
        config.ticketer = aws_lc_rs::Ticketer::new().map_err(io::Error::other)?;
    } else {
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
    }
    let offered = [(options.http2, "h2"), (true, "http/1.1")];
    config.alpn_protocols = offered
        .into_iter()
        .filter(|(offered, _)| *offered)
        .map(|(_, name)| name.as_bytes().to_vec())
        .collect();
    Ok(Arc::new(config))
}

/// A verifier of client certificates by their authority.
pub(crate) fn clients(authority: &str) -> io::Result<Arc<dyn ClientCertVerifier>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority.as_bytes()) {
        roots.add(certificate.map_err(io::Error::other)?).map_err(io::Error::other)?;
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    verifier.build().map_err(io::Error::other)
}

/// A verifier that checks only the client's signature: kubelets verify certificates later, and answer 401.
#[derive(Debug)]
struct AnyCertificate(WebPkiSupportedAlgorithms);

impl AnyCertificate {
    fn new(provider: &CryptoProvider) -> Self {
        Self(provider.signature_verification_algorithms)
    }
}

impl ClientCertVerifier for AnyCertificate {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
