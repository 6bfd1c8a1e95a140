//! What the server itself writes into objects while they live.

mod disabled;
mod habits;
pub(crate) mod metadata;
mod prepare;
mod signing_request;

pub(crate) use habits::{Dependents, Habits, habits};
pub(crate) use prepare::{Moment, prepare_create, prepare_update};
