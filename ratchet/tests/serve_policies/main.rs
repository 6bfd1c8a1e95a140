//! Tests of ValidatingAdmissionPolicies over HTTP: what they deny, report and can read.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../serve_http/client.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod client;
mod denials;
mod parameters;
mod parts;
mod reporting;
#[path = "../serve_http/server.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod server;
mod stage;
mod validation;
