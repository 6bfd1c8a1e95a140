//! Admission: an authorized request with its object enters; it leaves changed by plugins, or denied, with the conditions
//! of its commit.
//!
//! The chain has the reference's order.

mod attributes;
mod chain;
mod engine_plugins;
mod escalation;
mod input;
mod mutating_policies;
mod mutation;
mod mutator;
mod mutators;
mod namespaces;
mod object_interfaces;
mod plugin;
mod plugin_context;
mod policies;
mod policy_context;
mod pure;
mod quota;
mod scope;
mod webhooks;

pub(crate) use chain::Chain;
pub(crate) use escalation::escalation;
pub(crate) use scope::AdmissionScope;
