//! The controllers that run inside the server, and the runtime they share.
//!
//! ```
//! use ratchet_controllers::{CONTROLLERS, Selection};
//!
//! let selection = Selection::parse("*,-node-ipam-controller").unwrap();
//! let named = |name| CONTROLLERS.iter().find(|row| row.name == name).unwrap();
//! assert!(named("namespace-controller").is_enabled(&selection));
//! assert!(!named("node-ipam-controller").is_enabled(&selection));
//! ```

mod addresses;
mod aggregation;
mod api;
mod backoff;
mod batching;
mod bucket;
mod certificates;
mod client;
mod controller;
mod discovery;
mod endpoint_slice;
mod endpoints;
mod events;
mod expectations;
mod failure;
mod garbage;
mod informer;
mod labels;
mod lease;
pub mod metrics;
mod mirroring;
mod namespace;
mod node_ipam;
mod pod;
mod policy_status;
#[cfg(test)]
mod properties;
mod queue;
mod reflector;
mod retained;
mod root_ca;
mod runtime;
mod selection;
mod selectors;
mod service;
mod service_account;
mod service_account_token;
mod settings;
mod slices;
mod store;
mod table;
#[cfg(test)]
mod testing;
mod token_issuer;
mod trigger;
mod trim;

pub use api::{Api, ApiRequest, ApiResponse, BoxFuture, Lines, Representation};
pub use backoff::Backoff;
pub use certificates::{CertificateSigner, Signing};
pub use client::{Client, Deletion, Patch, Policy};
pub use controller::{Idle, Outcome, Reconcile, Row, Setup};
pub use events::{ObjectReference, Recorder};
pub use failure::Failure;
pub use lease::Election;
pub use metrics::{Metrics, NoopMetrics};
pub use queue::{Key, Queue, RetryDelay};
pub use runtime::run;
pub use selection::Selection;
pub use settings::Settings;
pub use store::{Change, Shared, Store, key_of};
pub use table::CONTROLLERS;
pub use token_issuer::{Account, TokenIssuer};
