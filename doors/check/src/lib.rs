//! `ratchet check`: manifests from files and streams, checked as the API server would validate and admit them.
//!
//! ```
//! use ratchet_check::{Config, FieldValidation, OutputFormat, run};
//! use ratchet_engine::{ApiConfig, Behavior, Release};
//!
//! let directory = tempfile::tempdir().unwrap();
//! let file = directory.path().join("service.yaml");
//! let manifest = "{apiVersion: v1, kind: Service, metadata: {name: web},
//!     spec: {ports: [{port: 80}], clusterIP: 010.0.0.1}}";
//! std::fs::write(&file, manifest).unwrap();
//! let config = Config {
//!     inputs: vec![file],
//!     recursive: false,
//!     against: None,
//!     api_config: ApiConfig::of(Release::REFERENCE, Behavior::Proposal),
//!     crds: Vec::new(),
//!     policies: Vec::new(),
//!     disabled_plugins: Vec::new(),
//!     requester: None,
//!     namespace: "default".into(),
//!     field_validation: FieldValidation::Strict,
//!     output: OutputFormat::Json,
//!     warnings_as_errors: false,
//!     baseline: None,
//!     write_baseline: None,
//!     colour: false,
//!     progress: false,
//!     workers: 1,
//! };
//! let (mut report, mut notes) = (Vec::new(), Vec::new());
//! let summary = run(&config, &mut report, &mut notes).unwrap();
//! assert_eq!((summary.objects, summary.refused), (1, 1));
//! assert_eq!(summary.exit_code(false), 1);
//! ```

mod against;
mod baseline;
mod config;
mod definitions;
mod file_facts;
mod finding;
mod findings;
mod first_pass;
mod helm;
mod inspect;
mod namespaces;
mod policies;
mod report;
mod run;
mod summary;
mod suppress;
mod types;

pub use against::Against;
pub use config::{Config, OutputFormat};
pub use finding::{
    CheckedObject, Finding, ObjectName, Outcome, PolicyDecision, Severity, SourceLocation,
};
pub use policies::{RULES, administrator, as_stored, merge_built_in, plural_of};
pub use ratchet_pipeline::FieldValidation;
pub use run::{CheckError, run};
pub use summary::Summary;
