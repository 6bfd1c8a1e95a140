//! Real TLS connections to kubelets with every kind of certificate.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like a test"
)]

mod authority;
mod hosts;
mod logs;
mod names;
mod others;
mod peer;
mod pooling;
mod proxies;
mod refusals;
mod reload;
mod us;
mod webhooks;
