//! `ratchet kubelet-certs`: an audit of whether kubelet serving certificates carry their nodes' names.

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
pub use rule::{RULES, Rule, Weight};
pub use run::{AuditError, run};
pub use summary::Summary;
