//! Admission policies as pure functions: compiled once, then evaluated on admission attempts.
//!
//! [`Policy::compile`] and [`Binding::from_object`] compile API objects, [`Policies::new`] binds them, and
//! [`Policies::judge`] evaluates them on an [`Attributes`]. What they need to know of the cluster comes from
//! [`PolicyContext`], which the door implements. [`MutatingPolicies`] change an object before it is validated; how
//! patched objects are decoded and merged comes from [`ObjectInterfaces`] and [`TypeConverter`].
//!
//! ```
//! use ratchet_access::User;
//! use ratchet_object::{Limits, NoCluster, decode};
//! use ratchet_policy::{
//!     Attributes, Binding, GroupVersionKind, GroupVersionResource, Operation, Policies, Policy,
//! };
//!
//! let read = |text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
//! let policy = read("{metadata: {name: p}, spec: {matchConstraints: {resourceRules: [{apiGroups: [''],
//!     apiVersions: [v1], resources: [nodes], operations: [CREATE]}]},
//!     validations: [{expression: \"object.metadata.name != 'bad'\", message: no bad nodes}]}}");
//! let binding = read("{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}");
//! let policies =
//!     Policies::new(vec![Policy::compile(&policy, (1, 36)).into()], vec![Binding::from_object(&binding).into()]);
//!
//! let object = read("{apiVersion: v1, kind: Node, metadata: {name: bad}}");
//! let attributes = Attributes {
//!     operation: Operation::Create,
//!     kind: GroupVersionKind { group: "", version: "v1", kind: "Node" },
//!     resource: GroupVersionResource { group: "", version: "v1", resource: "nodes" },
//!     subresource: "",
//!     name: "bad",
//!     namespace: "",
//!     object: Some(&object),
//!     old: None,
//!     options: None,
//!     user: &User::anonymous(),
//!     dry_run: false,
//! };
//! let result = policies.judge(&attributes, &NoCluster);
//! assert!(!result.admits());
//! assert_eq!(result.denials[0].words, "no bad nodes");
//! ```
#![no_std]
extern crate alloc;

mod activation;
mod attempt;
mod attributes;
mod bound;
mod conditions;
mod context;
mod environment;
mod evaluate;
mod matching;
#[cfg(test)]
mod matching_tests;
mod mutating;
mod objects;
pub mod observation;
mod openapi_types;
mod parameters;
mod policies;
#[cfg(test)]
mod policies_tests;
mod policy;
mod policy_types;
mod reinvocation;
mod request;
mod result;
mod schema_types;
mod served_kinds;
#[cfg(test)]
mod testing;
mod trial;
mod type_check;
#[cfg(test)]
mod type_check_tests;
mod validate;

pub use ratchet_object::{GroupVersionKind, GroupVersionResource, Operation};

/// Authorization checks of expressions: the door implements [`authz::Authorize`].
pub use ratchet_cel::library::authz;

pub use attributes::Attributes;
pub use conditions::{ConditionsResult, MatchConditions};
pub use context::{Equivalent, PolicyContext};
pub use matching::{
    MatchKind, ResourceRules, is_in_namespace, matches_namespace_selector, matches_object_selector,
};
pub use mutating::{
    MutatingPolicies, MutatingPolicy, MutationFailure, MutationResult, PolicyError,
};
pub use objects::{ObjectInterfaces, TypeConverter, changed_kind, decode_built_in, with_type};
pub use observation::Observation;
pub use policies::Policies;
pub use policy::{Binding, Policy, Reader, is_exempt};
pub use reinvocation::{InvocationKey, Reinvocation, ReinvocationContext, semantically_equal};
pub use result::{Check, Denial, PolicyResult, Reason};
pub use served_kinds::{ServedKind, ServedKinds};
pub use trial::{Setting, Trial, namespace_seen, request_seen};
pub use type_check::{ExpressionWarning, is_unchecked, status, type_check};
pub use validate::validate;
