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
//!
//! The rooms, in the order in which a request passes them; each uses only those below it:
//!
//! - `start`: a `Config` and a store become a server that is bound, loaded and bootstrapped.
//! - `handler`: a request is limited, authenticated, authorized and routed; its response leaves.
//! - `aggregate`: a request for the API of an extension server becomes the response of that server.
//! - `connect`: log, exec, attach, portforward and proxy become a connection to a kubelet, pod, Service or node.
//! - `verbs`: a `ResourceRequest` becomes a `Reply`: get, list, watch, create, update, patch, delete, subresources, reviews.
//! - `admission`: an object is changed or denied by the chain of plugins, and gets the conditions of its commit.
//! - `validation`: a create or update becomes one `Invalid` status or a `Judgement`.
//! - `response`: a `Reply` or a `StatusError` becomes an encoded, compressed and counted HTTP response.
//! - `app`: the shared state that every `ResourceRequest` carries.
//! - `access`: a user and a target become a decision.
//! - `request`: head and body of an HTTP request become verb, target, options and object.
//! - `registry`: group, version and plural become a served resource with its kind, strategy and cache.
//! - `storage`: objects become commits, and the watch cache gives them back.
//! - `status`: an error of any room becomes a `Status`.

mod access;
mod admission;
mod aggregate;
mod app;
mod connect;
mod handler;
mod registry;
mod request;
mod response;
mod start;
mod status;
mod storage;
mod validation;
mod verbs;

pub use access::authorize::Mode;
pub use app::App;
pub use app::audit::Audit;
pub use app::backends::Backends;
pub use app::compute::runtime;
pub use app::metrics;
pub use app::service_resolver::ServiceRouting;
pub use app::version::{PLATFORM, git_version};
pub use handler::loopback::{LoopbackClient, MediaTypes};
pub use ratchet_admission::{PLUGINS, PluginRow, default_plugins};
pub use ratchet_allocation::Ranges;
pub use ratchet_kubelet::{
    ClientKeyFiles, NameCheck, Proxies, Trust, WebhookCredentials, WebhookUser, WebhookUsers,
};
pub use registry::key_prefixes;
pub use request::info::BACKUP_PATH;
pub use request::limits::RequestLimits;
pub use start::config::{
    AggregationConfig, BackendConfig, Config, Credentials, ProxyFiles, WebhookUserConfig,
};
pub use start::{BoundServer, ReloadHandle, ShutdownHandle, StartError, go_io_error, start};
