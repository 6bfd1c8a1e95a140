//! The audit log: which requests are told, and how much of them.
//!
//! A [`Policy`] says how much of a request is told, a [`Trail`] follows it through its stages and writes one line at each,
//! and a [`Sink`] takes the lines without ever holding a request up. What is secret is taken out where lines are made
//! (`redact.rs`), so that no policy can let it through.

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
