//! A TLS handshake with whatever answers: it believes nothing, sends nothing, and remembers what was presented.

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

/// What came of asking a kubelet for its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Certificates, the kubelet's own first; and why the handshake failed all the same, if it did.
    Presented {
        /// As they were sent.
        chain: Vec<Vec<u8>>,
        /// Whether whoever presented them holds the key.
        proof: Result<(), String>,
    },
    /// Something answers that is no TLS server.
    NotTls(String),
    /// Nothing could be seen, and why.
    Nothing(String),
}

/// Asks for the certificate at an address, within a time.
pub(crate) async fn dial(host: &str, port: u16, limit: Duration) -> Seen {
    let seconds = limit.as_secs_f64();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let socket = match timeout(limit, TcpStream::connect((bare, port))).await {
        Ok(Ok(socket)) => socket,
        Ok(Err(error)) => return Seen::Nothing(error.to_string()),
        Err(_) => return Seen::Nothing(format!("no connection within {seconds} s")),
    };
    let recorder = Arc::new(Recorder::default());
    let config = match config(&recorder) {
        Ok(config) => config,
        Err(error) => return Seen::Nothing(error.to_string()),
    };
    let name = server_name(bare, socket.peer_addr().map(|peer| peer.ip()));
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let done = timeout(limit, connector.connect(name, socket)).await;
    let chain = recorder.take();
    match done {
        Ok(Ok(_)) => Seen::Presented { chain, proof: Ok(()) },
        Ok(Err(error)) if !chain.is_empty() => Seen::Presented { chain, proof: proof(&error) },
        Ok(Err(error)) => failed(&error),
        Err(_) => Seen::Nothing(format!("connected, but no certificate within {seconds} s")),
    }
}

/// A certificate is recorded in the same step in which its key is proven; what the other side says later, be it that it
/// wants to know who we are, does not matter.
fn proof(error: &io::Error) -> Result<(), String> {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match tls {
        None | Some(Error::AlertReceived(_)) => Ok(()),
        Some(tls) => Err(tls.to_string()),
    }
}

fn failed(error: &io::Error) -> Seen {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match tls {
        Some(Error::InvalidMessage(_)) => Seen::NotTls("what it says is no TLS".to_owned()),
        Some(tls) => Seen::Nothing(format!("no TLS handshake: {tls}")),
        None if error.kind() == io::ErrorKind::UnexpectedEof => {
            Seen::Nothing("the connection was closed in the handshake".to_owned())
        }
        None => Seen::Nothing(format!("no TLS handshake: {error}")),
    }
}

/// A name is sent along, as the API server does; what cannot be one is left out.
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

/// Accepts every certificate, for it is looked at later, but not a key that its owner does not hold: a rogue could
/// present anybody's certificate otherwise.
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
        if let Ok(mut kept) = self.chain.lock() {
            *kept = chain;
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
