//! The audit log: policy, events of requests, and the log file.
//!
//! A [`Policy`] determines the level of a request, a [`Trail`] follows the request through its
//! stages and writes one event at each, and a [`Sink`] takes the lines without ever blocking a
//! request. Secrets are removed where events are built (`redact.rs`), so that no policy can let
//! them through.
//!
//! ```
//! use ratchet_audit_log::{Attributes, Level, Policy};
//!
//! let policy = Policy::parse(
//!     "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: None, verbs: [watch]}, {level: Metadata}]}",
//! ).unwrap();
//! let request = |verb| Attributes { verb, is_resource_request: true, resource: "pods", ..Attributes::default() };
//! assert_eq!(policy.level(&request("watch")).level, Level::None);
//! assert_eq!(policy.level(&request("delete")).level, Level::Metadata);
//! ```

mod policy;
mod redact;
mod sink;
mod source;
mod trail;

pub use policy::{Attributes, Detail, Level, Policy, Stage, Stages};
pub use redact::HIDDEN;
pub use sink::{Counts, Rotation, Sink};
pub use source::source_ips;
pub use trail::{ObjectReference, Request, Trail, User};
