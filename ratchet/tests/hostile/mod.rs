//! Shared parts of the hostile tests: a server for every test, clients that break the rules, and a request generator.
#![allow(unused_imports, reason = "every test file uses a part of it")]
#![allow(dead_code, reason = "every test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

pub(crate) mod bodies;
pub(crate) mod flood;
pub(crate) mod http2;
pub(crate) mod process;
pub(crate) mod server;
pub(crate) mod wire;

pub(crate) use server::Server;
pub(crate) use wire::{Answer, Client};
