//! The admission chain in the reference's order: mutating plugins, engine validation, validating plugins, policies.

mod escalation;
mod judgement;
mod namespaces;
mod pace;
mod plugin_cluster;
mod plugins;
mod policies;
mod policy_cluster;
mod policy_rights;
mod policy_set;
mod quota;

pub(crate) use escalation::escalation;
pub(crate) use namespaces::{namespace_guard, namespace_lifecycle};
pub(crate) use pace::Pace;
pub(crate) use plugins::{Plugins, judge, mutate_create, mutate_update, on_delete, on_part};
pub(crate) use policies::{AdmissionScope, on_connect, on_removal, on_sent, options_node};
pub(crate) use policy_set::PolicySet;
pub(crate) use quota::charge;
