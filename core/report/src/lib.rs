//! A typed report of findings as one HTML file, which needs no network and no other file.
//!
//! `ratchet audit`, `ratchet check` and `ratchet kubelet-certs` fill a [`Report`]; [`render`] writes it. The same report
//! gives the same bytes: nothing here looks at a clock, and what is counted is sorted. Whatever a cluster contains is
//! text to the page, never markup and never script.
//!
//! ```
//! use ratchet_report::{Finding, ObjectRef, Owner, OwnerKind, Report, State, Subject, render};
//!
//! let report = Report {
//!     subject: Subject::Cluster,
//!     title: "Audit of production".into(),
//!     targets: vec!["1.36".into()],
//!     objects: 812,
//!     findings: vec![Finding {
//!         object: ObjectRef {
//!             api_version: "v1".into(),
//!             kind: "Service".into(),
//!             namespace: "shop".into(),
//!             name: "</script>web".into(),
//!         },
//!         owner: Owner { kind: OwnerKind::HelmRelease, name: "shop/web".into() },
//!         field: "spec.externalIPs[0]".into(),
//!         value: Some("010.0.0.7".into()),
//!         rule: "RTC-IP-001".into(),
//!         state: State::Frozen,
//!         target: "1.36".into(),
//!         ..Finding::default()
//!     }],
//!     ..Report::default()
//! };
//! let page = render(&report);
//! assert_eq!(page, render(&report));
//! assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("</script>web"));
//! ```
#![no_std]
extern crate alloc;

mod certificate;
mod charts;
mod data;
mod date;
mod escape;
mod fallback;
mod finding;
mod matrix;
mod numbers;
mod page;
mod pod_security;
mod report;
mod state;
mod summary;
mod timeline;
mod topic;
mod verdict;

pub use certificate::{Certificate, CertificateState};
pub use escape::entity;
pub use finding::{Excerpt, Finding, Location, ObjectRef, Owner, OwnerKind};
pub use pod_security::{LevelResult, NamespaceLevels};
pub use ratchet_engine::pod_security::Level;
pub use report::{Count, Note, Report, RuleText, StateCount, Subject};
pub use state::State;
pub use topic::Topic;

use alloc::string::String;

/// The report as one HTML file.
pub fn render(report: &Report) -> String {
    page::page(report)
}
