//! The contract of a store: bytes under text keys with one revision counter, and the exam that every store must pass.
//!
//! A store knows no Kubernetes. Every commit that changes something gets the next revision; what the keys held at any
//! revision that is not forgotten yet can be listed, and everything that happened after it can be watched.

pub mod conformance;
mod error;
mod health;
mod record;
mod traits;

pub use error::StoreError;
pub use health::{Health, State};
pub use record::{
    Act, Batch, Commit, Event, Guard, Happened, Page, Query, Record, Revision, Write,
};
pub use traits::{Answer, Store, Watch};
