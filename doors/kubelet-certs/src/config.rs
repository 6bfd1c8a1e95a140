//! What an audit is asked to do.

use ratchet_cluster::Way;
use std::path::PathBuf;
use std::time::Duration;

/// What an audit is asked to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where certificates come from.
    pub source: Source,
    /// Only these nodes; all if there are none.
    pub names: Vec<String>,
    /// Which of a node's addresses the API server dials: `--kubelet-preferred-address-types`.
    pub address_types: Vec<String>,
    /// The authority that the API server believes: `--kubelet-certificate-authority`.
    pub authority: Option<PathBuf>,
    /// A certificate that has less left is warned about.
    pub expiry_warning: Duration,
    /// How the report is written.
    pub output: OutputFormat,
    /// Whether the table has colours.
    pub colour: bool,
    /// Whether a bar shows how far it is.
    pub progress: bool,
    /// The time, in seconds since 1970.
    pub now: i64,
}

/// Where certificates come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A live cluster.
    Live(Live),
    /// Files that were collected elsewhere.
    Offline(PathBuf),
}

/// How a live cluster is looked at.
#[derive(Clone, Debug)]
pub struct Live {
    /// The way to the API server.
    pub way: Way,
    /// Only nodes with these labels; all if it is empty.
    pub selector: String,
    /// How kubelets are reached.
    pub via: Via,
    /// How many kubelets are asked at the same time.
    pub parallel: usize,
    /// How long a kubelet may take to show its certificate.
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

/// How the report is written.
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
    /// Metrics for a textfile collector.
    Prometheus,
}
