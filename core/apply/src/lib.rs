//! Server-side apply: who owns which fields of an object, and what an applied configuration makes of it.
//!
//! ```
//! use ratchet_apply::{ApplyOptions, BuiltInKind, FieldManager, set_managed_fields};
//! use ratchet_object::{GroupVersionKind, Limits, decode};
//!
//! let read = |text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
//! let converter = BuiltInKind { group: "", kind: "ConfigMap", convert: &|_, _| unreachable!() };
//! let config_maps = FieldManager {
//!     kind: GroupVersionKind { group: "", version: "v1", kind: "ConfigMap" },
//!     subresource: "",
//!     converter: &converter,
//!     reset_fields: None,
//! };
//! let by = |manager| ApplyOptions { manager, force: false, now: "2026-01-02T03:04:05Z" };
//!
//! let config = read("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: '1'}}");
//! let applied = config_maps.apply(None, &config, by("m1")).unwrap();
//! assert_eq!(applied.managed_fields[0].fields_v1.to_json(), r#"{"f:data":{"f:a":{}}}"#);
//!
//! let mut live = applied.object;
//! set_managed_fields(&mut live, applied.managed_fields);
//! let other = read("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: '2'}}");
//! let error = config_maps.apply(Some(&live), &other, by("m2")).unwrap_err();
//! assert_eq!(error.to_string(), r#"Apply failed with 1 conflict: conflict with "m1": .data.a"#);
//! ```
#![no_std]
extern crate alloc;

mod cap;
mod conflict;
mod converter;
mod created_fields;
mod entry;
mod error;
mod field_manager;
mod field_set;
mod from_unstructured;
mod last_applied;
mod managed;
mod manager_name;
mod mutation;
mod packed;
mod path_element;
mod prune;
mod reset_fields;
mod scale;
mod schema;
mod times;
mod typed;
mod updater;
mod value;

pub use conflict::Conflict;
pub use converter::{
    BuiltInKind, ConvertObject, Converter, CustomKind, api_version, rename_version,
    unstructured_error,
};
pub use created_fields::{CreatedFields, Structure};
pub use entry::{ManagedFieldsEntry, Operation, set_managed_fields};
pub use error::ApplyError;
pub use field_manager::{Applied, ApplyOptions, FieldManager};
pub use field_set::{FieldPath, FieldSet};
pub use managed::validate_managed_fields;
pub use manager_name::{ManagerError, manager_errors, manager_or_user_agent};
pub use mutation::merge_configuration;
pub use packed::{FieldsPool, PackedManagedFields};
pub use path_element::{KeyField, PathElement};
pub use reset_fields::{Filter, ResetFields};
pub use scale::{ReplicasPath, ScaleHandler};
pub use schema::{Additional, BuiltInType, Structural, StructuralSchema, TypeRef, ValueType};
pub use times::keep_times;
