//! The controllers of the real binary, seen through its API: what they bring into order, and that they then rest.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod certificates;
mod cluster;
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
