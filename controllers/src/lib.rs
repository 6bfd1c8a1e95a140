//! The small loops that a server needs.

mod aggregation;
mod api;
mod backoff;
mod bucket;
mod client;
mod discovery;
mod events;
mod failure;
mod frame;
mod garbage;
mod informer;
pub mod meter;
mod namespace;
mod queue;
mod reflector;
mod selection;
mod service_account;
mod settings;
mod store;

pub use api::{Api, ApiAnswer, ApiRequest, Lines, Shown, Waiting};
pub use backoff::Backoff;
pub use client::{Client, Deletion, Patch, Policy};
pub use events::{About, Recorder};
pub use failure::Failure;
pub use frame::{Outcome, Reconcile, Row, Setup, run};
pub use meter::{Meter, Silent};
pub use queue::{Key, Pace, Queue};
pub use selection::Selection;
pub use settings::Settings;
pub use store::{Change, Shared, Store, key_of};

/// All controllers.
pub static CONTROLLERS: &[Row] =
    &[namespace::ROW, aggregation::ROW, service_account::ROW, garbage::ROW];
