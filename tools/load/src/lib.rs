//! Load on any Kubernetes API server, and what it costs the server: rates, latencies, lost events, CPU and memory.
//!
//! `cargo xtask load --server URL` runs it; [`LoadArgs`] has the flags and [`run`] does the work.
//!
//! ```
//! use api_load::LoadArgs;
//! use clap::Parser;
//!
//! let args = ["api-load", "--server", "https://127.0.0.1:6443", "--profile", "get,list"];
//! assert!(LoadArgs::try_parse_from(args).is_ok());
//! ```

mod args;
mod churn;
mod clients;
mod connection;
mod credentials;
mod endpoint;
mod errors;
mod events;
mod figures;
mod kubeconfig;
mod latencies;
mod namespace;
mod process;
mod profile;
mod report;
mod resource;
mod run;
mod sample;
mod watcher;
mod worker;
mod write_log;

pub use args::{LoadArgs, OutputFormat, TargetArgs};
pub use connection::{ApiAnswer, ApiRequest, Connection};
pub use endpoint::Endpoint;
pub use errors::RequestFailure;
pub use figures::{EventFigures, Figures, ProcessFigures, RequestFigures};
pub use latencies::{Latencies, LatencySummary};
pub use report::{ProfileReport, Report};
pub use run::run;
