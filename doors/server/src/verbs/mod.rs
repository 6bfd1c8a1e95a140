//! What can be done to the objects of a resource, one file a verb.

pub mod create;
pub mod delete;
mod frames;
pub mod get;
pub mod list;
pub mod patch;
pub mod update;
pub mod watch;
