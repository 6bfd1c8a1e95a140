//! The small loops that a server needs.

mod addresses;
mod aggregation;
mod api;
mod backoff;
mod bucket;
mod client;
mod endpoint_slice;
mod endpoints;
mod expected;
mod failure;
mod frame;
mod gathering;
mod informer;
mod labels;
pub mod meter;
mod mirroring;
mod namespace;
mod pod;
#[cfg(test)]
mod properties;
mod queue;
mod selection;
mod selectors;
mod service;
mod service_account;
mod slices;
mod store;
#[cfg(test)]
mod testing;
mod trigger;
mod trim;

pub use api::{Api, ApiAnswer, ApiRequest, Lines, Waiting};
pub use backoff::Backoff;
pub use client::Client;
pub use failure::Failure;
pub use frame::{Outcome, Reconcile, Row, Setup, run};
pub use meter::{Meter, Silent};
pub use queue::{Key, Pace, Queue};
pub use selection::Selection;
pub use store::{Change, Shared, Store, key_of};

/// All controllers.
pub static CONTROLLERS: &[Row] = &[
    namespace::ROW,
    aggregation::ROW,
    service_account::ROW,
    endpoint_slice::ROW,
    endpoints::ROW,
    mirroring::ROW,
];
