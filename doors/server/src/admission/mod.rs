//! The admission chain, in the reference's order: mutating plugins, then the engine's judgement and those that only look.

mod escalation;
mod judgement;
mod namespaces;
mod plugins;
mod quota;
mod view;

pub use escalation::escalation;
pub use namespaces::{namespace_guard, namespace_lifecycle};
pub use plugins::{Plugins, judge, mutate_create, mutate_update, on_delete, on_part};
pub use quota::charge;
