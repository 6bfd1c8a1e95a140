//! Authorization as pure functions: RBAC, nodes, impersonation, escalation and the default roles.
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
mod reconcile;
mod rule;
mod rbac;
#[cfg(test)]
mod testing;
mod user;

pub use aggregate::aggregate;
pub use attributes::{Attributes, Decision, Resource, Target};
pub use bootstrap::bootstrap_objects;
pub use covers::{Covered, covers};
pub use escalation::{Grant, EscalationError};
pub use forbidden::forbidden_message;
pub use graph::{NodeGraph, Source};
pub use impersonate::{Forbidden, Impersonated, impersonate};
pub use node::decide_node;
pub use quote::{quoted, quoted_list};
pub use reconcile::reconcile;
pub use rule::Rule;
pub use rbac::{RbacAuthorizer, Rules};
pub use user::{
    ANONYMOUS, AUTHENTICATED, MASTERS, NODES, SERVICE_ACCOUNTS, UNAUTHENTICATED, User,
    is_superuser, service_account_groups, split_node, split_service_account,
};
