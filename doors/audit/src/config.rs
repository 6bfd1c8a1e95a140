//! Configuration of an audit.

use crate::Target;
use ratchet_cluster::ConfigFlags;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

/// The source and options of one audit.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the objects come from.
    pub source: Source,
    /// What they are judged for; the first target also decides about Pod Security of namespaces.
    pub targets: Vec<Target>,
    /// The format of the report.
    pub output: OutputFormat,
    /// An earlier report, whose findings do not count.
    pub baseline: Option<PathBuf>,
    /// An earlier report, with which this one is compared.
    pub since: Option<PathBuf>,
    /// Whether a warning fails the audit like a refusal.
    pub warnings_as_errors: bool,
    /// Whether the table is coloured.
    pub colour: bool,
    /// Whether a progress bar is drawn.
    pub progress: bool,
    /// Number of threads that judge.
    pub workers: NonZeroUsize,
    /// The time, in seconds since 1970.
    pub now: i64,
    /// The report of `ratchet kubelet-certs -o json`, if the kubelets were asked too.
    pub kubelets: Option<serde_json::Value>,
}

/// Where stored objects come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A live cluster.
    Live(Live),
    /// Files and directories: lists of kubectl, archives of `ratchet store backup`, backups of Velero.
    Dumps(Vec<PathBuf>),
}

/// Options for a live cluster.
#[derive(Clone, Debug)]
pub struct Live {
    /// The connection to the API server.
    pub connection: ConfigFlags,
    /// The most requests a second; none for no limit.
    pub qps: Option<NonZeroU32>,
    /// The most requests at the same time.
    pub parallel: NonZeroUsize,
    /// The most objects in one answer.
    pub chunk_size: NonZeroU32,
    /// The file from which an interrupted audit goes on.
    pub resume: Option<PathBuf>,
}

/// The format of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// For people.
    Table,
    /// One JSON document.
    Json,
    /// The JSON document in YAML.
    Yaml,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    Junit,
    /// A Markdown table.
    Markdown,
    /// Metrics for a textfile collector.
    Prometheus,
    /// One HTML file.
    Html,
    /// PolicyReport objects of wgpolicyk8s.io.
    PolicyReport,
}
