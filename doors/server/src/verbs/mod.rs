//! Verbs: a `ResourceRequest` enters; a `Reply` leaves: an object, a list, a stream of events.
//!
//! One file per verb, subresource and review.

pub(crate) mod apply;
pub(crate) mod component_status;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod managed_fields;
mod owners;
pub(crate) mod patch;
mod restored;
pub(crate) mod reviews;
mod selection;
pub(crate) mod subresources;
pub(crate) mod update;
pub(crate) mod update_body;
pub(crate) mod watch;
pub(crate) mod write;
