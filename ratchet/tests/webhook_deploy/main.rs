//! Tests of `deploy/webhook` and of the chart: what they render, and that a cluster with them is judged as they say.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod certificates;
mod chart;
#[path = "../../benches/measurement/client.rs"]
#[allow(dead_code, reason = "measurements need what these tests do not")]
mod client;
#[path = "../kubectl/console.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod console;
mod files;
mod installation;
mod installed;
mod load;
mod monitoring;
#[path = "../server/own_address.rs"]
mod own_address;
mod promql;
mod rendering;
mod replica;
#[path = "../kubectl/serving.rs"]
#[allow(dead_code, reason = "other tests need what these do not")]
mod serving;
