//! HTTP server: listener, TLS with reload, draining, certificates, metrics, health.
//!
//! A door provides a [`Service`] and a [`Drain`] signal; this crate owns the sockets. It never
//! authenticates clients: their certificates are passed on with each request, and verified by
//! `wire/identity`, so that an invalid certificate results in a response (401) and not in a broken
//! connection.
//!
//! ```
//! use ratchet_http::metrics::{Registry, Stability};
//!
//! let registry = Registry::new();
//! let requests = registry.counter("requests_total", Stability::Alpha, "Requests by code.", &["code"]);
//! requests.with(&["200"]).inc();
//! assert!(registry.render().contains(r#"requests_total{code="200"} 1"#));
//! ```

mod body;
pub mod certificates;
mod client_stream;
mod coalesce;
mod connection;
mod drain;
pub mod health;
mod lingering;
mod listener;
pub mod metrics;
mod panics;
mod pod_security;
mod read;
mod tls;
mod unread;

pub use body::{Body, BodyError, Gone, Sender, channel, chunks, empty, full, stream};
pub use drain::Drain;
pub use listener::{ListenLimits, Listener, Peer, Service};
pub use pod_security::PodSecurityCounters;
pub use read::{ReadError, read_body};
pub use rustls::pki_types::CertificateDer;
pub use tls::{KeyFiles, TlsError, TlsLimits, TlsReload};
