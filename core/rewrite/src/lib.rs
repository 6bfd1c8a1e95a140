//! Rewriting of badly spelled addresses, networks and search names in manifests, in place and with a proof for each edit.
//!
//! Text goes in, edits come out: the fields are those of the engine's table, the value is replaced where it stands, and
//! every other byte stays. An edit is made only if old and new text denote the same address, and if the document, parsed
//! again, differs in that value alone.
//!
//! ```
//! use ratchet_rewrite::{Choices, ReadAs, SourceKind, rewrite};
//!
//! let text = "apiVersion: v1\nkind: Service\nspec:\n  externalIPs: [ '192.0.2.01', 2001:DB8::1 ] # ours\n";
//! let rewritten = rewrite(text, SourceKind::Manifest, &Choices::default());
//! let wanted = "apiVersion: v1\nkind: Service\nspec:\n  externalIPs: [ '192.0.2.1', 2001:db8::1 ] # ours\n";
//! assert_eq!(rewritten.text.as_deref(), Some(wanted));
//!
//! // 010 is ten to Go and eight to C: somebody has to say which.
//! let text = "{apiVersion: v1, kind: Service, spec: {externalIPs: [010.0.0.1]}}";
//! let rewritten = rewrite(text, SourceKind::Manifest, &Choices::default());
//! assert!(rewritten.text.is_none() && rewritten.refused.len() == 1);
//! let choices = Choices { read_as: Some(ReadAs::Octal), ..Choices::default() };
//! let rewritten = rewrite(text, SourceKind::Manifest, &choices);
//! assert!(rewritten.text.unwrap().contains("[8.0.0.1]"));
//! ```
#![no_std]
extern crate alloc;

mod candidate;
mod decide;
mod diff;
mod document;
mod edits;
mod exceptions;
mod fields;
pub mod live;
mod octal;
mod proof;
mod reason;
mod rewrite;
mod template;
mod token;
mod values;

pub use decide::{Choices, Decision, HostBits, ReadAs, ValueClass, decide};
pub use diff::unified_diff;
pub use edits::{
    Edit, ObjectRef, RefusedEdit, Rewritten, SkippedDocument, SourceKind, UnreadableDocument,
};
pub use proof::denotes_same;
pub use reason::Reason;
pub use rewrite::rewrite;
