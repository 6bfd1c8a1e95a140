//! Manifests from files and streams, judged as the API server would judge them.

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
mod suppress;

pub use against::Against;
pub use config::{Config, FieldValidation, OutputFormat};
pub use finding::{Finding, Judged, ObjectName, Outcome, Passage, Ruling, Severity};
pub use policies::{RULES, administrator, as_stored, plural_of};
pub use run::{CheckError, Summary, run};
