//! ValidatingAdmissionPolicies as pure functions: compiled once, then evaluated on admission attempts.
//!
//! [`Policy::read`] and [`Binding::read`] compile API objects, [`Policies::new`] binds them, and
//! [`Policies::judge`] evaluates them on an [`Attributes`]. What they need to know of the cluster comes from
//! [`ClusterReader`], which the door implements.
#![no_std]
extern crate alloc;

mod activation;
mod attributes;
mod cluster;
mod environment;
mod evaluate;
mod matching;
#[cfg(test)]
mod matching_tests;
mod parameters;
mod policies;
#[cfg(test)]
mod policies_tests;
mod policy;
mod request;
mod result;
mod schema_types;
#[cfg(test)]
mod testing;
mod trial;
mod type_check;
#[cfg(test)]
mod type_check_tests;
mod validate;

pub use ratchet_object::{GroupVersionKind, GroupVersionResource};

/// Authorization checks of expressions: the door implements [`authz::Authorize`].
pub use ratchet_cel::library::authz;

pub use attributes::{Attributes, Operation};
pub use cluster::{ClusterReader, Equivalent, Served};
pub use policies::Policies;
pub use policy::{Binding, Policy, Reader, is_exempt};
pub use result::{Check, Denial, PolicyResult, Reason};
pub use trial::{Setting, Trial, namespace_seen, request_seen};
pub use type_check::{ExpressionWarning, is_unchecked, status, type_check};
pub use validate::validate;
