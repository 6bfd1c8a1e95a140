//! The controllers against an API in memory, in a time that passes by itself.

mod aggregation;
mod fake;
mod frame;
mod namespace;
