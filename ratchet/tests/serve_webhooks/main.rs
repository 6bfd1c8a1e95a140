//! Tests of admission webhooks and mutating policies over HTTP, with a real webhook behind TLS.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../serve_http/client.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod client;
mod failures;
mod hook;
mod mutating;
#[path = "../server/own_address.rs"]
mod own_address;
mod policies;
#[path = "../serve_http/server.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod server;
mod services;
mod stage;
mod validating;
