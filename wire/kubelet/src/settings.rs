//! Settings of connections to kubelets: trust, client certificate, timeouts, proxies.

use std::path::PathBuf;
use std::time::Duration;

use ratchet_certificate::NodeName;

use crate::Proxies;

/// A kubelet: its node, and its address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The node whose name the certificate must have.
    pub node: NodeName,
    /// An address or a DNS name, without brackets.
    pub host: String,
    /// The port of the kubelet.
    pub port: u16,
}

impl Endpoint {
    /// `host:port` as in a URL.
    pub fn authority(&self) -> String {
        authority(&self.host, self.port)
    }
}

/// `host:port`, with brackets around IPv6 addresses.
pub fn authority(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// The certificates that are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Any: without `--kubelet-certificate-authority` nothing is verified, not even names.
    #[default]
    Anyone,
    /// Those that one of these authorities signed for the dialed host.
    Authority {
        /// The CA certificates, in PEM.
        file: PathBuf,
        /// The check of the common name.
        names: NameCheck,
    },
}

/// The check of the common name of a certificate that is otherwise valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameCheck {
    /// No check.
    #[default]
    Off,
    /// A mismatch is counted and logged, but does not fail.
    Observe,
    /// A mismatch is counted and logged, and the connection fails.
    Enforce,
}

impl NameCheck {
    /// The name of the mode in logs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::Enforce => "enforce",
        }
    }
}

/// Whether a connection is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verification {
    /// As the settings require.
    Full,
    /// Not at all, as `insecureSkipTLSVerifyBackend` requests for logs: nothing is checked or
    /// counted, and the connection serves no verified request.
    Skipped,
}

/// The files of the client certificate for kubelets and its key, both in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientKeyFiles {
    /// The chain, our own certificate first.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
}

/// The settings of all connections to kubelets.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The trusted authorities.
    pub trust: Trust,
    /// Our client certificate.
    pub client: Option<ClientKeyFiles>,
    /// Timeouts and intervals.
    pub timing: Timing,
    /// The proxies to use.
    pub proxies: Proxies,
}

/// Timeouts and intervals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// For a TCP connection, all addresses of a name together.
    pub dial: Duration,
    /// For a TLS handshake.
    pub handshake: Duration,
    /// How long an unused connection is kept.
    pub idle: Duration,
    /// The interval of TCP keep-alive probes.
    pub keep_alive: Duration,
    /// How long an HTTP/2 connection may be silent before it is pinged.
    pub ping: Duration,
    /// The timeout of a ping.
    pub ping_answer: Duration,
    /// The interval between log lines about the same node's wrong name.
    pub notice: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            dial: seconds(30),
            handshake: seconds(10),
            idle: seconds(90),
            keep_alive: seconds(30),
            ping: seconds(30),
            ping_answer: seconds(15),
            notice: seconds(10),
        }
    }
}
