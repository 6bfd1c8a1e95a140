//! `EtcdConfig`: where etcd is, how it is trusted, and which part of its keys belongs to the store.

use std::path::PathBuf;
use std::time::Duration;

use crate::endpoint::Endpoint;

/// How to reach etcd.
///
/// ```
/// use ratchet_etcd::EtcdConfig;
///
/// let config = EtcdConfig::new(["http://127.0.0.1:2379", "http://127.0.0.1:22379"]);
/// assert_eq!((config.root.as_str(), config.prefix.as_str()), ("/registry", "/registry"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EtcdConfig {
    /// URLs of the members: `http://host:port` or `https://host:port`.
    pub endpoints: Vec<String>,
    /// The certificates in PEM by which members are verified; without it those of the system.
    pub ca_file: Option<PathBuf>,
    /// Our certificate in PEM and its key.
    pub client_files: Option<(PathBuf, PathBuf)>,
    /// How all keys of the store begin; other keys are refused.
    pub root: String,
    /// What stands in place of the root in etcd.
    pub prefix: String,
    /// The time for a write; a read, with all attempts at all members, has half of it.
    pub timeout: Duration,
}

impl EtcdConfig {
    /// Plain connections, or TLS with the certificates of the system; keys below `/registry`.
    pub fn new<U: Into<String>>(endpoints: impl IntoIterator<Item = U>) -> Self {
        Self {
            endpoints: endpoints.into_iter().map(Into::into).collect(),
            ca_file: None,
            client_files: None,
            root: "/registry".to_owned(),
            prefix: "/registry".to_owned(),
            timeout: Duration::from_secs(10),
        }
    }

    pub(crate) fn parse_endpoints(&self) -> Result<Vec<Endpoint>, ConnectError> {
        if self.endpoints.is_empty() {
            return Err(ConnectError::NoEndpoint);
        }
        self.endpoints.iter().map(|url| Endpoint::parse(url)).collect()
    }
}

/// Why a store on etcd cannot be used; one line each.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No URL was given.
    #[error("no URL of etcd is given")]
    NoEndpoint,
    /// A URL cannot be read.
    #[error("{url:?} is no URL of etcd: write http://host:port or https://host:port")]
    Url {
        /// The text.
        url: String,
    },
    /// A file cannot be read.
    #[error("open {}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        why: std::io::Error,
    },
    /// The certificates or the key cannot be used.
    #[error("cannot use {}: {why}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// TLS cannot be set up.
    #[error("tls: {0}")]
    Tls(#[from] rustls::Error),
    /// No member answers.
    #[error("etcd cannot be used: {0}")]
    Away(#[from] ratchet_store::StoreError),
}
