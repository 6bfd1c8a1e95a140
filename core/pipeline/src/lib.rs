//! The recipe that every door shares: typed stages that lead from a decoded tree to a verdict, in the one order there is.
//!
//! [`Decoded`] has the unknown, duplicate and mistyped fields in the order of the file; [`Defaulted`] has the defaults, and
//! is what admission plugins and strategies change; [`Paired`] stands beside the stored object; [`Judged`] has the verdict,
//! made from the facts that the engine needs, which come from the door's
//! [`ClusterReader`](ratchet_object::ClusterReader). Each stage is made from the one before, and what differs between
//! kinds, built in or custom, is an [`ObjectType`]. Policies come last, [`evaluate_policies`]: they see what was judged, and
//! deletions and connections, which nothing judges.
//!
//! ```
//! use ratchet_engine::{ApiConfig, Behavior, Release};
//! use ratchet_object::{Limits, NoCluster, decode};
//! use ratchet_pipeline::{BuiltInType, Decoded, FieldValidation};
//!
//! let text = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}], clusterIP: 010.0.0.1, tyype: x}}";
//! let mut parsed = decode(text, Limits::DEFAULT).unwrap();
//! let service = BuiltInType::find("v1", "Service").unwrap();
//!
//! let decoded = Decoded::located(&service, parsed.documents.remove(0), &parsed.repeated);
//! let error = decoded.fields().strict_error(FieldValidation::Strict).unwrap();
//! assert_eq!(error, "strict decoding error: unknown field \"spec.tyype\"");
//!
//! let defaulted = decoded.with_defaults().unwrap();
//! assert_eq!(defaulted.text_at(&["spec", "type"]), "ClusterIP");
//!
//! let paired = defaulted.pair(None);
//! let judged = paired.judge(&ApiConfig::of(Release::REFERENCE, Behavior::Proposal), &NoCluster, None);
//! assert!(!judged.verdict().admits());
//! assert!(judged.status().unwrap().message.starts_with("Service \"web\" is invalid: spec.clusterIP"));
//! ```
#![no_std]
extern crate alloc;

mod claim_source;
mod decoded;
mod defaulted;
mod dropped_fields;
mod facts;
mod field_owners;
mod fields;
mod gated_fields;
mod job_labels;
mod object_type;
mod paired;
mod policies;
mod position;
mod strict;
mod type_meta;
mod unknown_type;
mod validate;

pub use decoded::Decoded;
pub use defaulted::Defaulted;
pub use facts::{GatheredFacts, gather};
pub use field_owners::ReplicasField;
pub use fields::{FieldReport, FieldValidation, FieldViolation, InvalidFields, TypeMismatch};
pub use gated_fields::drop_gated_fields;
pub use object_type::{BuiltInType, CustomType, ObjectType};
pub use paired::{Judged, Paired};
pub use policies::{PolicyVerdict, evaluate_policies, mutation_status};
pub use strict::StrictErrors;
pub use type_meta::{LEGACY_SCHEME, TypeMetaError};
pub use unknown_type::UnknownType;
pub use validate::validate;
