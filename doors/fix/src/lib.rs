//! `ratchet fix`: manifests rewritten in place, and live objects patched, so that every address is spelled canonically.
//!
//! ```
//! use ratchet_fix::{Config, OutputFormat, run};
//! use ratchet_rewrite::Choices;
//!
//! let directory = tempfile::tempdir().unwrap();
//! let file = directory.path().join("service.yaml");
//! let manifest = "apiVersion: v1\nkind: Service\nspec: {externalIPs: [192.0.2.01]} # ours\n";
//! std::fs::write(&file, manifest).unwrap();
//! let config = Config {
//!     inputs: vec![file.clone()],
//!     recursive: false,
//!     write: true,
//!     choices: Choices::default(),
//!     output: OutputFormat::Diff,
//!     colour: false,
//!     workers: 1,
//! };
//! let (mut out, mut notes) = (Vec::new(), Vec::new());
//! let summary = run(&config, &mut out, &mut notes).unwrap();
//! assert_eq!((summary.edits, summary.refused, summary.exit_code()), (1, 0, 0));
//! assert_eq!(std::fs::read_to_string(&file).unwrap(), manifest.replace("2.01", "2.1"));
//! ```

mod config;
mod file;
pub mod live;
mod report;
mod run;
mod summary;
mod write;

pub use config::{Config, OutputFormat};
pub use run::run;
pub use summary::Summary;
