//! Authorization as pure functions: RBAC, nodes, impersonation, escalation and the default roles.
//!
//! ```
//! use ratchet_access::{Attributes, RbacAuthorizer, Resource, Target, User};
//! use ratchet_object::{Limits, Node, decode};
//!
//! let read = |text| decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
//! let role = read("{metadata: {name: viewer}, rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]}");
//! let binding = read(
//!     "{metadata: {name: b}, roleRef: {kind: ClusterRole, name: viewer}, subjects: [{kind: User, name: ann}]}",
//! );
//! let no_objects: [&Node<'_>; 0] = [];
//! let rbac = RbacAuthorizer::new([&role], no_objects, [&binding], no_objects);
//!
//! let user = User { name: "ann".into(), ..User::default() };
//! let pods = Target::Resource(Resource { resource: "pods", ..Resource::default() });
//! assert!(rbac.decide(&Attributes { user: &user, verb: "get", target: pods }).is_allowed());
//! assert!(!rbac.decide(&Attributes { user: &user, verb: "delete", target: pods }).is_allowed());
//! ```
#![no_std]
extern crate alloc;

mod aggregate;
mod attributes;
mod bootstrap;
mod covers;
mod escalation;
mod forbidden;
mod graph;
mod impersonate;
mod node;
mod quote;
mod rbac;
mod reconcile;
mod rule;
#[cfg(test)]
mod testing;
mod user;

pub use aggregate::aggregate;
pub use attributes::{Attributes, Decision, Resource, Target};
pub use bootstrap::bootstrap_objects;
pub use covers::{Covered, covers};
pub use escalation::{EscalationError, Grant};
pub use forbidden::forbidden_message;
pub use graph::{NodeGraph, Source};
pub use impersonate::{Forbidden, Impersonated, impersonate};
pub use node::decide_node;
pub use quote::quoted_list;
pub use rbac::{RbacAuthorizer, Rules};
pub use reconcile::reconcile;
pub use rule::Rule;
pub use user::{
    ANONYMOUS, AUTHENTICATED, MASTERS, NODES, SERVICE_ACCOUNTS, UNAUTHENTICATED, User,
    is_superuser, service_account_groups, split_node, split_service_account,
};
