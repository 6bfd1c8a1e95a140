//! Tests of streams with kubectl, a server and kubelets, one file per kind of work.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]
#![allow(clippy::print_stderr, reason = "what the server said helps to see why a test fails")]

mod cluster;
mod commands;
mod copies;
mod kubectl;
mod logs;
#[path = "../server/own_address.rs"]
mod own_address;
mod ports;
mod proxies;
mod swap;
mod terminals;
mod timeline;
