//! `ratchet kubelet-certs`: an audit of whether kubelet serving certificates carry their nodes' names.
//!
//! ```
//! use ratchet_kubelet_certs::{Config, OutputFormat, Source, run};
//! use std::time::Duration;
//!
//! // A folder with one certificate file per node; this one is no certificate.
//! let folder = tempfile::tempdir().unwrap();
//! std::fs::write(folder.path().join("worker-1.pem"), "no certificate").unwrap();
//! let config = Config {
//!     source: Source::Offline(folder.path().to_owned()),
//!     names: Vec::new(),
//!     address_types: Vec::new(),
//!     authority: None,
//!     expiry_warning: Duration::ZERO,
//!     output: OutputFormat::Json,
//!     colour: false,
//!     progress: false,
//!     now: 0,
//! };
//! let (mut report, mut notes) = (Vec::new(), Vec::new());
//! let summary = run(&config, &mut report, &mut notes).unwrap();
//! assert_eq!((summary.nodes, summary.pass), (1, 0));
//! assert_ne!(summary.exit_code(), 0);
//! ```

mod config;
mod dial;
mod gather;
mod judge;
mod minting;
mod nodes;
mod offline;
mod proxy;
mod report;
mod requests;
mod rule;
mod run;
mod summary;
mod trust;

pub use config::{Config, Live, OutputFormat, Source, Via};
pub use judge::{AuditedNode, Finding, Outcome};
pub use nodes::{ADDRESS_TYPES, Address, Kubelet};
pub use ratchet_formats::ReportError;
pub use rule::{RULES, Rule, Weight};
pub use run::run;
pub use summary::Summary;
