//! The listener: TLS and its reload, draining, certificates, metrics, health.
//!
//! A door brings a [`Service`] and says when to [`Drain`]; this crate owns the sockets. It never asks who a client is: the
//! certificates that a client showed are handed over with each request, and verifying them is the business of
//! `wire/identity`, so that a bad certificate becomes an answer (401) and not a broken connection.

mod body;
pub mod certificates;
mod client_stream;
mod connection;
mod drain;
mod gathered;
pub mod health;
mod lingering;
mod listener;
pub mod metrics;
mod panics;
mod read;
mod tls;
mod unread;

pub use body::{Body, BodyError, Gone, Sender, channel, chunks, empty, full};
pub use drain::Drain;
pub use listener::{ListenLimits, Listener, Peer, Service};
pub use read::{ReadError, read_body};
pub use rustls::pki_types::CertificateDer;
pub use tls::{KeyFiles, TlsError, TlsReload};
