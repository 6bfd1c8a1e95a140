//! Aggregate: an authorized request for the API of an extension server enters; the response of that server leaves.
//!
//! The controllers that say which extension servers are there, and what they serve, are here too.

mod availability;
mod backoff;
mod changes;
mod conditions;
mod convert;
mod discovery;
mod drained;
mod fetch;
mod identity;
pub(crate) mod merge;
mod openapi;
mod openapi_v3;
mod order;
mod proxy;
pub(crate) mod register;
mod requests;
mod worker;

pub(crate) use proxy::{Routed, route};
pub(crate) use requests::Requests;
pub(crate) use worker::run;
