//! Agreement of the server with the other doors: every case of the engine, and conversations of the server's own, over
//! HTTP.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "a test tells how much it has looked at")]

mod case;
mod cases;
mod client;
mod conversation;
mod conversations;
mod custom;
mod pointer;
mod server;
