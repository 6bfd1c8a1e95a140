//! The handlers of the verbs on stored resources, one file per verb.

pub(crate) mod create;
pub(crate) mod delete;
mod frames;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod patch;
pub(crate) mod update;
pub(crate) mod update_body;
pub(crate) mod watch;
