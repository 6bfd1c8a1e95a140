//! Admission: the chain of plugins in the reference's order, and the state that its plugins share.

mod attributes;
mod chain;
mod enabled;
mod engine_plugins;
mod escalation;
mod judgement;
mod namespaces;
mod pace;
mod plugin;
mod plugin_cluster;
mod policies;
mod policy_cluster;
mod policy_rights;
mod policy_set;
mod pure;
mod quota;
mod quota_locks;
mod scope;

pub(crate) use chain::Chain;
pub use enabled::EnabledPlugins;
pub(crate) use escalation::escalation;
pub(crate) use pace::Pace;
pub(crate) use policy_set::PolicySet;
pub use quota_locks::QuotaLocks;
pub(crate) use scope::AdmissionScope;
