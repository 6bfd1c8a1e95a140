//! Tests of `ratchet serve` in front of an extension API server, which is a process of its own.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "the process tells its port")]

mod availability;
mod discovery;
mod extension;
mod flunders;
mod hostile;
mod hostile_answers;
mod kubectl;
#[path = "../server/own_address.rs"]
mod own_address;
mod proxying;
mod registration;
mod routing;
#[path = "../server/mod.rs"]
#[allow(dead_code, reason = "others use more of it")]
mod server;
mod world;
