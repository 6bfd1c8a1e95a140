//! Tests with kubectl against a served API, one file per kind of work.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

mod access;
mod applying;
mod bundle;
mod changing;
mod console;
mod controllers;
mod definitions;
mod deleting;
mod documented;
mod documents;
mod endpoints;
mod generators;
mod nodes;
mod operators;
mod policies;
mod reading;
mod rollout;
mod serving;
mod shell_blocks;
