//! Server certificate verifiers: trusted authorities for this host and time, or anyone.

use std::fmt;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::x509_messages;

/// Why a certificate is refused, as a message for clients.
#[derive(Debug)]
pub(crate) struct CertificateRefusal(String);

impl fmt::Display for CertificateRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CertificateRefusal {}

impl From<CertificateRefusal> for Error {
    fn from(refusal: CertificateRefusal) -> Self {
        CertificateError::Other(OtherError(Arc::new(refusal))).into()
    }
}

/// Verifies chain, time and host. Node names are checked after the handshake, by the caller, which
/// knows the node.
#[derive(Debug)]
pub(crate) struct Authorities {
    certificates: Vec<AuthorityCertificate>,
    /// None if no certificate can be a trust anchor.
    all: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

/// One certificate of the CA file.
#[derive(Debug)]
struct AuthorityCertificate {
    der: CertificateDer<'static>,
    not_before: i64,
    not_after: i64,
}

impl AuthorityCertificate {
    fn is_valid(&self, now: UnixTime) -> bool {
        let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        (self.not_before..=self.not_after).contains(&now)
    }
}

impl Authorities {
    /// `None` if no certificate can be a trust anchor.
    pub(crate) fn new(
        ders: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
    ) -> Option<Self> {
        let authorities = Self::any_number(ders, provider);
        authorities.all.is_some().then_some(authorities)
    }

    /// Any number of certificates: if none can be a trust anchor, nobody is trusted.
    pub(crate) fn any_number(
        ders: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
    ) -> Self {
        let certificates: Vec<AuthorityCertificate> =
            ders.into_iter().filter_map(parse_certificate).collect();
        let all = verifier(certificates.iter(), provider);
        Self { certificates, all, provider: Arc::clone(provider) }
    }

    /// The verifier of the authorities that are valid now: webpki trusts an anchor for ever, Go
    /// does not.
    fn now(&self, now: UnixTime) -> Option<Arc<WebPkiServerVerifier>> {
        if self.certificates.iter().all(|certificate| certificate.is_valid(now)) {
            return self.all.clone();
        }
        verifier(
            self.certificates.iter().filter(|certificate| certificate.is_valid(now)),
            &self.provider,
        )
    }

    fn verify(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.certificates.iter().any(|certificate| certificate.der == *leaf) {
            return verify_pinned(leaf, host, now);
        }
        let unknown = || Error::from(CertificateError::UnknownIssuer);
        self.now(now).ok_or_else(unknown)?.verify_server_cert(leaf, intermediates, host, ocsp, now)
    }
}

fn parse_certificate(certificate: CertificateDer<'static>) -> Option<AuthorityCertificate> {
    let (_, parsed) = X509Certificate::from_der(&certificate).ok()?;
    let validity = parsed.validity();
    let (not_before, not_after) = (validity.not_before.timestamp(), validity.not_after.timestamp());
    Some(AuthorityCertificate { not_before, not_after, der: certificate })
}

fn verifier<'a>(
    certificates: impl Iterator<Item = &'a AuthorityCertificate>,
    provider: &Arc<CryptoProvider>,
) -> Option<Arc<WebPkiServerVerifier>> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates.map(|certificate| certificate.der.clone()));
    if roots.is_empty() {
        return None;
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build().ok()
}

/// A certificate that is in the CA file itself needs no signature of another, but must pass all
/// other checks. webpki would refuse it if it is a CA certificate, as self-signed server
/// certificates often are.
fn verify_pinned(
    leaf: &CertificateDer<'_>,
    host: &ServerName<'_>,
    now: UnixTime,
) -> Result<ServerCertVerified, Error> {
    let (_, parsed) =
        X509Certificate::from_der(leaf).map_err(|_| Error::from(CertificateError::BadEncoding))?;
    if x509_messages::validity_error(&parsed, now).is_some() {
        return Err(CertificateError::Expired.into());
    }
    rustls::client::verify_server_name(&ParsedCertificate::try_from(leaf)?, host)?;
    let usage = parsed.extended_key_usage().map_err(|_| CertificateError::BadEncoding)?;
    if usage.is_some_and(|usage| !usage.value.server_auth && !usage.value.any) {
        return Err(CertificateError::InvalidPurpose.into());
    }
    Ok(ServerCertVerified::assertion())
}

impl ServerCertVerifier for Authorities {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.verify(leaf, intermediates, host, ocsp, now).map_err(|error| {
            let authorities = self.certificates.iter().map(|certificate| &certificate.der);
            CertificateRefusal(x509_messages::verification_error(
                &error,
                leaf,
                host,
                now,
                authorities,
            ))
            .into()
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
