//! The API server: the REST API of Kubernetes over the engine's validation and a `Store`.
//!
//! ```no_run
//! use ratchet_server::{Config, StartError, start};
//! use ratchet_store::Store;
//! use std::sync::Arc;
//!
//! async fn run(config: Config, store: Arc<dyn Store>) -> Result<(), StartError> {
//!     let server = start(config, store).await?;
//!     println!("listening on {}", server.address());
//!     server.serve().await;
//!     Ok(())
//! }
//! ```

mod admission;
mod app;
mod audit;
mod audit_record;
mod authorize;
mod body;
mod bootstrap;
mod cache;
mod compress;
mod compute;
mod config;
mod connect;
mod convert;
mod csr;
mod documents;
mod go_syntax;
mod guarded_body;
mod lifecycle;
mod long_running;
mod loopback;
pub mod metrics;
mod node_relations;
mod operation;
mod options;
mod pem;
mod registry;
mod render;
mod request;
mod resource_request;
mod respond;
mod reviews;
mod route;
mod server;
mod services;
mod start;
mod status;
mod storage;
mod streaming;
mod subresources;
mod token_getter;
mod token_usage;
mod verbs;
mod version;
mod warnings;
mod write;

pub use app::App;
pub use authorize::Mode;
pub use config::{Audit, BackendConfig, Config, Credentials, ProxyFiles, RequestLimits};
pub use connect::Backends;
pub use loopback::{LoopbackClient, MediaTypes};
pub use ratchet_admission::{PLUGINS, PluginRow, default_plugins};
pub use ratchet_allocation::Ranges;
pub use ratchet_kubelet::{KeyFiles, NameCheck, Proxies, Trust};
pub use start::{BoundServer, ReloadHandle, ShutdownHandle, StartError, go_io_error, start};
