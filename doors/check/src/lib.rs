//! `ratchet check`: manifests from files and streams, checked as the API server would validate and admit them.

mod against;
mod baseline;
mod config;
mod documents;
mod files;
mod finding;
mod findings;
mod helm;
mod inspect;
mod items;
mod lists;
mod namespaces;
mod pipeline;
mod policies;
mod report;
mod run;
mod summary;
mod suppress;

pub use against::Against;
pub use config::{Config, OutputFormat};
pub use finding::{
    CheckedObject, Finding, ObjectName, Outcome, PolicyDecision, Severity, SourceLocation,
};
pub use policies::{RULES, administrator, as_stored, plural_of};
pub use ratchet_pipeline::FieldValidation;
pub use run::{CheckError, run};
pub use summary::Summary;
