//! Configuration of an audit.

use ratchet_cluster::ConfigFlags;
use std::path::PathBuf;
use std::time::Duration;

/// The source and options of one audit.
#[derive(Clone, Debug)]
pub struct Config {
    /// The source of the certificates.
    pub source: Source,
    /// Only these nodes; all if there are none.
    pub names: Vec<String>,
    /// Address types in the API server's order of preference: `--kubelet-preferred-address-types`.
    pub address_types: Vec<String>,
    /// The authority that the API server trusts: `--kubelet-certificate-authority`.
    pub authority: Option<PathBuf>,
    /// Remaining validity below which a certificate gets a warning.
    pub expiry_warning: Duration,
    /// The format of the report.
    pub output: OutputFormat,
    /// Whether the table is coloured.
    pub colour: bool,
    /// Whether a progress bar is drawn.
    pub progress: bool,
    /// The time, in seconds since 1970.
    pub now: i64,
}

/// The source of the certificates.
#[derive(Clone, Debug)]
pub enum Source {
    /// A live cluster.
    Live(Live),
    /// Files that were collected elsewhere.
    Offline(PathBuf),
}

/// Options for a live cluster.
#[derive(Clone, Debug)]
pub struct Live {
    /// The connection to the API server.
    pub connection: ConfigFlags,
    /// Only nodes with these labels; all if it is empty.
    pub selector: String,
    /// How kubelets are reached.
    pub via: Via,
    /// Number of kubelets that are probed at the same time.
    pub parallel: usize,
    /// Timeout of one kubelet's handshake.
    pub timeout: Duration,
}

/// How kubelets are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// Directly; through the API server where that is impossible.
    Auto,
    /// Directly only.
    Direct,
    /// Through the API server only.
    Proxy,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// For people.
    Table,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// A Markdown table.
    Markdown,
    /// One HTML file, for people.
    Html,
    /// Metrics for a textfile collector.
    Prometheus,
}
