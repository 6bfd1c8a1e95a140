//! What a certificate says of itself: whose it is, for whom it speaks, until when, and whether it bears a node's name;
//! and what a request for one asks, who would sign it, and what is written into the answer.
#![no_std]

extern crate alloc;

mod der;
mod facts;
mod issue;
mod name;
mod request;
mod shape;
mod signer;
mod subject;
mod text;

pub use facts::{Facts, Key, Unreadable, Usage};
pub use issue::{Issuance, IssuerCertificate, signed, validity};
pub use name::{NameFault, NodeName, Presented};
pub use request::{CertificateRequest, Proof, UnreadableRequest};
pub use shape::{SHAPES, Shape};
pub use signer::{SIGNERS, Signer};
