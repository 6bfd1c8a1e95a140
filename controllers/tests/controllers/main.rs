//! The controllers against an API in memory, with a paused clock.
#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

mod aggregation;
mod certificates;
mod endpoints;
mod fake;
mod frame;
mod namespace;
mod policy_status;
mod service_account;
