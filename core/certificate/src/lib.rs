//! Certificates: parsed contents, node names, the ways kubelets get them, signing requests, and
//! issuing.
//!
//! ```
//! use ratchet_certificate::{NodeName, Presented};
//!
//! let node = NodeName::new("worker-1").unwrap();
//! assert_eq!(node.common_name(), "system:node:worker-1");
//! let fault = node.is_borne_by(b"no certificate").unwrap_err();
//! assert_eq!(fault.presented, Presented::Unreadable);
//! ```
#![no_std]

extern crate alloc;

mod anchors;
mod bundle;
mod der;
mod facts;
mod issue;
mod name;
mod pem;
mod request;
mod shape;
mod signer;
mod subject;
mod text;

pub use anchors::trust_anchor_faults;
pub use bundle::ca_bundle_error;
pub use facts::{Facts, Key, ParseCertificateError, Usage};
pub use issue::{Issuance, IssuerCertificate, signed, validity};
pub use name::{NameFault, NodeName, Presented};
pub use pem::{PemBlock, first_pem_block};
pub use request::{CertificateRequest, ParseRequestError, Proof};
pub use shape::{SHAPES, Shape};
pub use signer::{SIGNERS, Signer};
