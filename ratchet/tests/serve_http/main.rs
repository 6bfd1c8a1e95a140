//! Tests of the server over HTTP: what clients may rely on and kubectl does not show.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::expect_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod access;
mod apply;
mod audit;
mod client;
mod converting;
mod custom_objects;
mod definitions;
mod device_rights;
mod empties;
mod flow_control;
mod forms;
mod handshakes;
mod history;
mod listed;
mod lists;
mod load;
mod negotiation;
mod nodes;
mod objects;
mod observability;
#[path = "../server/own_address.rs"]
mod own_address;
mod parts;
mod paths;
mod prereleases;
mod published;
mod races;
mod rights;
mod server;
mod split;
mod storage;
mod watches;
mod writes;
