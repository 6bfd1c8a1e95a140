//! The API server: real Kubernetes clients ask, the engine judges, the store remembers.

mod admission;
mod app;
mod audit;
mod authorize;
mod body;
mod bootstrap;
mod cache;
mod call;
mod cluster_view;
mod compress;
mod config;
mod convert;
mod documents;
mod go_syntax;
mod lifecycle;
pub mod metrics;
mod options;
mod refusal;
mod render;
mod request;
mod reviews;
mod served;
mod server;
mod services;
mod start;
mod subresources;
mod verbs;
mod version;
mod within;
mod write;

pub use app::App;
pub use authorize::Mode;
pub use config::{Audit, Config, Credentials, ProxyFiles, RequestLimits};
pub use ratchet_allocation::Ranges;
pub use start::{Ready, Reloads, StartError, Stop, start, system_words};
pub use within::Within;
