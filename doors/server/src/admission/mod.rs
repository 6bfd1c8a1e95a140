//! The admission chain, in the reference's order: mutating plugins, then the engine's judgement.

mod judgement;
mod namespaces;
mod plugins;

pub use judgement::judge;
pub use namespaces::{namespace_guard, namespace_lifecycle};
pub use plugins::{Plugins, mutate_create, mutate_update};
