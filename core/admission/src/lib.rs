//! Admission plugins as pure functions over an object and the cluster state.
#![no_std]
extern crate alloc;

mod amounts;
mod certificates;
mod classes;
mod limit_ranger;
mod node_labels;
mod node_restriction;
mod optional;
mod owner_references;
mod pods;
mod priority;
pub mod quota;
mod request;
mod resize;
mod runtime_class;
mod service_account;
mod storage;
mod table;
#[cfg(test)]
mod testing;
mod tolerations;

pub use request::{Cluster, Denial, Operation, Request, Subject};
pub use table::{Admit, PLUGINS, PluginRow, Validate, default_plugins};
