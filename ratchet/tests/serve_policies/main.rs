//! ValidatingAdmissionPolicies on the wire: what they refuse, tell and see.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../serve_http/client.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod client;
mod denials;
mod made;
mod parameters;
mod parts;
#[path = "../serve_http/server.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod server;
mod stage;
mod told;
