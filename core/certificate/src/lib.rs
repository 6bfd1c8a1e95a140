//! Certificates: parsed contents, node names, the ways kubelets get them, signing requests, and
//! issuing.
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
