//! Tests of the real binary's controllers through its API: their results, and that they settle.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod certificates;
mod cluster;
mod components;
mod leases;
mod namespaces;
mod networks;
mod released;
#[path = "../server/mod.rs"]
#[allow(dead_code, reason = "others use more of it")]
mod server;
mod services;
mod settled;
mod tokens;
mod trees;
mod workloads;
