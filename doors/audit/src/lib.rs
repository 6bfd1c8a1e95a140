//! `ratchet audit`: what is stored in a cluster, and which of it will warn, be refused when it is created again, or freeze.
//!
//! ```
//! use ratchet_audit::{Config, OutputFormat, Source, Target, run};
//! use ratchet_engine::{ApiConfig, Behavior, Release};
//! use std::num::NonZeroUsize;
//!
//! let folder = tempfile::tempdir().unwrap();
//! let file = folder.path().join("dump.yaml");
//! let dump = "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop},
//!     spec: {ports: [{port: 80}], clusterIP: None, clusterIPs: [None], externalIPs: [192.0.2.010]}}";
//! std::fs::write(&file, dump).unwrap();
//! let config = Config {
//!     source: Source::Dumps(vec![file]),
//!     targets: vec![Target {
//!         name: "1.36".into(),
//!         api_config: ApiConfig::of(Release::REFERENCE, Behavior::Released),
//!     }],
//!     output: OutputFormat::Json,
//!     baseline: None,
//!     since: None,
//!     warnings_as_errors: false,
//!     colour: false,
//!     progress: false,
//!     workers: NonZeroUsize::MIN,
//!     now: 0,
//!     kubelets: None,
//! };
//! let (mut report, mut notes) = (Vec::new(), Vec::new());
//! let summary = run(&config, &mut report, &mut notes).unwrap();
//! assert_eq!((summary.objects, summary.states.refused), (1, 1));
//! assert_eq!(summary.exit_code(false), 1);
//! ```

mod addresses;
mod claims;
mod collector;
mod config;
mod dumps;
mod error;
mod files;
mod finding;
mod inflate;
mod input;
mod journal;
mod judge;
mod kinds;
mod known;
mod listed;
mod live;
mod managed_fields;
mod missing;
mod namespace_labels;
mod operation;
mod owner;
mod pace;
mod page;
mod pod_levels;
mod policies;
mod progress;
mod report;
mod requests;
mod run;
mod served;
mod spool;
mod summary;
mod tally;
mod tar;
mod target;
mod value_path;
mod version;

pub use addresses::RULES;
pub use config::{Config, Live, OutputFormat, Source};
pub use error::AuditError;
pub use finding::{Finding, HostReading, Manager, ObjectId, State};
pub use missing::Missing;
pub use operation::Operation;
pub use owner::{Owner, OwnerKind};
pub use run::run;
pub use summary::{StateCounts, Summary};
pub use target::Target;
pub use version::VERSION;
