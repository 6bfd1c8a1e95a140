//! Tests of connections to kubelets, pods and Services over real TLS: trusted certificates and responses.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod certificates;
mod client;
mod flood;
mod notices;
#[path = "../server/own_address.rs"]
mod own_address;
mod server;
mod service;
mod ways;
mod world;

mod access;
mod commands;
mod counts;
mod ends;
mod forwards;
mod hazards;
mod logs;
mod matrix;
mod proxies;
