//! The listener against real clients over loopback: handshakes, both protocols, reload, draining,
//! and misbehaving clients.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

mod client;
mod draining;
mod hostile;
mod requests;
mod server;
