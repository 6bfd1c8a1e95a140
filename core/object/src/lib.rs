//! Kubernetes objects as trees of values with source spans, and everything that reads, changes and writes them.
//!
//! ```
//! use ratchet_object::{Limits, Object, decode};
//!
//! let mut decoded = decode("{apiVersion: v1, kind: Service, metadata: {name: web}}", Limits::DEFAULT).unwrap();
//! let object = Object::new(decoded.documents.remove(0));
//! assert_eq!((object.kind_name(), object.name()), ("Service", "web"));
//!
//! let mut node = object.into_node();
//! ratchet_object::defaults::apply("", "v1", "Service", &mut node);
//! assert_eq!(node.text_at(&["spec", "type"]), "ClusterIP");
//! ```
#![no_std]
extern crate alloc;

mod at;
mod base64;
pub mod calendar;
mod canonicalize;
mod cluster;
mod compact;
mod complete;
mod decode;
mod decoded;
pub mod defaults;
mod depth;
mod edit;
mod equal;
pub mod go_syntax;
pub mod go_time;
mod go_types;
mod gvk;
mod intern;
mod json;
mod kinds;
mod limits;
mod lookup;
mod members;
mod meta_kinds;
mod metadata;
mod object;
mod operation;
pub mod patch;
mod path;
mod percent;
mod pod_spec;
pub mod proto;
mod prune;
mod quantity;
#[cfg(test)]
mod round_trip;
pub mod schema;
pub mod selector;
mod shape;
mod span;
mod stored;
mod stream;
mod tree;
mod write;
mod write_yaml;
#[cfg(test)]
mod xorshift;
mod yaml;
mod yaml_key;
mod yaml_plain;
mod yaml_scalar;
mod yaml_style;

pub use at::At;
pub use base64::{decode as decode_base64, encode as encode_base64};
pub use canonicalize::canonicalize;
pub use cluster::{ClusterReader, NoCluster, RestMapping};
pub use compact::CompactJson;
pub use complete::complete;
#[doc(hidden)]
pub use decode::decode_without_shortcut;
pub use decode::{Format, decode, decode_json};
pub use decoded::{DecodeError, Decoded, Repeated};
pub use equal::{Equality, Slot, equal_at};
pub use gvk::{GroupVersionKind, GroupVersionResource};
pub use intern::field_key;
pub use kinds::{KINDS, Kind, PodPlace, Scope, find};
pub use limits::Limits;
pub use lookup::Members;
pub use meta_kinds::{OPTIONS_KINDS, UNVERSIONED_KINDS};
pub use metadata::ObjectMeta;
pub use object::Object;
pub use operation::Operation;
pub use path::{Path, Step};
pub use percent::percent_encode;
pub use pod_spec::{CONTAINER_LISTS, PodSpec};
pub use prune::prune;
pub use quantity::Quantity;
pub use shape::{
    SchemaViolation, TypeReport, ViolationKind, compare_with_type, schema_violations,
    type_violations,
};
pub use span::{LineColumn, LineIndex, Span};
pub use stored::{StoredText, decode_stored, stored_json, stored_object, stored_text};
pub use stream::{YamlDocument, split_documents};
pub use tree::{Entry, Node, Value};
pub use write::write_text;
pub use write_yaml::to_yaml;
pub use yaml_key::compare_yaml_keys;
