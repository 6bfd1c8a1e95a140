//! Errors of connections to kubelets, with the messages of the Go API server.

use std::error::Error;
use std::io;
use std::net::SocketAddr;

use ratchet_certificate::NameFault;

use crate::alerts;
use crate::verifier::CertificateRefusal;

/// Why there is no response. Its text is what the Go API server writes after `error dialing
/// backend: `.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KubeletError {
    /// The host has no address.
    #[error("dial tcp: lookup {host}: {why}")]
    Lookup {
        /// The name that was looked up.
        host: String,
        /// The resolver's error.
        why: String,
    },
    /// The TCP connection failed.
    #[error("dial tcp {address}: {why}")]
    Dial {
        /// The first address that was tried.
        address: SocketAddr,
        /// The system's error.
        why: String,
    },
    /// A proxy refused the connection.
    #[error("{0}")]
    Proxy(String),
    /// The certificate is not trusted, not for this host, or not valid now.
    #[error("tls: failed to verify certificate: {0}")]
    Certificate(String),
    /// The certificate does not have the name of the node.
    #[error(transparent)]
    Name(#[from] NameFault),
    /// The TLS handshake failed for another reason.
    #[error("{0}")]
    Handshake(String),
    /// The HTTP exchange failed on an established connection.
    #[error("{0}")]
    Exchange(String),
}

impl KubeletError {
    /// Whether its text contains `x509:`, by which TLS failures are counted.
    pub fn mentions_x509(&self) -> bool {
        self.to_string().contains("x509:")
    }

    pub(crate) fn dial(address: SocketAddr, error: &io::Error) -> Self {
        Self::Dial { address, why: format!("connect: {}", system_message(error)) }
    }

    pub(crate) fn dial_timeout(address: SocketAddr) -> Self {
        Self::Dial { address, why: "i/o timeout".to_owned() }
    }

    pub(crate) fn lookup(host: &str, error: &io::Error) -> Self {
        let message = error.to_string();
        let why = LOOKUP_MESSAGES.iter().find(|(resolver, _)| message.contains(resolver));
        let why = why.map_or(message.as_str(), |(_, go)| go).to_owned();
        Self::Lookup { host: host.to_owned(), why }
    }

    /// From the error of a handshake between these two addresses.
    pub(crate) fn handshake(error: &io::Error, between: Option<(SocketAddr, SocketAddr)>) -> Self {
        use rustls::{CertificateError, Error as Tls};
        match error.get_ref().and_then(|inner| inner.downcast_ref::<Tls>()) {
            Some(Tls::InvalidCertificate(CertificateError::Other(other))) => {
                let refusal = other.0.downcast_ref::<CertificateRefusal>();
                Self::Certificate(refusal.map_or_else(|| other.to_string(), ToString::to_string))
            }
            _ => Self::Handshake(io_message(error, between)),
        }
    }

    /// From the error of an exchange.
    pub(crate) fn exchange(error: &hyper::Error) -> Self {
        Self::Exchange(exchange_message(error, "EOF"))
    }

    /// From the error of an incomplete body.
    pub(crate) fn body(error: &hyper::Error) -> Self {
        Self::Exchange(exchange_message(error, "unexpected EOF"))
    }
}

/// Messages of resolvers, and Go's messages for them.
static LOOKUP_MESSAGES: [(&str, &str); 5] = [
    ("Name or service not known", "no such host"),
    ("No address associated with hostname", "no such host"),
    ("nodename nor servname provided", "no such host"),
    ("Temporary failure in name resolution", "server misbehaving"),
    ("Non-recoverable failure in name resolution", "server misbehaving"),
];

/// The system's message without its number, in lower case.
fn system_message(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::TimedOut {
        return "connection timed out".to_owned();
    }
    let message = error.to_string();
    message.split(" (os error").next().unwrap_or_default().to_lowercase()
}

fn io_message(error: &io::Error, between: Option<(SocketAddr, SocketAddr)>) -> String {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return tls_message(tls);
    }
    match (error.kind(), between) {
        (io::ErrorKind::UnexpectedEof, _) => "EOF".to_owned(),
        (_, Some((ours, theirs))) if error.raw_os_error().is_some() => {
            format!("read tcp {ours}->{theirs}: read: {}", system_message(error))
        }
        _ => system_message(error),
    }
}

fn tls_message(error: &rustls::Error) -> String {
    use rustls::Error as Tls;
    match error {
        Tls::AlertReceived(alert) => format!("remote error: tls: {}", alerts::description(*alert)),
        Tls::InvalidMessage(_) => "tls: first record does not look like a TLS handshake".to_owned(),
        Tls::PeerIncompatible(why) => format!("tls: no common ground with the server: {why:?}"),
        Tls::InvalidCertificate(why) => {
            format!("tls: failed to verify certificate: x509: {why}")
        }
        other => format!("tls: {other}"),
    }
}

fn exchange_message(error: &hyper::Error, end: &str) -> String {
    if error.is_incomplete_message() {
        return end.to_owned();
    }
    let mut cause = error.source();
    while let Some(this) = cause {
        if let Some(io) = this.downcast_ref::<io::Error>() {
            let message = io_message(io, None);
            return if message == "EOF" { end.to_owned() } else { message };
        }
        cause = this.source();
    }
    if error.is_parse() {
        return format!("net/http: HTTP/1.x transport connection broken: {error}");
    }
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_the_reference() {
        let address: SocketAddr = "127.0.0.1:11299".parse().unwrap();
        let refused = io::Error::from_raw_os_error(111);
        assert_eq!(
            KubeletError::dial(address, &refused).to_string(),
            "dial tcp 127.0.0.1:11299: connect: connection refused"
        );
        let address: SocketAddr = "[::1]:10250".parse().unwrap();
        let unreachable = io::Error::from_raw_os_error(113);
        assert_eq!(
            KubeletError::dial(address, &unreachable).to_string(),
            "dial tcp [::1]:10250: connect: no route to host"
        );
        assert_eq!(
            KubeletError::dial_timeout(address).to_string(),
            "dial tcp [::1]:10250: i/o timeout"
        );
        let not_found =
            io::Error::other("failed to lookup address information: Name or service not known");
        assert_eq!(
            KubeletError::lookup("nope.invalid", &not_found).to_string(),
            "dial tcp: lookup nope.invalid: no such host"
        );
    }

    #[test]
    fn only_certificates_mention_x509() {
        let certificate = KubeletError::Certificate("x509: certificate has expired".to_owned());
        assert!(certificate.mentions_x509());
        assert_eq!(
            certificate.to_string(),
            "tls: failed to verify certificate: x509: certificate has expired"
        );
        assert!(!KubeletError::Exchange("EOF".to_owned()).mentions_x509());
        let alert = rustls::Error::AlertReceived(rustls::AlertDescription::BadCertificate);
        let error = KubeletError::handshake(&io::Error::other(alert), None);
        assert_eq!(error.to_string(), "remote error: tls: bad certificate");
        assert!(!error.mentions_x509());
    }
}
