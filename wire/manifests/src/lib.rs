//! Manifests from files and streams: documents of any size, lists expanded into their items, many files at a time.
//!
//! ```
//! use ratchet_manifests::{for_each_document, objects_in};
//! use ratchet_object::{Limits, decode};
//!
//! let text = b"kind: Pod\n---\n{kind: ServiceList, apiVersion: v1, items: [{}, {}]}\n";
//! let mut kinds = Vec::new();
//! for_each_document(text, |document| {
//!     let decoded = decode(document.text.unwrap(), Limits::DEFAULT).unwrap();
//!     for object in objects_in(&document, decoded.documents) {
//!         kinds.push(object.text_at(&["kind"]).to_owned());
//!     }
//! });
//! assert_eq!(kinds, ["Pod", "Service", "Service"]);
//! ```

mod documents;
mod files;
mod items;
mod lists;
mod pipeline;

pub use documents::{
    Document, DocumentError, DocumentRef, Documents, for_each_document, objects_in,
};
pub use files::{Source, is_stdin, walk};
pub use lists::ListHead;
pub use pipeline::{Item, run};
