//! Strategies: the fields that the server sets on create and update.

pub(crate) mod clock;
mod disabled;
pub(crate) mod metadata;
mod prepare;
mod signing_request;
mod strategy;

pub(crate) use prepare::{CreateContext, prepare_create, prepare_update};
pub(crate) use strategy::{Dependents, Strategy, strategy};
