//! The pipeline that every door shares: field validation of a decoded object, facts from the cluster, then the verdict.
//!
//! A door decodes bytes with [`ratchet_object`], reports unknown, duplicate and mistyped fields with [`check_fields`],
//! applies defaults, pairs the object with the stored one, and calls [`validate`]. [`gather`] reads cluster state from the
//! door's [`ClusterReader`](ratchet_object::ClusterReader), and only what the change needs.
//!
//! ```
//! use ratchet_engine::{ApiConfig, Behavior, Change, Release};
//! use ratchet_object::{Limits, NoCluster, Object, decode};
//! use ratchet_pipeline::{FieldValidation, check_fields, gather, validate};
//!
//! let text = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}], clusterIP: 010.0.0.1, tyype: x}}";
//! let mut decoded = decode(text, Limits::DEFAULT).unwrap();
//! let object = Object::new(decoded.documents.remove(0));
//! let fields = check_fields(&object, &decoded.repeated);
//! let error = fields.strict_error(FieldValidation::Strict).unwrap();
//! assert_eq!(error, "strict decoding error: unknown field \"spec.tyype\"");
//!
//! let config = ApiConfig::of(Release::REFERENCE, Behavior::Proposal);
//! let change = Change::create(&object).unwrap();
//! let facts = gather(&change, &config, &NoCluster, None);
//! let verdict = validate(&change, &facts.as_facts(), &config);
//! assert!(!verdict.admits());
//! ```
#![no_std]
extern crate alloc;

mod defaults;
mod facts;
mod field_owners;
mod fields;
mod object_type;
mod validate;

pub use defaults::{locate_defaulted, with_defaults};
pub use facts::{GatheredFacts, gather};
pub use field_owners::ReplicasField;
pub use fields::{FieldReport, FieldValidation, FieldViolation, TypeMismatch, check_fields};
pub use object_type::{BuiltInType, CustomType, ObjectType};
pub use validate::validate;
