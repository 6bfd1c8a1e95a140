//! The contract of a store: bytes under string keys with one revision counter, and its conformance
//! suite.
//!
//! A store knows nothing of Kubernetes. Every commit that changes something gets the next revision;
//! the state at any revision that is not compacted can be listed, and all later events can be
//! watched.
//!
//! ```
//! use ratchet_store::{Guard, Operation, Query, Write};
//!
//! // A commit of two writes: the key must be new, and a quota must not have changed since it was read.
//! let writes = [
//!     Write::put("/pods/default/web", Guard::Absent, "{}"),
//!     Write::keep("/quotas/default", Guard::At(ratchet_store::Revision(7))),
//! ];
//! assert!(matches!(writes[0].act, Operation::Put { lives: None, .. }));
//! assert_eq!(writes[1].act, Operation::Keep);
//! assert_eq!(Query::under("/pods/").limit, 0);
//! ```

pub mod archive;
pub mod conformance;
pub mod copy;
mod each_record;
mod error;
mod health;
mod pages;
mod past;
mod record;
mod split;
mod traits;

pub use each_record::each_record;
pub use error::StoreError;
pub use health::{Health, State};
pub use record::{
    Batch, Commit, Event, EventKind, Expiring, Guard, Operation, Page, PastBatch, PastEvent, Query,
    Record, Revision, Write,
};
pub use split::{Line, Split};
pub use traits::{Answer, Store, Watch};
