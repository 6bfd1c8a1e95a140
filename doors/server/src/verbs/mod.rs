//! What can be done to the objects of a resource, one file a verb.

pub(crate) mod create;
pub(crate) mod delete;
mod frames;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod patch;
pub(crate) mod sent;
pub(crate) mod update;
pub(crate) mod watch;
