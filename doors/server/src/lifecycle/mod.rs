//! What the server itself writes into objects while they live.

mod disabled;
pub(crate) mod metadata;
mod prepare;
mod signing_request;
mod strategy;

pub(crate) use prepare::{CreateContext, prepare_create, prepare_update};
pub(crate) use strategy::{Dependents, Strategy, strategy};
