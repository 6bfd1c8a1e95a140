//! Tests of `ratchet webhook` with a cluster: labels by a watch, own certificates, events, reports, traces, and its end.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[path = "../../../doors/webhook/tests/webhook/client.rs"]
mod client;
mod ending;
mod labels;
mod mutating;
mod observing;
mod pod_security;
mod reloading;
mod replica;
mod rotation;
#[path = "../server/mod.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod server;
mod slow;
mod world;
