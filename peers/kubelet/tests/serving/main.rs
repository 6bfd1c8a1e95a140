//! Tests of the kubelet over the network, with clients like API servers and kubectl.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

mod client;
mod exec;
mod forward;
mod logs;
mod pages;
mod tls;
