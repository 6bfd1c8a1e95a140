//! The contract of a store: bytes under string keys with one revision counter, and its conformance
//! suite.
//!
//! A store knows nothing of Kubernetes. Every commit that changes something gets the next revision;
//! the state at any revision that is not compacted can be listed, and all later events can be
//! watched.

pub mod conformance;
mod error;
mod health;
mod record;
mod traits;

pub use error::StoreError;
pub use health::{Health, State};
pub use record::{
    Batch, Commit, Event, Guard, Happened, Operation, Page, Query, Record, Revision, Write,
};
pub use traits::{Answer, Store, Watch};
