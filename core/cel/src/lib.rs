//! The Common Expression Language of Kubernetes: parser, type checker and evaluator with a cost budget.
//!
//! ```
//! use ratchet_cel::{Activation, Budget, Environment, PER_CALL_LIMIT, Type, Value};
//!
//! struct Variables;
//! impl Activation<'static> for Variables {
//!     fn variable(&self, name: &str) -> Option<Value<'static>> {
//!         (name == "replicas").then_some(Value::Int(3))
//!     }
//! }
//!
//! let environment = Environment::kubernetes((1, 36)).with("replicas", Type::Int);
//! let program = environment.compile("replicas > 2").unwrap();
//! let mut budget = Budget::new(PER_CALL_LIMIT);
//! assert!(matches!(program.evaluate(&Variables, &mut budget), Ok(Value::Bool(true))));
//! assert!(environment.compile("replicas > 'two'").is_err());
//! ```
#![no_std]

extern crate alloc;

mod activation;
mod check;
mod compare;
mod compile;
mod cost;
pub mod decl;
mod environment;
mod error;
mod evaluate;
mod issue;
pub mod library;
mod list;
mod map;
mod mutation;
mod plan;
mod program;
pub mod strfmt;
mod syntax;
mod time;
mod types;
mod value;

pub use activation::Activation;
pub use cost::{CostEstimate, SizeEstimate};
pub use environment::Environment;
pub use error::{Budget, EvalError, EvalErrorKind, OVER_BUDGET};
pub use issue::{Issue, Issues};
pub use library::Regex;
pub use list::{Items, Joined, List};
pub use map::{Map, Table};
pub use program::Program;
pub use time::Timestamp;
pub use types::{Type, Types};
pub use value::{ObjectVal, Opaque, Text, Value};

/// The cost limit of one expression.
pub const PER_CALL_LIMIT: u64 = 1_000_000;
/// The cost limit of all expressions of a policy together.
pub const RUNTIME_COST_BUDGET: u64 = 10_000_000;
/// The cost limit of all match conditions of a policy together.
pub const MATCH_CONDITIONS_BUDGET: u64 = 2_500_000;
