//! What is known of kubelets before the first connection: whom to trust, who we are, how long to wait.

use std::path::PathBuf;
use std::time::Duration;

use ratchet_certificate::NodeName;

use crate::Proxies;

/// A kubelet: whose it must be, and where it listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The node whose name its certificate must bear.
    pub node: NodeName,
    /// An address or a DNS name, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl Endpoint {
    /// `host:port` as it stands in a URL.
    pub fn authority(&self) -> String {
        authority(&self.host, self.port)
    }
}

/// `host:port`, with brackets around what has colons.
pub fn authority(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Which certificates are believed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Any: no `--kubelet-certificate-authority`, nothing is verified and no name is looked at.
    #[default]
    Anyone,
    /// Those that one of these authorities signed for the address that was dialled.
    Authority {
        /// The authorities, in PEM.
        file: PathBuf,
        /// What is made of the common name.
        names: NameCheck,
    },
}

/// What is made of the common name of a certificate that is otherwise good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameCheck {
    /// It is not looked at.
    #[default]
    Off,
    /// It is counted and told, and nothing fails.
    Observe,
    /// It is counted and told, and the connection fails if it is not the node's.
    Enforce,
}

impl NameCheck {
    /// The word for it in logs.
    pub(crate) fn word(self) -> &'static str {
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
    /// As the settings say.
    Full,
    /// Not at all, as `insecureSkipTLSVerifyBackend` asks for logs: nothing is checked, nothing is counted, and the
    /// connection serves no request that is verified.
    Skipped,
}

/// Where a certificate chain and its key are, both in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFiles {
    /// The chain, our own certificate first.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// All that connections to kubelets depend on.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whom we believe.
    pub trust: Trust,
    /// What we show.
    pub client: Option<KeyFiles>,
    /// How long we wait for what.
    pub timing: Timing,
    /// Which proxies stand between.
    pub proxies: Proxies,
}

/// How long is waited for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// For a TCP connection, all addresses of a name together.
    pub dial: Duration,
    /// For a TLS handshake.
    pub handshake: Duration,
    /// How long a connection that nobody uses is kept.
    pub idle: Duration,
    /// Between signs of life that the kernel sends on a silent connection.
    pub keep_alive: Duration,
    /// How long an HTTP/2 connection may be silent before it is asked whether it lives.
    pub ping: Duration,
    /// How long it has to answer.
    pub ping_answer: Duration,
    /// How often the same node's wrong name is told.
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
