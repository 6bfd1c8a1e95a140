//! The small loops that a server needs.

mod aggregation;
mod api;
mod backoff;
mod bucket;
mod client;
mod failure;
mod frame;
mod informer;
pub mod meter;
mod namespace;
mod policy_status;
mod queue;
mod selection;
mod service_account;
mod store;

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
pub static CONTROLLERS: &[Row] =
    &[namespace::ROW, aggregation::ROW, service_account::ROW, policy_status::ROW];
