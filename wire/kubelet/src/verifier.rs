//! Who is believed: those whom the authorities signed for this host and this hour, or anyone.

use std::fmt;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};
use x509_parser::prelude::{FromDer, X509Certificate};

use crate::words;

/// Why a certificate is refused, in words for clients.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        CertificateError::Other(OtherError(Arc::new(refusal))).into()
    }
}

/// Verifies chain, time and host. Names of nodes are not its business: they are looked at when the handshake is over,
/// by whoever knows which node was meant.
#[derive(Debug)]
pub(crate) struct Authorities {
    members: Vec<Member>,
    all: Arc<WebPkiServerVerifier>,
    provider: Arc<CryptoProvider>,
}

/// One certificate of the file.
#[derive(Debug)]
struct Member {
    certificate: CertificateDer<'static>,
    not_before: i64,
    not_after: i64,
}

impl Member {
    fn is_valid(&self, now: UnixTime) -> bool {
        let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        (self.not_before..=self.not_after).contains(&now)
    }
}

impl Authorities {
    /// None if there is no certificate among these that can vouch for others.
    pub(crate) fn new(
        certificates: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
    ) -> Option<Self> {
        let members: Vec<Member> = certificates.into_iter().filter_map(member).collect();
        let all = verifier(members.iter(), provider)?;
        Some(Self { members, all, provider: Arc::clone(provider) })
    }

    /// The verifier of those authorities that are valid now: webpki believes an anchor for ever, the reference does not.
    fn now(&self, now: UnixTime) -> Option<Arc<WebPkiServerVerifier>> {
        if self.members.iter().all(|member| member.is_valid(now)) {
            return Some(Arc::clone(&self.all));
        }
        verifier(self.members.iter().filter(|member| member.is_valid(now)), &self.provider)
    }

    fn verify(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.members.iter().any(|member| member.certificate == *leaf) {
            return verify_pinned(leaf, host, now);
        }
        let unknown = || Error::from(CertificateError::UnknownIssuer);
        self.now(now).ok_or_else(unknown)?.verify_server_cert(leaf, intermediates, host, ocsp, now)
    }
}

fn member(certificate: CertificateDer<'static>) -> Option<Member> {
    let (_, read) = X509Certificate::from_der(&certificate).ok()?;
    let validity = read.validity();
    let (not_before, not_after) = (validity.not_before.timestamp(), validity.not_after.timestamp());
    Some(Member { not_before, not_after, certificate })
}

fn verifier<'a>(
    members: impl Iterator<Item = &'a Member>,
    provider: &Arc<CryptoProvider>,
) -> Option<Arc<WebPkiServerVerifier>> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(members.map(|member| member.certificate.clone()));
    if roots.is_empty() {
        return None;
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build().ok()
}

/// A certificate that stands in the file itself needs no signature of another, but is held to all else. webpki would
/// refuse it if it calls itself an authority, as those do that servers sign for themselves.
fn verify_pinned(
    leaf: &CertificateDer<'_>,
    host: &ServerName<'_>,
    now: UnixTime,
) -> Result<ServerCertVerified, Error> {
    let (_, read) =
        X509Certificate::from_der(leaf).map_err(|_| Error::from(CertificateError::BadEncoding))?;
    if words::out_of_time(&read, now).is_some() {
        return Err(CertificateError::Expired.into());
    }
    rustls::client::verify_server_name(&ParsedCertificate::try_from(leaf)?, host)?;
    let usage = read.extended_key_usage().map_err(|_| CertificateError::BadEncoding)?;
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
            let authorities = self.members.iter().map(|member| &member.certificate);
            Refusal(words::refusal(&error, leaf, host, now, authorities)).into()
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.all.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.all.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.all.supported_verify_schemes()
    }
}

/// Believes anyone. Not even the signature is looked at: where every key will do, knowing that the other side holds the
/// one that it shows says nothing, and odd old certificates would fail.
#[derive(Debug)]
pub(crate) struct Anyone(WebPkiSupportedAlgorithms);

impl Anyone {
    pub(crate) fn new(provider: &CryptoProvider) -> Self {
        Self(provider.signature_verification_algorithms)
    }
}

impl ServerCertVerifier for Anyone {
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
