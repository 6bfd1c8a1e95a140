//! Admission: the chain of plugins in the reference's order, and the state that its plugins share.

mod chain;
mod engine_plugins;
mod escalation;
mod judgement;
mod namespaces;
mod pace;
mod plugin_cluster;
mod policies;
mod policy_cluster;
mod policy_rights;
mod policy_set;
mod pure;
mod quota;

pub use chain::Chain;
pub(crate) use escalation::escalation;
pub(crate) use pace::Pace;
pub(crate) use policies::{AdmissionScope, options_node};
pub(crate) use policy_set::PolicySet;
