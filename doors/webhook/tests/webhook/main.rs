//! Tests of the webhook as a whole: its verdicts, its configuration, and its HTTP server over HTTP/2 and TLS.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

mod api_server;
mod case_cluster;
#[path = "../../../../core/engine/tests/case_file/mod.rs"]
#[allow(dead_code, reason = "only what is to be judged is used here")]
mod case_file;
mod cases;
mod client;
mod documented;
mod hostile;
mod manifests;
mod modes;
mod mutation;
mod operations;
mod raw;
mod running;
mod serving;
