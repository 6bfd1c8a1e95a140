//! The Common Expression Language as Kubernetes speaks it: parsed, checked, evaluated within a budget.
#![no_std]

extern crate alloc;

mod check;
mod compare;
mod environment;
mod evaluate;
mod fault;
mod issue;
pub mod library;
mod list;
mod map;
mod plan;
mod program;
mod syntax;
mod time;
mod types;
mod value;

pub use environment::Environment;
pub use fault::{Budget, Fault, FaultKind, OVER_BUDGET};
pub use issue::{Issue, Issues};
pub use list::{Items, Joined, List};
pub use map::{Map, Table};
pub use program::{Program, World};
pub use time::Timestamp;
pub use types::{Type, Types};
pub use value::{Opaque, Text, Value};

/// What one expression may cost.
pub const PER_CALL_LIMIT: u64 = 1_000_000;
/// What all expressions of a policy may cost together.
pub const RUNTIME_COST_BUDGET: u64 = 10_000_000;
/// What all match conditions of a policy may cost together.
pub const MATCH_CONDITIONS_BUDGET: u64 = 2_500_000;
