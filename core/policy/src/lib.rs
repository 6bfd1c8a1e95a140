//! ValidatingAdmissionPolicies as pure functions: read once, then asked about attempts.
//!
//! [`Policy::read`] and [`Binding::read`] compile what objects say, [`Policies::new`] binds them, and
//! [`Policies::judge`] asks all of them about an [`Attempt`]. What they must know of the cluster is asked of
//! [`Surroundings`], which the door implements.
#![no_std]
extern crate alloc;

mod attempt;
mod environment;
mod evaluate;
mod judged;
mod matching;
#[cfg(test)]
mod matching_tests;
mod parameters;
mod policies;
#[cfg(test)]
mod policies_tests;
mod policy;
mod request;
mod scene;
mod schema_types;
mod surroundings;
#[cfg(test)]
mod testing;
mod trial;
mod type_check;
#[cfg(test)]
mod type_check_tests;
mod validate;

/// How expressions ask who may do what: the door implements [`authz::Authorize`].
pub use ratchet_cel::library::authz;

pub use attempt::{Attempt, KindName, Operation, ResourceName};
pub use judged::{Check, Denial, Judged, Reason};
pub use policies::Policies;
pub use policy::{Binding, Policy, Reader, is_exempt};
pub use surroundings::{Equivalent, Served, Surroundings};
pub use trial::{Setting, Trial, namespace_seen, request_seen};
pub use type_check::{ExpressionWarning, is_unchecked, status, type_check};
pub use validate::validate;
