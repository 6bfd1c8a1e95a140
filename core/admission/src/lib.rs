//! Admission plugins as pure functions over an object and the cluster state.
//!
//! ```
//! use ratchet_access::User;
//! use ratchet_admission::{Attributes, Denial, Operation, quota};
//! use ratchet_object::{Limits, decode};
//!
//! let read = |text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
//! let mut quotas = [read(
//!     "{metadata: {name: q}, spec: {hard: {configmaps: 1}}, status: {hard: {configmaps: 1}, used: {configmaps: 1}}}",
//! )];
//! let attributes = Attributes {
//!     operation: Operation::Create,
//!     group: "",
//!     version: "v1",
//!     resource: "configmaps",
//!     subresource: "",
//!     namespace: "default",
//!     name: "second",
//!     user: &User::anonymous(),
//!     minor: 36,
//!     old: None,
//! };
//! let denial = quota::charge(&attributes, &read("{metadata: {name: second}}"), &mut quotas, 0).unwrap_err();
//! let Denial::Forbidden(message) = denial else { panic!("{denial:?}") };
//! assert_eq!(message, "exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1");
//! ```
#![no_std]
extern crate alloc;

mod amounts;
mod attributes;
mod certificates;
mod classes;
mod limit_ranger;
mod node_labels;
mod node_restriction;
mod optional;
mod owner_references;
mod pod_groups;
mod pods;
mod priority;
pub mod quota;
mod resize;
mod resources;
mod runtime_class;
mod service_account;
mod storage;
mod table;
#[cfg(test)]
mod testing;
mod tolerations;

pub use ratchet_object::Operation;

pub use attributes::{Attributes, Denial, PluginContext, Subject};
pub use table::{Admit, PLUGINS, PluginRow, Validate, default_plugins};
