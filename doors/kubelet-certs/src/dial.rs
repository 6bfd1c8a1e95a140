//! A TLS probe that trusts nothing, sends nothing, and records the certificates that a server presents.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The result of asking a kubelet for its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProbeResult {
    /// The certificates, the leaf first, and why the handshake failed nevertheless, if it did.
    Presented {
        /// DER, in the order sent.
        chain: Vec<Vec<u8>>,
        /// Whether the server proved possession of the leaf's key.
        proof: Result<(), String>,
    },
    /// The server does not speak TLS.
    NotTls(String),
    /// No certificate was received, and why.
    Failed(String),
}

/// Performs a handshake with an address and returns the presented certificates.
pub(crate) async fn dial(host: &str, port: u16, limit: Duration) -> ProbeResult {
    let seconds = limit.as_secs_f64();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let socket = match timeout(limit, TcpStream::connect((bare, port))).await {
        Ok(Ok(socket)) => socket,
        Ok(Err(error)) => return ProbeResult::Failed(error.to_string()),
        Err(_) => return ProbeResult::Failed(format!("no connection within {seconds} s")),
    };
    let recorder = Arc::new(Recorder::default());
    let config = match config(&recorder) {
        Ok(config) => config,
        Err(error) => return ProbeResult::Failed(error.to_string()),
    };
    let name = server_name(bare, socket.peer_addr().map(|peer| peer.ip()));
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let done = timeout(limit, connector.connect(name, socket)).await;
    let chain = recorder.take();
    match done {
        Ok(Ok(_)) => ProbeResult::Presented { chain, proof: Ok(()) },
        Ok(Err(error)) if !chain.is_empty() => {
            ProbeResult::Presented { chain, proof: proof(&error) }
        }
        Ok(Err(error)) => failed(&error),
        Err(_) => ProbeResult::Failed(format!("connected, but no certificate within {seconds} s")),
    }
}

/// A certificate is recorded in the step that proves its key; a later alert, such as a demand for a client
/// certificate, does not matter.
fn proof(error: &io::Error) -> Result<(), String> {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match tls {
        None | Some(Error::AlertReceived(_)) => Ok(()),
        Some(tls) => Err(tls.to_string()),
    }
}

fn failed(error: &io::Error) -> ProbeResult {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match tls {
        Some(Error::InvalidMessage(_)) => ProbeResult::NotTls("what it says is no TLS".to_owned()),
        Some(tls) => ProbeResult::Failed(format!("no TLS handshake: {tls}")),
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            ProbeResult::Failed("the connection was closed in the handshake".to_owned())
        }
        None => ProbeResult::Failed(format!("no TLS handshake: {error}")),
    }
}

/// The SNI name, sent as the API server sends it; a host that cannot be one is replaced by the peer's address.
fn server_name(host: &str, peer: io::Result<IpAddr>) -> ServerName<'static> {
    let address = peer.unwrap_or(IpAddr::from([127, 0, 0, 1]));
    ServerName::try_from(host.to_owned()).unwrap_or_else(|_| ServerName::from(address))
}

fn config(recorder: &Arc<Recorder>) -> Result<ClientConfig, Error> {
    let provider = Arc::clone(&recorder.provider);
    let verifier = Arc::clone(recorder) as Arc<dyn ServerCertVerifier>;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.resumption = rustls::client::Resumption::disabled();
    Ok(config)
}

/// A verifier that accepts every certificate, because it is audited later, but verifies the handshake signature: a
/// server could present another's certificate otherwise.
#[derive(Debug)]
struct Recorder {
    provider: Arc<CryptoProvider>,
    chain: Mutex<Vec<Vec<u8>>>,
}

impl Default for Recorder {
    fn default() -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        Self { provider, chain: Mutex::default() }
    }
}

impl Recorder {
    fn take(&self) -> Vec<Vec<u8>> {
        self.chain.lock().map(|mut chain| std::mem::take(&mut *chain)).unwrap_or_default()
    }
}

impl ServerCertVerifier for Recorder {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let chain = std::iter::once(leaf).chain(others).map(|one| one.to_vec()).collect();
        if let Ok(mut recorded) = self.chain.lock() {
            *recorded = chain;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            leaf,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            leaf,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests;
